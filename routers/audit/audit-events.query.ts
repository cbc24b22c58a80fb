import { sql } from 'kysely';
import { z } from 'zod';
import { AuditEvent } from '../../schema/entities/audit-event.ts';
import { beginningOfIds } from '../../schema/ids.ts';
import { columnsOf } from '../../schema/rows.ts';
import { Time } from '../base/common-schemas.ts';
import type { Db } from '../base/db.ts';
import { statement } from '../sql/statement.ts';
import type { AuditRow } from './chain.ts';

/** Events per statement of an export. */
const BATCH = 500;

/** The filters of audit events. */
export const auditFilters = {
  from: Time.optional().describe('Only events at this time or later.'),
  to: Time.optional().describe('Only events at this time or earlier.'),
  action: z.string().max(100).optional().describe('Only events of this action.'),
  actor: z.string().max(100).optional().describe('Only events of the actor with this id.'),
  target: z.string().max(300).optional().describe('Only events about the object with this id.'),
  targetType: z
    .string()
    .max(100)
    .optional()
    .describe('Only events about objects of this type, such as `space`.'),
};

export type AuditFilters = {
  [Name in keyof typeof auditFilters]?: z.infer<(typeof auditFilters)[Name]>;
};

/** Selects the audit events of a log. Their ids contain their times, and are in their order. */
export function auditEventsOf(db: Db, log: string, { from, to, ...equal }: AuditFilters) {
  // guard: audit-list-log
  let events = db.selectFrom('audit_event').where('audit_event.log', '=', log);
  if (from !== undefined) events = events.where('audit_event.id', '>=', beginningOfIds(timeOf(from)));
  if (to !== undefined) events = events.where('audit_event.id', '<', beginningOfIds(timeOf(to) + 1));
  if (equal.action !== undefined) events = events.where('audit_event.action', '=', equal.action);
  if (equal.actor !== undefined) events = events.where('audit_event.actor_id', '=', equal.actor);
  if (equal.target !== undefined) events = events.where('audit_event.target_id', '=', equal.target);
  if (equal.targetType !== undefined) events = events.where('audit_event.target_type', '=', equal.targetType);
  return events;
}

/** Parses a time, limited to the years 1970 to 3000, in which all ids are. */
const timeOf = (time: string): number => Math.min(Math.max(Date.parse(time), 0), 32_503_680_000_000);

const selectOne = statement((db, log: string, id: string) =>
  // guard: audit-event-log
  db
    .selectFrom('audit_event')
    .select(columnsOf(AuditEvent))
    .where('audit_event.log', '=', log)
    .where('audit_event.id', '=', id),
);

export const readAuditEvent = async (db: Db, log: string, id: string): Promise<AuditRow | undefined> =>
  (await selectOne(db, log, id))[0];

/** Streams the audit events of a log, oldest first, reading them in batches. */
export async function* streamAuditEvents(
  db: Db,
  log: string,
  filters: AuditFilters,
): AsyncGenerator<AuditRow, void, undefined> {
  const listed = auditEventsOf(db, log, filters).select(columnsOf(AuditEvent)).limit(BATCH);
  let after = '';
  for (;;) {
    const events = await listed
      .where('audit_event.id', '>', after)
      .orderBy(sql.ref('audit_event.id'), 'asc')
      .execute();
    yield* events;
    if (events.length < BATCH) return;
    after = (events[events.length - 1] as AuditRow).id;
  }
}
