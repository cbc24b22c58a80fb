import { sql } from 'kysely';
import { beginningOfIds } from '../../schema/ids.ts';
import type { Context } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';

/** Events that one transaction removes. */
const BATCH = 1000;

const DAY = 24 * 60 * 60 * 1000;

/**
 * Removes sealed events that are older than the retention, from the beginning of each log; without one, none. What is kept is
 * verified from the last that was removed, whose number and hash stay.
 */
export async function removeOldAuditEvents({ db, services, transaction }: Context): Promise<void> {
  const { auditRetention } = services;
  if (auditRetention === 0) return;
  const oldest = beginningOfIds(Date.now() - auditRetention * DAY);
  const logs = await db.selectFrom('audit_log').select('log').execute();
  for (const { log } of logs) {
    let removed: number;
    do removed = await transaction((em) => removeFirst(kyselyOf(em), log, oldest));
    while (removed === BATCH);
  }
}

/** Removes the first events of a log, up to the first that is to be kept, and never the last. */
async function removeFirst(db: Context['db'], log: string, oldest: string): Promise<number> {
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
