import { WebhookDelivery } from '../../schema/entities/webhook-delivery.ts';
import { newId } from '../../schema/ids.ts';
import { columnsOf } from '../../schema/rows.ts';
import { type Context, type Db, kyselyOf, type Services } from '../context.ts';
import { DomainError } from '../engine/errors.ts';
import type { EventFollower } from '../events/record.operation.ts';
import type { OutboundResponse } from '../ports.ts';
import { statement } from '../statement.ts';
import { nextAttempt, RETRY_TIME } from './schedule.ts';
import { SECRET_PURPOSE, secretsOf } from './secrets.ts';
import { signedHeaders } from './signature.ts';

/** How much of a response is kept, in bytes. */
const RESPONSE_LENGTH = 4096;

const readEnabled = statement((db, organizations: string[]) =>
  db
    .selectFrom('webhook')
    .select(['id', 'organization_id as organization', 'types', 'space_id as space'])
    .where('enabled', '=', true)
    .where((eb) => eb('organization_id', '=', eb.fn.any(eb.val(organizations)))),
);

/** Queues the events of a transaction for the webhooks that want them. */
export const queueDeliveries: EventFollower = async (db, services, events) => {
  const webhooks = await readEnabled(db, [...new Set(events.map(({ organization }) => organization))]);
  const messages = events.flatMap((event) => {
    const payload = JSON.stringify(event);
    return webhooks
      .filter(
        ({ organization, types, space }) =>
          organization === event.organization &&
          (types.length === 0 || types.includes(event.type)) &&
          (space === null || ('space' in event && event.space === space)),
      )
      .map(({ id: webhook }) => ({ webhook, type: event.type, payload }));
  });
  await queueMessages(db, services, messages);
};

interface Message {
  webhook: string;
  type: string;
  payload: string;
}

/** Stores messages to webhooks, and enqueues their first attempts, in the transaction of `db`. */
export async function queueMessages(
  db: Db,
  { jobs }: Pick<Services, 'jobs'>,
  messages: readonly Message[],
): Promise<string[]> {
  if (messages.length === 0) return [];
  const now = new Date();
  const rows = messages.map(({ webhook, type, payload }) => ({
    id: newId(),
    webhook_id: webhook,
    type,
    payload,
    status: 'pending' as const,
    attempts: 0,
    next_attempt_at: now,
    retry_until: new Date(now.getTime() + RETRY_TIME),
    created_at: now,
  }));
  await db.insertInto('webhook_delivery').values(rows).execute();
  await jobs.enqueue(
    db,
    'deliver-webhook',
    ...rows.map(({ id, webhook_id: group }) => ({ data: { delivery: id }, group })),
  );
  return rows.map(({ id }) => id);
}

/**
 * Makes one attempt at a delivery, and enqueues the next one in the transaction that records it. Nothing happens if the
 * delivery is not pending any more. A process that is killed in between leaves its job, which then runs again.
 */
export async function deliver(context: Context, id: string): Promise<void> {
  const { db, services } = context;
  const delivery = await db
    .selectFrom('webhook_delivery')
    .innerJoin('webhook', 'webhook.id', 'webhook_delivery.webhook_id')
    .select(columnsOf(WebhookDelivery))
    .select([
      'webhook.url',
      'webhook.enabled',
      'webhook.secret',
      'webhook.previous_secret as previousSecret',
      'webhook.rotated_at as rotatedAt',
    ])
    .where('webhook_delivery.id', '=', id)
    .where('webhook_delivery.status', '=', 'pending')
    .executeTakeFirst();
  if (!delivery) return;
  const time = new Date();
  const send = (): Promise<OutboundResponse> => {
    const message = { id, time, body: delivery.payload };
    const secrets = secretsOf(delivery, time).map((sealed) => services.signer.open(SECRET_PURPOSE, sealed));
    return services.outbound.post(delivery.url, {
      body: delivery.payload,
      headers: signedHeaders(message, secrets),
      maxBytes: RESPONSE_LENGTH,
    });
  };
  const response = delivery.enabled ? await send() : { problem: 'The webhook is disabled.' };
  await recordAttempt(context, delivery, { time, response, isFinal: !delivery.enabled });
}

/** The receiver wants no more. */
const GONE = 410;

const isSuccess = (response: OutboundResponse): boolean =>
  'status' in response && response.status >= 200 && response.status <= 299;

async function recordAttempt(
  { transaction, services }: Context,
  delivery: { id: string; webhook: string; attempts: number; retryUntil: Date | string },
  { time, response, isFinal }: { time: Date; response: OutboundResponse; isFinal: boolean },
): Promise<void> {
  const { id, webhook } = delivery;
  const attempts = delivery.attempts + 1;
  const now = new Date();
  const isGone = 'status' in response && response.status === GONE;
  const isDelivered = isSuccess(response);
  const next =
    isDelivered || isGone || isFinal
      ? undefined
      : nextAttempt(attempts, now, new Date(delivery.retryUntil), Math.random());
  await transaction(async (em) => {
    const db = kyselyOf(em);
    const { numUpdatedRows } = await db
      .updateTable('webhook_delivery')
      .set({
        status: isDelivered ? 'delivered' : next ? 'pending' : 'failed',
        attempts,
        next_attempt_at: next ?? null,
        attempted_at: time,
        duration: now.getTime() - time.getTime(),
        response_status: 'status' in response ? response.status : null,
        response_body: 'body' in response ? response.body : null,
        problem: 'problem' in response ? response.problem : null,
      })
      .where('id', '=', id)
      .where('status', '=', 'pending')
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return;
    if (next)
      await services.jobs.enqueue(db, 'deliver-webhook', {
        data: { delivery: id },
        startAfter: next,
        group: webhook,
      });
    if (isGone)
      await db
        .updateTable('webhook')
        .set({ enabled: false, updated_at: now })
        .where('id', '=', webhook)
        .execute();
  });
}

/**
 * Sends a delivery again, under the same id, however the last attempt ended.
 * @throws DomainError `conflict` if there will be another attempt anyway
 */
export async function replayDelivery(
  db: Db,
  { jobs }: Pick<Services, 'jobs'>,
  { id, webhook }: { id: string; webhook: string },
): Promise<void> {
  const now = new Date();
  const { numUpdatedRows } = await db
    .updateTable('webhook_delivery')
    .set({ status: 'pending', next_attempt_at: now, retry_until: new Date(now.getTime() + RETRY_TIME) })
    .where('id', '=', id)
    .where('status', '<>', 'pending')
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n)
    throw new DomainError('conflict', 'The delivery is already waiting for its next attempt.');
  await jobs.enqueue(db, 'deliver-webhook', { data: { delivery: id }, group: webhook });
}
