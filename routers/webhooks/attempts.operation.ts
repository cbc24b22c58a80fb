import { sql } from 'kysely';
import type { Webhook } from '../../schema/entities/webhook.ts';
import type { Row } from '../../schema/rows.ts';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import type { OutboundResponse } from '../base/outbound-ports.ts';
import { PREPARE } from '../sql/statement.ts';
import { revalidationHeaders } from './revalidation.ts';
import { nextAttempt } from './schedule.ts';
import { SECRET_PURPOSE, signingSecrets } from './secrets.ts';
import { signedHeaders } from './signature.ts';

/**
 * How long a lease on a delivery lasts unless it is extended, in seconds. Long enough for a busy process, and short because
 * no other process makes the attempt before that if the process is killed.
 */
const LEASE = 6;

/** How much of a response is stored, in bytes. */
const RESPONSE_LENGTH = 4096;

/** Deliveries are counted up to this number. */
const MAX_COUNTED = 10_000;

/** The status by which a receiver asks for no more deliveries. */
// guard: webhook-gone
const GONE = 410;

const prepare = sql.raw(PREPARE);

/** A condition on deliveries: no process has a lease. */
// guard: delivery-leased
const isFree = sql`(leased_until is null or leased_until < now())`;

/** The webhooks with a due delivery that no process is attempting. */
export async function readDueWebhooks(db: Db): Promise<{ webhook: string; organization: string }[]> {
  const { rows } = await sql<{ webhook: string; organization: string }>`
    select id as webhook, organization_id as organization from webhook where exists (
      select from webhook_delivery where webhook_id = webhook.id
        and status = 'pending' and next_attempt_at <= now() and ${isFree})
    ${prepare}`.execute(db);
  return rows;
}

/** The number of deliveries waiting for an attempt, up to a limit, and for how long the oldest has been due, in seconds. */
export async function readBacklog(db: Db): Promise<{ waiting: number; lag: number }> {
  const { rows } = await sql<{ waiting: number; lag: number }>`
    select
      (select count(*)::int from (
        select from webhook_delivery where status = 'pending' limit ${MAX_COUNTED}) pending) as waiting,
      coalesce(extract(epoch from max(now() - first.next_attempt_at)), 0)::float as lag
    from webhook cross join lateral (
      select next_attempt_at from webhook_delivery
      where webhook_id = webhook.id and status = 'pending' and next_attempt_at <= now()
      order by next_attempt_at limit 1) first
    ${prepare}`.execute(db);
  return rows[0] as { waiting: number; lag: number };
}

/** A delivery that this process may attempt. */
export interface LeasedDelivery {
  id: string;
  webhook: string;
  payload: string;
  /** The number of earlier attempts. */
  attempts: number;
  retryUntil: Date | string;
  url: string;
  format: Row<Webhook>['format'];
  enabled: boolean;
  secret: string;
  previousSecret: string | null;
  rotatedAt: Date | string | null;
}

/** Leases due deliveries: for each of the given webhooks those waiting longest, up to its limit. */
export async function leaseDeliveries(
  db: Db,
  wanted: readonly { webhook: string; limit: number }[],
): Promise<LeasedDelivery[]> {
  const { rows } = await sql<LeasedDelivery>`
    with leased as materialized (
      select due.id
      from unnest(${wanted.map(({ webhook }) => webhook)}::text[], ${wanted.map(({ limit }) => limit)}::int[])
        as wanted (webhook, most)
      cross join lateral (
        select id from webhook_delivery
        where webhook_id = wanted.webhook and status = 'pending' and next_attempt_at <= now() and ${isFree}
        order by next_attempt_at, id limit wanted.most
        for update skip locked) as due
    )
    update webhook_delivery set leased_until = now() + make_interval(secs => ${LEASE})
    from leased, webhook
    where webhook_delivery.id = leased.id and webhook.id = webhook_id
    returning webhook_delivery.id, webhook_id as webhook, payload, attempts, retry_until as "retryUntil",
      url, format, enabled, secret, previous_secret as "previousSecret", rotated_at as "rotatedAt"
    ${prepare}`.execute(db);
  return rows;
}

