import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, timestamp } from '../columns.ts';
import { DELIVERY_STATUSES } from '../enums.ts';
import { Webhook } from './webhook.ts';

/** The delivery of one event to one webhook: inserted in the transaction of the event, and kept as a log. */
export const WebhookDelivery = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_delivery',
  indexes: [
    { name: 'webhook_delivery_list', properties: ['webhook', 'id'] },
    { name: 'webhook_delivery_retention', properties: ['createdAt'] },
    {
      name: 'webhook_delivery_due',
      properties: ['webhook', 'nextAttemptAt', 'id'],
      where: `"status" = 'pending'`,
    },
  ],
  properties: {
    /** The same in every attempt, so that receivers can drop duplicates. */
    id: id(),
    webhook: () => p.manyToOne(Webhook).mapToPk().deleteRule('cascade'),
    type: p.text(),
    /** The body to send, exactly as it is signed. */
    payload: p.text(),
    status: p.enum(DELIVERY_STATUSES).default('pending'),
    /** The number of attempts so far. */
    attempts: p.integer().default(0),
    /** When the next attempt is due; null once there will be none. */
    nextAttemptAt: timestamp().nullable(),
    /** When the lease of the process making an attempt ends, unless extended: if it was killed, another may take over. */
    leasedUntil: timestamp().nullable(),
    /** No attempts are made after this. */
    retryUntil: timestamp(),
    /** The last attempt: when it began, its duration in milliseconds, and its outcome. */
    attemptedAt: timestamp().nullable(),
    duration: p.integer().nullable(),
    responseStatus: p.integer().nullable(),
    /** The start of the response body. */
    responseBody: p.text().nullable(),
    /** Why there was no response. */
    problem: p.text().nullable(),
    createdAt: createdAt(),
  },
});
export type WebhookDelivery = InferEntity<typeof WebhookDelivery>;
