import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { AuditEvent } from '../../schema/entities/audit-event.ts';
import { columnsOf } from '../../schema/rows.ts';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { type ChainLink, GENESIS, seal } from './chain.ts';

/** Events sealed per transaction. */
const BATCH = 500;

/** The most logs sealed in one run. */
const LOGS = 1000;

/**
 * Seals recorded events into the chains of their logs. An event gets its place in the chain only here, so that it does not
 * matter how late its transaction commits: each visible event without a place gets the next one.
 * @returns how many events were sealed
 */
export async function sealAuditLogs(ctx: Pick<Context, 'db' | 'transaction'>): Promise<number> {
  let sealed = 0;
  const failures: unknown[] = [];
  for (const log of await findUnsealedLogs(ctx.db)) {
    let last = 0;
    do {
      // A log that was tampered with must not hold up the others.
      last = await ctx
        .transaction((em) => sealNext(em, log))
        .catch((error: unknown) => {
          failures.push(error);
          return 0;
        });
      sealed += last;
    } while (last === BATCH);
  }
  if (failures.length > 0) throw failures[0];
  return sealed;
}

/** Finds logs by skipping from one to the next, however many unsealed events each has. */
async function findUnsealedLogs(db: Db): Promise<string[]> {
  const { rows } = await sql<{ log: string }>`
    with recursive unsealed as (
      (select log from audit_event where number is null order by log limit 1)
      union all
      select (
        select next.log from audit_event next
        where next.number is null and next.log > unsealed.log order by next.log limit 1)
      from unsealed where unsealed.log is not null
    )
    select log from unsealed where log is not null limit ${LOGS}`.execute(db);
  return rows.map(({ log }) => log);
}

/** Seals the next events of a log, in the order of their creation; none while another process is doing so. */
async function sealNext(em: SqlEntityManager, log: string): Promise<number> {
  const db = kyselyOf(em);
  await db
    .insertInto('audit_log')
    .values({ log, number: 0, hash: GENESIS, removed_number: 0, removed_hash: GENESIS })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const [chain] = await db
    .selectFrom('audit_log')
    .select(['number', 'hash'])
    .where('log', '=', log)
    .forNoKeyUpdate()
    // guard: audit-seal-lock
    .skipLocked()
    .execute();
  if (!chain) return 0;
  const last: ChainLink = { number: Number(chain.number), hash: chain.hash };
  const events = await db
    .selectFrom('audit_event')
    .select(columnsOf(AuditEvent))
    .where('log', '=', log)
    .where('number', 'is', null)
    .orderBy('id')
    .limit(BATCH)
    .execute();
  const links = seal(last, events);
  const end = links.at(-1);
  if (!end) return 0;
  await sql`
    update audit_event set number = link.number, hash = link.hash
    from json_to_recordset(${JSON.stringify(links)}::json) as link (id text, number bigint, hash text)
    where audit_event.log = ${log} and audit_event.id = link.id collate "C"`.execute(db);
  await sql`
    update audit_log set number = ${end.number}, hash = ${end.hash}, sealed_at = now()
    where log = ${log}`.execute(db);
  return links.length;
}