/** Extends the leases of deliveries that are being attempted, without waiting for those that are just being recorded. */
export async function extendLeases(db: Db, ids: readonly string[]): Promise<void> {
  await sql`
    update webhook_delivery set leased_until = now() + make_interval(secs => ${LEASE})
    where id in (
      select id from webhook_delivery where id = any(${ids}::text[]) and status = 'pending'
      for update skip locked) ${prepare}`.execute(db);
}

/** Releases deliveries whose attempts were interrupted. */
export async function endLeases(db: Db, ids: readonly string[]): Promise<void> {
  await sql`update webhook_delivery set leased_until = null where id = any(${ids}::text[])`.execute(db);
}

/** An attempt and its outcome. */
export interface Attempt {
  delivery: LeasedDelivery;
  time: Date;
  /** In milliseconds. */
  duration: number;
  response: OutboundResponse;
}

/** Sends a delivery, unless its webhook was disabled meanwhile. Errors of the receiver are returned, never thrown. */
export async function attempt(
  { outbound, signer }: Pick<Services, 'outbound' | 'signer'>,
  delivery: LeasedDelivery,
): Promise<Attempt> {
  const { id, url, payload: body, format, enabled } = delivery;
  const time = new Date();
  if (!enabled) return { delivery, time, duration: 0, response: { problem: 'The webhook is disabled.' } };
  const secrets = signingSecrets(delivery, time).map((sealed) => signer.open(SECRET_PURPOSE, sealed));
  const headers = {
    ...signedHeaders({ id, time, body }, secrets),
    ...(format === 'revalidate' && revalidationHeaders(body, secrets[0] as string)),
  };
  const started = performance.now();
  const response = await outbound.post(url, { body, headers, maxBytes: RESPONSE_LENGTH });
  return { delivery, time, duration: Math.round(performance.now() - started), response };
}

/** Records attempts, in one statement; a receiver that is gone disables its webhook. */
export async function recordAttempts(db: Db, attempts: readonly Attempt[]): Promise<void> {
  await sql`
    with recorded as (
      update webhook_delivery set status = made.status, attempts = made.attempts,
        next_attempt_at = made."nextAttemptAt", leased_until = null, attempted_at = made.time,
        duration = made.duration, response_status = made."responseStatus",
        response_body = made."responseBody", problem = made.problem
      from json_to_recordset(${JSON.stringify(attempts.map(outcomeOf))}::json) as made (
        id text, status text, attempts int, "nextAttemptAt" timestamptz, time timestamptz, duration int,
        "responseStatus" int, "responseBody" text, problem text)
      where webhook_delivery.id = made.id and webhook_delivery.status = 'pending'
      returning webhook_id, response_status
    )
    update webhook set enabled = false, updated_at = now()
    where id in (select webhook_id from recorded where response_status = ${GONE}) ${prepare}`.execute(db);
}

function outcomeOf({ delivery, time, duration, response }: Attempt) {
  const { id, retryUntil, enabled } = delivery;
  const attempts = delivery.attempts + 1;
  const status = 'status' in response ? response.status : undefined;
  const isDelivered = status !== undefined && status >= 200 && status <= 299;
  const nextAttemptAt =
    isDelivered || status === GONE || !enabled
      ? undefined
      : nextAttempt(attempts, new Date(), new Date(retryUntil), Math.random());
  return {
    id,
    status: isDelivered ? 'delivered' : nextAttemptAt ? 'pending' : 'failed',
    attempts,
    nextAttemptAt,
    time,
    duration,
    responseStatus: status,
    ...('body' in response ? { responseBody: response.body } : { problem: response.problem }),
  };
}
