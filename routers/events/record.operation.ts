import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { newId } from '../../schema/ids.ts';
import type { Services } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';
import { PREPARE } from '../sql/statement.ts';
import {
  type Attribution,
  type AuditedAction,
  auditEvent,
  auditEventOf,
  SERVICE_ATTRIBUTION,
} from './audit-event.ts';
import { insertAuditEvents, writeAccountEvents, writeAuditEvents } from './audit-events.operation.ts';
import { type EventObject, type NewEvent, PROGRESS_EVENTS, presentEvent } from './events.api.ts';

/** The PostgreSQL channel that announces the id of each organization with new events. */
export const EVENT_CHANNEL = 'colophon_event';

/** What has been recorded so far in a transaction. */
interface Journal {
  attribution: Attribution;
  events: NewEvent[];
  /** Actions on accounts, which belong to no organization. */
  accountActions: { user: string; action: AuditedAction }[];
}

/** A user with the session or token that they use. */
interface Person {
  id: string;
  displayName: string;
  email: string;
  credential?: string | undefined;
}

const journals = new WeakMap<SqlEntityManager, Journal>();

function journalOf(em: SqlEntityManager): Journal {
  let journal = journals.get(em);
  if (!journal) {
    journal = { attribution: SERVICE_ATTRIBUTION, events: [], accountActions: [] };
    journals.set(em, journal);
  }
  return journal;
}

/** Sets the attribution of what a transaction records, except of events that name another actor. */
export function setAttribution(em: SqlEntityManager, attribution: Attribution): void {
  journalOf(em).attribution = attribution;
}

/** Attributes what a transaction records to a user who was not known when it began, such as somebody who signs in. */
export function setActor(em: SqlEntityManager, { id, displayName: name, email, credential }: Person): void {
  const journal = journalOf(em);
  const { attribution } = journal;
  const personal = { ...attribution.personal, name, email };
  journal.attribution = { ...attribution, actor: { type: 'user', id }, credential, personal };
}

/**
 * Records an event in the transaction of a unit of work. It is written right before the commit, so it does not matter when
 * an operation calls this. The events of a transaction keep their order.
 */
export function recordEvent(em: SqlEntityManager, event: NewEvent): void {
  journalOf(em).events.push(event);
}

/**
 * Records an action on a user's account, which is only an audit event, not an event: in the logs of all organizations that
 * they are a member of, or in that of the installation if there is none.
 */
export function recordAccountAction(em: SqlEntityManager, user: string, action: AuditedAction): void {
  journalOf(em).accountActions.push({ user, action });
}

/**
 * Records an action that is only an audit event, not an event.
 * @param log the id of an organization, or that of the log of the installation
 */
export async function recordAuditedAction(
  em: SqlEntityManager,
  log: string,
  action: AuditedAction,
): Promise<void> {
  const event = auditEvent(action, journalOf(em).attribution);
  await writeAuditEvents(kyselyOf(em), [{ log, event }]);
}

/** Writes the events of a transaction and calls the event hooks, as the last thing before its commit. */
export async function publishEvents(em: SqlEntityManager, servicesOf: () => Services): Promise<void> {
  await writeAccountActions(em);
  const events = await writeEvents(em);
  if (events.length === 0) return;
  const services = servicesOf();
  for (const hook of services.eventHooks) await hook(kyselyOf(em), services, events);
}

async function writeAccountActions(em: SqlEntityManager): Promise<void> {
  const { attribution, accountActions } = journalOf(em);
  if (accountActions.length === 0) return;
  await writeAccountEvents(
    kyselyOf(em),
    accountActions.map(({ user, action }) => ({ user, make: () => auditEvent(action, attribution) })),
  );
}

/**
 * Writes the events of a transaction, with their audit events, in one statement. The event counters of the organizations are
 * the last rows that the transaction changes, in the order of their ids (`lock-order.ts`): writers of one organization wait
 * for each other from here to the commit, so that numbers have no gaps and are in the order of the commits.
 */
async function writeEvents(em: SqlEntityManager): Promise<readonly EventObject[]> {
  const { attribution, events } = journalOf(em);
  const causingUser = attribution.actor.type === 'user' ? attribution.actor.id : undefined;
  if (events.length === 0) return [];
  const given = events.map((event, index) => {
    const {
      type,
      organization,
      actor: by = causingUser,
      space,
      collection,
      changeRequest,
      site,
      ...details
    } = {
      space: undefined,
      collection: undefined,
      changeRequest: undefined,
      site: undefined,
      ...event,
    };
    const about = { space, collection, changeRequest, site };
    const audit = PROGRESS_EVENTS.includes(type) ? undefined : auditEventOf(event, attribution);
    return { index, id: newId(), type, organization, actor: by, ...about, details, audit };
  });
  const { rows } = await sql<Parameters<typeof presentEvent>[0]>`
    with given as (
      select given.*, coalesce(given.organization, space.organization_id) as organization_id
      from json_to_recordset(${JSON.stringify(given)}::json) as given (
        index int, id text, type text, organization text, actor text, space text, collection text,
        "changeRequest" text, site text, details jsonb, audit json)
      left join space on space.id = given.space collate "C"
    ), counted as (
      insert into event_counter (organization_id, last)
      select organization_id, count(*) from given group by organization_id order by organization_id
      on conflict (organization_id) do update set last = event_counter.last + excluded.last
      returning organization_id, last, pg_notify(${EVENT_CHANNEL}, organization_id)
    ), audited as (
      ${insertAuditEvents(sql`given.organization_id`, sql`(select * from given where audit is not null) as given, json_to_record(given.audit)`)}
    )
    insert into event (
      id, organization_id, number, type, actor_id, space_id, collection_id, change_request_id, site_id, details,
      created_at)
    select given.id, organization_id,
      counted.last - count(*) over (partition by organization_id)
        + row_number() over (partition by organization_id order by index),
      type, actor, space, collection, "changeRequest", site, details, clock_timestamp()
    from given join counted using (organization_id)
    order by index
    returning id, type, organization_id as organization, actor_id as actor, space_id as space,
      collection_id as collection, change_request_id as "changeRequest", site_id as site, details,
      created_at as "createdAt"
    ${sql.raw(PREPARE)}`.execute(kyselyOf(em));
  return rows.map(presentEvent);
}
