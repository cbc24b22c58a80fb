import { sql } from 'kysely';
import { beginningOfIds } from '../../schema/ids.ts';
import type { Context } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';

/** Events removed per transaction. */
const BATCH = 1000;

const DAY = 24 * 60 * 60 * 1000;

/**
 * Removes the sealed events of each log that are older than the retention; without a retention, none. The number and hash of
 * the last removed event are kept: verification starts from there.
 */
export async function removeOldAuditEvents({ db, services, transaction }: Context): Promise<void> {
  const { auditRetention } = services;
  // guard: audit-retention
  if (auditRetention === 0) return;
  const oldest = beginningOfIds(Date.now() - auditRetention * DAY);
  const logs = await db.selectFrom('audit_log').select('log').execute();
  for (const { log } of logs) {
    let removed: number;
    do removed = await transaction((em) => removeFirst(kyselyOf(em), log, oldest));
    while (removed === BATCH);
  }
}

/** Removes a batch of a log's first events, up to the first one to keep, and never the last one. */
async function removeFirst(db: Context['db'], log: string, oldest: string): Promise<number> {
  // guard: audit-removed-place
  const { rows } = await sql<{ removed: string }>`
    with chain as materialized (
      select number, removed_number from audit_log where log = ${log} for no key update
    ), first as materialized (
      select id, number, hash from audit_event
      where log = ${log} and number is not null
        and number between (select removed_number + 1 from chain) and (select number - 1 from chain)
      order by number limit ${BATCH}
    ), kept as (
      select min(number) as number from first where id >= ${oldest} collate "C"
    ), old as materialized (
      select first.* from first, kept where kept.number is null or first.number < kept.number
    ), gone as (
      delete from audit_event using old where audit_event.log = ${log} and audit_event.id = old.id
    ), moved as (
      update audit_log set removed_number = last.number, removed_hash = last.hash
      from (select number, hash from old order by number desc limit 1) as last
      where audit_log.log = ${log}
    )
    select count(*) as removed from old`.execute(db);
  return Number(rows[0]?.removed ?? 0);
}
