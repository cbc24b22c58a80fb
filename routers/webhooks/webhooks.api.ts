import { z } from 'zod';
import type { Webhook } from '../../schema/entities/webhook.ts';
import type { WebhookDelivery } from '../../schema/entities/webhook-delivery.ts';
import { DELIVERY_STATUSES, WEBHOOK_FORMATS } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import { isoTime, optionalTime } from '../base/common-schemas.ts';
import { EVENT_TYPES, type EventType } from '../events/events.api.ts';

export const WebhookFormat = z
  .enum(WEBHOOK_FORMATS)
  .describe(
    'What is sent: each event, or with `revalidate` the tags of the cached responses that a renderer of sites must drop, as its `/~gitbook/revalidate` accepts them. The secret of the webhook must then be configured at the renderer.',
  );

/** The public object of a webhook, without the secret, which is shown only once. */
export const WebhookObject = z
  .object({
    object: z.literal('webhook').describe('The type of the object: always `webhook`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    url: z.string().describe('The URL that events are sent to.'),
    description: z.string().describe('A short description of its purpose.'),
    types: z.array(z.enum(EVENT_TYPES)).describe('The types of events that are sent; empty for all.'),
    space: z.string().optional().describe('The id of the only space whose events are sent; absent for all.'),
    format: WebhookFormat.describe('What is sent.'),
    enabled: z
      .boolean()
      .describe('Whether events are sent; set to false when the receiver responds with 410.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    updatedAt: z.string().describe('When it was last changed, in ISO 8601 UTC.'),
  })
  .meta({ id: 'Webhook', description: 'A URL that events are sent to.' });

export const WebhookWithSecret = WebhookObject.extend({
  secret: z
    .string()
    .describe('The secret that signs deliveries according to Standard Webhooks; it is shown only here.'),
}).meta({
  id: 'WebhookWithSecret',
  description: 'A webhook with the secret that signs its requests, which is shown only once.',
});

export const presentWebhook = (
  webhook: Omit<Presentable<Webhook>, 'secret' | 'previousSecret' | 'rotatedAt'>,
): z.infer<typeof WebhookObject> => ({
  object: 'webhook',
  id: webhook.id,
  url: webhook.url,
  description: webhook.description,
  types: webhook.types as EventType[],
  space: webhook.space ?? undefined,
  format: webhook.format,
  enabled: webhook.enabled,
  createdAt: isoTime(webhook.createdAt),
  updatedAt: isoTime(webhook.updatedAt),
});

/** The public object of a delivery, with its last attempt. */
export const WebhookDeliveryObject = z
  .object({
    object: z.literal('webhook-delivery').describe('The type of the object: always `webhook-delivery`.'),
    id: z
      .string()
      .describe('The id of the delivery, which is sent as `webhook-id` and is the same in every attempt.'),
    webhook: z.string().describe('The id of the webhook.'),
    type: z.string().describe('The type of the event, or `revalidate`.'),
    status: z
      .enum(DELIVERY_STATUSES)
      .describe('Whether it was delivered, is waiting for an attempt, or has failed for good.'),
    attempts: z.number().int().describe('The number of attempts since it was created or last replayed.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    nextAttemptAt: z.string().optional().describe('When the next attempt is due.'),
    attemptedAt: z.string().optional().describe('When the last attempt was made.'),
    duration: z.number().int().optional().describe('The duration of the last attempt, in milliseconds.'),
    request: z
      .object({ body: z.string().describe('The body of the request.') })
      .describe('The request of the delivery.'),
    response: z
      .object({
        status: z.number().int().describe('The HTTP status of the response.'),
        body: z.string().describe('The beginning of the response body.'),
      })
      .optional()
      .describe('The last response, with its body truncated to 4 kB.'),
    problem: z.string().optional().describe('Why the last attempt got no response.'),
  })
  .meta({ id: 'WebhookDelivery', description: 'An event that was sent, or is to be sent, to a webhook.' });

export const presentDelivery = (
  delivery: Presentable<WebhookDelivery>,
): z.infer<typeof WebhookDeliveryObject> => ({
  object: 'webhook-delivery',
  id: delivery.id,
  webhook: delivery.webhook,
  type: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts,
  createdAt: isoTime(delivery.createdAt),
  nextAttemptAt: optionalTime(delivery.nextAttemptAt),
  attemptedAt: optionalTime(delivery.attemptedAt),
  duration: delivery.duration ?? undefined,
  request: { body: delivery.payload },
  ...(typeof delivery.responseStatus === 'number' && {
    response: { status: delivery.responseStatus, body: delivery.responseBody ?? '' },
  }),
  problem: delivery.problem ?? undefined,
});
