import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { newId } from '../../schema/ids.ts';
import { type Db, kyselyOf, type Services } from '../context.ts';
import { PREPARE } from '../statement.ts';
import { type EventObject, type NewEvent, presentEvent } from './events.api.ts';

/** The channel of PostgreSQL on which the id of each organization with new events is announced. */
export const EVENT_CHANNEL = 'colophon_event';

/** What happened so far in a transaction. */
interface Journal {
  /** The user whose request it is. */
  actor: string | undefined;
  events: NewEvent[];
}

const journals = new WeakMap<SqlEntityManager, Journal>();

function journalOf(em: SqlEntityManager): Journal {
  let journal = journals.get(em);
  if (!journal) {
    journal = { actor: undefined, events: [] };
    journals.set(em, journal);
  }
  return journal;
}

/** Attributes the events of a transaction to a user, except those that name another actor. */
export function setActor(em: SqlEntityManager, actor: string): void {
  journalOf(em).actor = actor;
}

/**
 * Records an event in the transaction of a unit of work. It is written right before the commit, so it does not matter
 * when in an operation this is called; events of one transaction keep their order.
 */
export function recordEvent(em: SqlEntityManager, event: NewEvent): void {
  journalOf(em).events.push(event);
}

/** Called in the transaction of new events, once they are written. Listed in `routers/followers.ts`. */
export type EventFollower = (db: Db, services: Services, events: readonly EventObject[]) => Promise<void>;

/** Writes the events of a transaction and whatever follows from them: the last thing before its commit. */
export async function publishEvents(em: SqlEntityManager, servicesOf: () => Services): Promise<void> {
  const events = await writeEvents(em);
  if (events.length === 0) return;
  const services = servicesOf();
  for (const follow of services.eventFollowers) await follow(kyselyOf(em), services, events);
}

/**
 * Writes the events of a transaction in one statement. The counters of their organizations are the last rows that it
 * changes, in the order of their ids (`lock-order.ts`): writers of one organization wait for each other from here to the
 * commit, so that numbers have no gaps and are in the order of the commits.
 */
async function writeEvents(em: SqlEntityManager): Promise<readonly EventObject[]> {
  const { actor, events } = journalOf(em);
  if (events.length === 0) return [];
  const given = events.map((event, index) => {
    const {
      type,
      organization,
      actor: by = actor,
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
    return { index, id: newId(), type, organization, actor: by, ...about, details };
  });
  const { rows } = await sql<Parameters<typeof presentEvent>[0]>`
    with given as (
      select given.*, coalesce(given.organization, space.organization_id) as organization_id
      from json_to_recordset(${JSON.stringify(given)}::json) as given (
        index int, id text, type text, organization text, actor text, space text, collection text,
        "changeRequest" text, site text, details jsonb)
      left join space on space.id = given.space collate "C"
    ), counted as (
      insert into event_counter (organization_id, last)
      select organization_id, count(*) from given group by organization_id order by organization_id
      on conflict (organization_id) do update set last = event_counter.last + excluded.last
      returning organization_id, last, pg_notify(${EVENT_CHANNEL}, organization_id)
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
