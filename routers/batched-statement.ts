import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Db } from './context.ts';
import { statement } from './statement.ts';

/** One value of a statement: the parameter itself, or the column that holds it for each call of a batch. */
export type Operand = string | RawBuilder<string>;

/** Calls per statement; bounds what one of them may cost. */
const MAX_CALLS = 25;

/** The name of the column that tells which call a row answers. */
const CALL = 'batch.call';

interface Call<Row> {
  parameters: readonly string[];
  answer: PromiseWithResolvers<Row | undefined>;
}

/** The reading of one row, or none, by some parameters. */
type RowReader<Parameters extends Operand[], Row> = (
  db: Db,
  ...parameters: { [Index in keyof Parameters]: string }
) => Promise<Readonly<Row> | undefined>;

/**
 * A prepared statement, as `statement`, that finds at most one row and that concurrent requests share: all calls made
 * in one turn of the event loop are sent together when it ends, as one statement over their parameters. Nothing is
 * cached: each call is answered by a statement sent after it was made, which calls with equal parameters share. If it
 * fails, all its calls fail with the same error. A call alone in its turn, or in a transaction, runs by itself.
 *
 * `build` gets parameters or columns as operands, and must not assume a type for them beyond text.
 */
export function batchedStatement<Parameters extends Operand[], Row>(
  // biome-ignore lint/suspicious/noExplicitAny: whatever tables the statement reads
  build: (db: Db, ...parameters: Parameters) => SelectQueryBuilder<any, any, Row>,
): RowReader<Parameters, Row> {
  const one = statement((db, ...parameters: string[]) => build(db, ...(parameters as Parameters)));
  const many = statement((db, ...parameters: string[][]) => overBatch(db, parameters, build));
  const pending = new WeakMap<Db, Map<string, Call<Row>>>();

  const send = async (db: Db, calls: readonly Call<Row>[]): Promise<void> => {
    try {
      const [first] = calls;
      if (first && calls.length === 1) {
        const [row] = await one(db, ...first.parameters);
        first.answer.resolve(row);
        return;
      }
      const rows = await many(db, ...transposed(calls.map((call) => call.parameters)));
      const found = new Map(rows.map(({ [CALL]: call, ...row }) => [Number(call), row as Row]));
      for (const [index, { answer }] of calls.entries()) answer.resolve(found.get(index + 1));
    } catch (error) {
      for (const { answer } of calls) answer.reject(error);
    }
  };

  return async (db, ...parameters) => {
    if (db.isTransaction) return (await one(db, ...parameters))[0];
    let calls = pending.get(db);
    if (!calls) {
      const batch = new Map<string, Call<Row>>();
      calls = batch;
      pending.set(db, batch);
      setImmediate(() => {
        pending.delete(db);
        const all = [...batch.values()];
        for (let start = 0; start < all.length; start += MAX_CALLS) {
          void send(db, all.slice(start, start + MAX_CALLS));
        }
      });
    }
    // No text in the database contains a NUL.
    const key = parameters.join('\0');
    let call = calls.get(key);
    if (!call) {
      call = { parameters, answer: Promise.withResolvers() };
      calls.set(key, call);
    }
    return call.answer.promise;
  };
}

/** All first parameters, all second ones and so on. */
const transposed = (calls: readonly (readonly string[])[]): string[][] =>
  (calls[0] ?? []).map((_, index) => calls.map((parameters) => parameters[index] as string));

/** The statement for each row of parallel arrays of parameters. */
function overBatch<Parameters extends Operand[], Row>(
  db: Db,
  arrays: string[][],
  // biome-ignore lint/suspicious/noExplicitAny: as above
  build: (db: Db, ...parameters: Parameters) => SelectQueryBuilder<any, any, Row>,
) {
  const names = arrays.map((_, index) => `p${index}`);
  const operands = names.map((name) => sql.ref<string>(`batch.${name}`)) as Operand[] as Parameters;
  const values = sql.join(arrays.map((array) => sql`${array}::text[]`));
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
