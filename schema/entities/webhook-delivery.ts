import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, timestamp } from '../columns.ts';
import { DELIVERY_STATUSES } from '../enums.ts';
import { Webhook } from './webhook.ts';

/** One event on its way to one webhook: inserted in the transaction of the event, and kept as the record of it. */
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
    /** The same in every attempt, so that receivers can drop repeats. */
    id: id(),
    webhook: () => p.manyToOne(Webhook).mapToPk().deleteRule('cascade'),
    type: p.text(),
    /** The body to send, exactly as it is signed. */
    payload: p.text(),
    status: p.enum(DELIVERY_STATUSES).default('pending'),
    /** Attempts so far. */
    attempts: p.integer().default(0),
    /** When the next attempt is due; null once there will be none. */
    nextAttemptAt: timestamp().nullable(),
    /** Until when a process makes an attempt, unless it extends this: if it is killed, another may make it then. */
    leasedUntil: timestamp().nullable(),
    /** There are no attempts after this. */
    retryUntil: timestamp(),
    /** The last attempt: when it began, how long it took in milliseconds, and what came of it. */
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
