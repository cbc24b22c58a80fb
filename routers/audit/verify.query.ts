import { type RawBuilder, sql } from 'kysely';
import { AuditEvent } from '../../schema/entities/audit-event.ts';
import { columnsOf } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';
import { type AuditRow, CHAIN_START, type ChainLink, findChainFault, isErased } from './chain.ts';

/** Events per statement. */
const BATCH = 1000;

/** The first problem in a log. */
interface AuditFault {
  /** The number of the event in its log. */
  number: number;
  /** The id of the event; absent if the event is missing. */
  id?: string;
  /** A few words that continue a sentence about the event, such as "is missing". */
  problem: string;
}

export interface Verification {
  log: string;
  /** How many events are as they were sealed. */
  verified: number;
  /** How many of these have had their personal data erased. */
  erased: number;
  /** How many events have been removed because of their age. */
  removed: number;
  /** How many events are not sealed yet, and the id of the oldest. */
  unsealed: number;
  oldestUnsealed?: string;
  /** The end of the chain. */
  head: ChainLink;
  fault?: AuditFault;
}

/** The ends of a log's chain, as recorded in `audit_log`. */
interface Chain {
  head: ChainLink;
  removed: ChainLink;
}

/** Reads the names of all logs: those of organizations, and that of the installation. */
export async function readAuditLogs(db: Db): Promise<string[]> {
  const { rows } = await sql<{ log: string }>`
    with recursive logs as (
      (select log from audit_event order by log limit 1)
      union all
      select (select next.log from audit_event next where next.log > logs.log order by next.log limit 1)
      from logs where logs.log is not null
    )
    select log from logs where log is not null union select log from audit_log order by log`.execute(db);
  return rows.map(({ log }) => log);
}

/**
 * Verifies the chain of a log, from the oldest event that is kept.
 * @param anchor the number and hash of an event, noted at an earlier verification, which must be unchanged
 * @param onProgress is called with the number of events verified so far, and of all
 */
export async function verifyAuditLog(
  db: Db,
  log: string,
  { anchor, onProgress }: { anchor?: ChainLink; onProgress?: (done: number, total: number) => void } = {},
): Promise<Verification> {
  let { head, removed } = await readChain(db, log);
  let { number, hash } = removed;
  /** Goes on behind the events that have been removed because of their age meanwhile; returns false if there are none. */
  const skipRemoved = async (): Promise<boolean> => {
    const later = await readChain(db, log);
    if (later.removed.number <= number) return false;
    ({ head, removed } = later);
    ({ number, hash } = removed);
    return true;
  };
  const counts = { verified: 0, erased: 0 };
  let fault = anchorFault(anchor, { head, removed });
  while (!fault && number < head.number) {
    const events = await readSealed(db, log, { after: number, until: head.number });
    if (events.length === 0) {
      if (await skipRemoved()) continue;
      fault = { number: number + 1, problem: 'is missing' };
      break;
    }
    for (const event of events) {
      const problem = findChainFault({ number, hash }, event);
      if (problem) {
        if (await skipRemoved()) break;
        fault = { number: number + 1, ...(problem !== 'is missing' && { id: event.id }), problem };
        break;
      }
      number += 1;
      hash = event.hash as string;
      // guard: audit-anchor
      if (anchor?.number === number && anchor.hash !== hash) {
        fault = { number, id: event.id, problem: 'does not have the hash of the anchor' };
        break;
      }
      counts.verified += 1;
      if (isErased(event)) counts.erased += 1;
    }
    onProgress?.(number - removed.number, head.number - removed.number);
  }
  // guard: audit-chain-end
  if (!fault && hash !== head.hash)
    fault = { number, problem: 'does not have the hash recorded for the end of the log' };
  // guard: audit-beyond-log
  fault ??= await findMisplacedEvent(db, log);
  const waiting = await readUnsealed(db, log);
  return { log, ...counts, removed: removed.number, ...waiting, head, ...(fault && { fault }) };
}

/** Checks a noted place against the ends of the chain. */
function anchorFault(anchor: ChainLink | undefined, { head, removed }: Chain): AuditFault | undefined {
  if (!anchor) return undefined;
  const { number } = anchor;
  if (number > head.number) return { number, problem: 'is missing: the log ends before the anchor' };
  const known = number === 0 ? CHAIN_START : number === removed.number ? removed : undefined;
  if (known && known.hash !== anchor.hash) return { number, problem: 'does not have the hash of the anchor' };
  return undefined;
}

/** Finds a sealed event outside the chain. The chain, which may grow meanwhile, is read in the same statement. */
async function findMisplacedEvent(db: Db, log: string): Promise<AuditFault | undefined> {
  const at = (end: RawBuilder<unknown>) => sql<{ id: string; number: string } | null>`(
    select json_build_object('id', id, 'number', number) from audit_event
    where log = ${log} and number is not null order by number ${end} limit 1)`;
  const { rows } = await sql<Record<'first' | 'last', { id: string; number: number } | null> & Bounds>`
    select ${at(sql`asc`)} as first, ${at(sql`desc`)} as last,
      (select number from audit_log where log = ${log}) as end,
      (select removed_number from audit_log where log = ${log}) as removed`.execute(db);
  const [{ first, last, end, removed }] = rows as [(typeof rows)[0]];
  const stray =
    first && first.number <= Number(removed) ? first : last && last.number > Number(end) ? last : undefined;
  return stray && { ...stray, problem: 'was never sealed with this number' };
}

interface Bounds {
  end: string | null;
  removed: string | null;
}

async function readChain(db: Db, log: string): Promise<Chain> {
  const chain = await db
    .selectFrom('audit_log')
    .select(['number', 'hash', 'removed_number', 'removed_hash'])
    .where('log', '=', log)
    .executeTakeFirst();
  return chain
    ? {
        head: { number: Number(chain.number), hash: chain.hash },
        removed: { number: Number(chain.removed_number), hash: chain.removed_hash },
      }
    : { head: CHAIN_START, removed: CHAIN_START };
}

const readSealed = (
  db: Db,
  log: string,
  { after, until }: { after: number; until: number },
): Promise<AuditRow[]> =>
  db
    .selectFrom('audit_event')
    .select(columnsOf(AuditEvent))
    .where('log', '=', log)
    .where('number', '>', after)
    .where('number', '<=', until)
    .orderBy('number')
    .limit(BATCH)
    .execute();

async function readUnsealed(db: Db, log: string): Promise<{ unsealed: number; oldestUnsealed?: string }> {
  const { count, oldest } = await db
    .selectFrom('audit_event')
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.min('id').as('oldest')])
    .where('log', '=', log)
    .where('number', 'is', null)
    .executeTakeFirstOrThrow();
  return { unsealed: Number(count), ...(oldest !== null && { oldestUnsealed: oldest }) };
}
