import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { INSTALLATION_LOG, type NewAuditEvent } from './audit-event.ts';

/** The fields of `NewAuditEvent`, as columns for `json_to_record`. */
const AUDIT_EVENT_RECORD = sql`(
  id text, action text, "actorType" text, actor text, source text, "targetType" text, target text, payload jsonb,
  credential text, request text, "createdAt" timestamptz, person text, personal jsonb, salt text, "personalDigest" text)`;

/**
 * Inserts audit events, which are numbered and sealed later.
 * @param log an expression for the log of each event
 * @param source a `from` list that ends with a function whose records are the events
 */
export const insertAuditEvents = (log: RawBuilder<unknown>, source: RawBuilder<unknown>) => sql`
  insert into audit_event (
    log, id, action, actor_type, actor_id, source, target_type, target_id, payload, credential_id, request_id,
    created_at, person_id, personal, salt, personal_digest)
  select ${log}, audited.id, audited.action, "actorType", audited.actor, audited.source, "targetType", audited.target,
    audited.payload, credential, request, "createdAt", person, personal, salt, "personalDigest"
  from ${source} as audited ${AUDIT_EVENT_RECORD}`;

/** Inserts audit events, each into its log. */
export async function writeAuditEvents(
  db: Db,
  events: readonly { log: string; event: NewAuditEvent }[],
): Promise<void> {
  if (events.length === 0) return;
  const given = JSON.stringify(events.map(({ log, event }) => ({ log, event })));
  const source = sql`json_to_recordset(${given}::json) as given (log text, event json), json_to_record(given.event)`;
  await insertAuditEvents(sql`given.log`, source).execute(db);
}

/**
 * Inserts audit events about user accounts, into the logs of all organizations that a user is a member of, or into that of
 * the installation if there is none.
 * @param actions `make` makes a new event for each log
 */
export async function writeAccountEvents(
  db: Db,
  actions: readonly { user: string; make: () => NewAuditEvent }[],
): Promise<void> {
  const users = [...new Set(actions.map(({ user }) => user))];
  const memberships = await db
    .selectFrom('member')
    .select(['user_id as user', 'organization_id as log'])
    .where('user_id', '=', sql<string>`any(${users}::text[])`)
    .execute();
  const logsOf = (user: string) => {
    const logs = memberships.filter((membership) => membership.user === user).map(({ log }) => log);
    return logs.length > 0 ? logs : [INSTALLATION_LOG];
  };
  await writeAuditEvents(
    db,
    actions.flatMap(({ user, make }) => logsOf(user).map((log) => ({ log, event: make() }))),
  );
}
