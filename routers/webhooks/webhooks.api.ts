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
    'What is sent: each event, or with `revalidate` the tags of the responses that a renderer of sites must not keep after it, as its `/~gitbook/revalidate` takes them. The secret of the webhook is then the one of the renderer.',
  );

/** The public object of a webhook; its secret is shown only when it is made. */
export const WebhookObject = z
  .object({
    object: z.literal('webhook').describe('The type of the object: always `webhook`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    url: z.string().describe('Where events are sent.'),
    description: z.string().describe('A short description of its purpose.'),
    types: z.array(z.enum(EVENT_TYPES)).describe('The types of the events that are sent; empty for all.'),
    space: z.string().optional().describe('The only space whose events are sent.'),
    format: WebhookFormat.describe('How events are written.'),
    enabled: z.boolean().describe('Set to false when the receiver responds with 410.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    updatedAt: z.string().describe('When it was last changed, in ISO 8601 UTC.'),
  })
  .meta({ id: 'Webhook', description: 'An address that events are sent to.' });

export const WebhookWithSecret = WebhookObject.extend({
  secret: z.string().describe('Signs deliveries according to Standard Webhooks. Shown only now.'),
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
    id: z.string().describe('Sent as `webhook-id`, and the same in every attempt.'),
    webhook: z.string().describe('The id of the webhook.'),
    type: z.string().describe('The kind of event.'),
    status: z
      .enum(DELIVERY_STATUSES)
      .describe('Whether it arrived, waits to be sent again, or was given up.'),
    attempts: z.number().int().describe('Since it was last replayed.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    nextAttemptAt: z.string().optional().describe('When it is sent again.'),
    attemptedAt: z.string().optional().describe('When it was last sent.'),
    duration: z.number().int().optional().describe('Milliseconds that the last attempt took.'),
    request: z.object({ body: z.string().describe('The body, as it was sent.') }).describe('What was sent.'),
    response: z
      .object({
        status: z.number().int().describe('The HTTP status of the answer.'),
        body: z.string().describe('The beginning of the answer.'),
      })
      .optional()
      .describe('The last response; its body is cut to 4 kB.'),
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
