import { sql } from 'kysely';
import { newId } from '../../schema/ids.ts';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import type { EventHook } from '../base/hooks.ts';
import { DomainError } from '../engine/errors.ts';
import type { EventObject } from '../events/events.api.ts';
import { PREPARE, statement } from '../sql/statement.ts';
import { changedSpace, revalidationBody, tagsOf } from './revalidation.ts';
import { RETRY_TIME } from './schedule.ts';

const readEnabled = statement((db, organizations: string[]) =>
  db
    .selectFrom('webhook')
    .select(['id', 'organization_id as organization', 'types', 'space_id as space', 'format'])
    // guard: webhook-disabled
    .where('enabled', '=', true)
    .where((eb) => eb('organization_id', '=', eb.fn.any(eb.val(organizations)))),
);

/** Queues the events of a transaction for the webhooks that subscribe to them. */
export const queueDeliveries: EventHook = async (db, services, events) => {
  const webhooks = await readEnabled(db, [...new Set(events.map(({ organization }) => organization))]);
  const [eventWebhooks, revalidationWebhooks] = [
    webhooks.filter(isOf('event')),
    webhooks.filter(isOf('revalidate')),
  ];
  const messages = events.map((event) => ({
    type: event.type,
    payload: JSON.stringify(event),
    webhooks: eventWebhooks.filter((webhook) => subscribesTo(webhook, event)).map(({ id }) => id),
  }));
  const revalidations =
    revalidationWebhooks.length > 0 ? await revalidationsFor(db, revalidationWebhooks, events) : [];
  await queueMessages(db, services, [...messages, ...revalidations]);
};

type EnabledWebhook = Awaited<ReturnType<typeof readEnabled>>[number];

const isOf =
  (wanted: EnabledWebhook['format']) =>
  ({ format }: EnabledWebhook): boolean =>
    format === wanted;

const subscribesTo = ({ organization, types, space }: EnabledWebhook, event: EventObject): boolean =>
  organization === event.organization &&
  (types.length === 0 || types.includes(event.type)) &&
  // guard: webhook-space-events
  (space === null || ('space' in event && event.space === space));

/** The type of deliveries about changed responses, which are not events. */
export const REVALIDATION = 'revalidate';

const readSitesOfSpaces = statement((db, spaces: string[]) =>
  db
    .selectFrom('site_space')
    .select(['site_id as site', 'space_id as space'])
    .where((eb) => eb('space_id', '=', eb.fn.any(eb.val(spaces)))),
);

/** One message for each webhook, however many events there are; none if the events change no responses. */
async function revalidationsFor(
  db: Db,
  webhooks: readonly EnabledWebhook[],
  events: readonly EventObject[],
): Promise<Message[]> {
  const spaces = [...new Set(events.flatMap((event) => changedSpace(event) ?? []))];
  const shown = spaces.length > 0 ? await readSitesOfSpaces(db, spaces) : [];
  const sitesOf = new Map(
    [...Map.groupBy(shown, ({ space }) => space)].map(([space, rows]) => [
      space,
      rows.map(({ site }) => site),
    ]),
  );
  return webhooks.flatMap((webhook) => {
    const tags = events
      .filter((event) => subscribesTo(webhook, event))
      .flatMap((event) => tagsOf(event, sitesOf));
    if (tags.length === 0) return [];
    return [{ type: REVALIDATION, payload: revalidationBody(tags), webhooks: [webhook.id] }];
  });
}

/** A message to some webhooks. */
interface Message {
  type: string;
  payload: string;
  webhooks: readonly string[];
}

/**
 * Stores deliveries of messages to webhooks, and enqueues the jobs that send them, in the transaction of `db`. Webhooks
 * that were deleted meanwhile are skipped.
 * @returns the ids of the deliveries
 */
export async function queueMessages(
  db: Db,
  { jobs }: Pick<Services, 'jobs'>,
  messages: readonly Message[],
): Promise<string[]> {
  const given = messages.map(({ type, payload, webhooks }) => ({
    type,
    payload,
    to: webhooks.map((webhook) => ({ id: newId(), webhook })),
  }));
  if (given.every(({ to }) => to.length === 0)) return [];
  const now = new Date();
  // guard: webhook-kept
  const { rows: queued } = await sql<{ id: string; webhook: string; organization: string }>`
    insert into webhook_delivery (id, webhook_id, type, payload, next_attempt_at, retry_until, created_at)
    select one.id, one.webhook, given.type, given.payload,
      ${now}::timestamptz, ${new Date(now.getTime() + RETRY_TIME)}::timestamptz, ${now}::timestamptz
    from json_to_recordset(${JSON.stringify(given)}::json) as given (type text, payload text, "to" json),
      json_to_recordset(given."to") as one (id text, webhook text)
      join webhook on webhook.id = one.webhook
    for key share of webhook
    returning id, webhook_id as webhook,
      (select organization_id from webhook where webhook.id = webhook_id) as organization
    ${sql.raw(PREPARE)}`.execute(db);
  const webhooks = new Map(queued.map(({ webhook, organization }) => [webhook, { webhook, organization }]));
  await jobs.enqueue(db, 'deliver-webhook', ...[...webhooks.values()].map((data) => ({ data })));
  return queued.map(({ id }) => id);
}

/**
 * Sends a delivery again, with the same id, whatever the result of the last attempt.
 * @throws DomainError `conflict` if it is still waiting for an attempt
 */
export async function replayDelivery(
  db: Db,
  { jobs }: Pick<Services, 'jobs'>,
  { id, webhook, organization }: { id: string; webhook: string; organization: string },
): Promise<void> {
  const now = new Date();
  const { numUpdatedRows } = await db
    .updateTable('webhook_delivery')
    .set({
      status: 'pending',
      // It is attempted as often, and for as long, as a new delivery.
      // guard: delivery-replay-schedule
      attempts: 0,
      next_attempt_at: now,
      retry_until: new Date(now.getTime() + RETRY_TIME),
    })
    .where('id', '=', id)
    // guard: delivery-replay-pending
    .where('status', '<>', 'pending')
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n)
    throw new DomainError('conflict', 'The delivery is already waiting for its next attempt.');
  await jobs.enqueue(db, 'deliver-webhook', { data: { webhook, organization } });
}
