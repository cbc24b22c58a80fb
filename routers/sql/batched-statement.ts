import DataLoader from 'dataloader';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { runForSeveralCallers } from '../base/caller.ts';
import type { Db } from '../base/db.ts';
import { outageOf } from '../base/outage.ts';
import { statement } from './statement.ts';

/** A value in a statement: the parameter itself or, in a batch, the column that holds the parameters of the calls. */
export type Operand = string | RawBuilder<string>;

/** Calls per statement; bounds the cost of one statement. */
const MAX_CALLS = 25;

/** How long calls wait for a statement in flight before they are sent in parallel to it, in milliseconds. */
const MAX_WAIT = 2;

/** The name of the column with the number of the call that a row is for. */
const CALL = 'batch.call';

/** Reads one row, or none, by some parameters. */
type RowReader<Parameters extends Operand[], Row> = (
  db: Db,
  ...parameters: { [Index in keyof Parameters]: string }
) => Promise<Readonly<Row> | undefined>;

/**
 * A prepared statement, like {@link statement}, that finds at most one row and that concurrent requests share: calls made
 * in one turn of the event loop, or while another statement is in flight, are sent together, as one statement over all of
 * their parameters. Nothing is cached: the result of a call comes from a statement sent after it was made; calls with equal
 * parameters share it. A single call, or one in a transaction, runs by itself.
 *
 * In an outage, all calls of a statement fail; otherwise only those whose parameters the database rejects.
 *
 * `build` gets parameters or columns as operands, and must not assume that they have any type but text.
 */
export function batchedStatement<Parameters extends Operand[], Row>(
  // biome-ignore lint/suspicious/noExplicitAny: whatever tables the statement reads
  build: (db: Db, ...parameters: Parameters) => SelectQueryBuilder<any, any, Row>,
): RowReader<Parameters, Row> {
  const one = statement((db, ...parameters: string[]) => build(db, ...(parameters as Parameters)));
  const many = statement((db, ...parameters: string[][]) => batchQuery(db, parameters, build));

  const read = async (db: Db, calls: readonly (readonly string[])[]): Promise<(Row | undefined)[]> => {
    const [first] = calls;
    if (first && calls.length === 1) return [(await one(db, ...first))[0]];
    const found: (Row | undefined)[] = calls.map(() => undefined);
    // The rows keep the number of their call: removing it would copy them.
    // guard: row-of-call
    for (const row of await many(db, ...transposed(calls))) found[Number(row[CALL]) - 1] = row as Row;
    return found;
  };

  const readers = new WeakMap<Db, CallReader<Row>>();
  return async (db, ...parameters) => {
    // guard: batch-outside-transaction
    if (db.isTransaction) return (await one(db, ...parameters))[0];
    let readCall = readers.get(db);
    if (!readCall) {
      readCall = batchReader((calls) => read(db, calls));
      readers.set(db, readCall);
    }
    return readCall(parameters);
  };
}

type CallReader<Row> = (parameters: readonly string[]) => Promise<Row | undefined>;

/** Collects the calls of one statement on one pool of connections, and sends them in batches. */
function batchReader<Row>(
  read: (calls: readonly (readonly string[])[]) => Promise<(Row | undefined)[]>,
): CallReader<Row> {
  /** The functions that send the waiting batches. */
  let waiting: (() => void)[] = [];
  /** The results of calls not sent yet, by parameters: the loader's own cache would make another promise per call. */
  const results = new Map<string, Promise<Row | undefined>>();
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;

  const sendAll = () => {
    clearTimeout(timer);
    const batches = waiting;
    waiting = [];
    // guard: batch-after-call
    results.clear();
    for (const send of batches) send();
  };
  const loader = new DataLoader<readonly string[], Row | undefined>(
    async (calls) => {
      inFlight++;
      try {
        return await readEach(read, calls);
      } finally {
        inFlight--;
        if (inFlight === 0 && waiting.length > 0) setImmediate(sendAll);
      }
    },
    {
      cache: false,
      maxBatchSize: MAX_CALLS,
      batchScheduleFn: (send) => {
        waiting.push(send);
        if (waiting.length > 1) return;
        // The statement is sent for all who wait for it: it must not count for the caller who happens to be first.
        // guard: batch-no-share
        runForSeveralCallers(() => {
          if (inFlight > 0) timer = setTimeout(sendAll, MAX_WAIT);
          else setImmediate(sendAll);
        });
      },
    },
  );
  return (parameters) => {
    // Ambiguous only with a NUL in a parameter, which the database rejects in any call.
    // guard: batch-key
    const key = parameters.join('\0');
    let result = results.get(key);
    if (!result) {
      result = loader.load(parameters);
      results.set(key, result);
    }
    return result;
  };
}

/** The row of each call, or the error of those that fail. */
async function readEach<Row>(
  read: (calls: readonly (readonly string[])[]) => Promise<(Row | undefined)[]>,
  calls: readonly (readonly string[])[],
): Promise<(Row | undefined | Error)[]> {
  try {
    return await read(calls);
  } catch (error) {
    // guard: batch-failure-alone
    if (calls.length === 1 || outageOf(error)) return calls.map(() => error as Error);
    // One call may be to blame: bisecting finds it in few statements.
    const middle = Math.ceil(calls.length / 2);
    const halves = [calls.slice(0, middle), calls.slice(middle)];
    return (await Promise.all(halves.map((half) => readEach(read, half)))).flat();
  }
}

/** All first parameters, then all second ones and so on. */
const transposed = (calls: readonly (readonly string[])[]): string[][] =>
  (calls[0] ?? []).map((_, index) => calls.map((parameters) => parameters[index] as string));

/** The statement, run for each index of parallel arrays of parameters. */
function batchQuery<Parameters extends Operand[], Row>(
  db: Db,
  arrays: string[][],
  // biome-ignore lint/suspicious/noExplicitAny: whatever tables the statement reads
  build: (db: Db, ...parameters: Parameters) => SelectQueryBuilder<any, any, Row>,
) {
  const names = arrays.map((_, index) => `p${index}`);
  const operands = names.map((name) => sql.ref<string>(`batch.${name}`)) as Operand[] as Parameters;
  // In subqueries, so that the planner does not see the number of calls: it would make a new plan for each small batch,
  // which takes longer than running it.
  const values = sql.join(arrays.map((array) => sql`(select ${array}::text[])`));
  const columns = sql.join(names.map((name) => sql.id(name)));
  const calls = sql<{ call: string }>`unnest(${values}) with ordinality`.as<'batch'>(
    sql`batch (${columns}, call)`,
  );
  return db
    .selectFrom(calls)
    .innerJoinLateral(build(db, ...operands).as('found'), (join) => join.onTrue())
    .selectAll('found')
    .select(sql.ref<string>('batch.call').as(CALL));
}
