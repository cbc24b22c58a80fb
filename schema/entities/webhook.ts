import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, timestamp, updatedAt } from '../columns.ts';
import { WEBHOOK_FORMATS } from '../enums.ts';
import { Organization } from './organization.ts';
import { Space } from './space.ts';

/** A URL that events of an organization are sent to. */
export const Webhook = defineEntity({
  name: 'Webhook',
  tableName: 'webhook',
  indexes: [{ name: 'webhook_list', properties: ['organization', 'id'] }],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    url: p.text(),
    description: p.text().default(''),
    /** The types of the events to send; empty for all. */
    types: p.array(),
    /** The only space whose events are sent; null for all of the organization. */
    space: () => p.manyToOne(Space).mapToPk().nullable().deleteRule('cascade').index(),
    format: p.enum(WEBHOOK_FORMATS).default('event'),
    enabled: p.boolean().default(true),
    /** The signing key, encrypted with a key of the installation. */
    secret: p.text(),
    /** The key before the last rotation; deliveries are signed with it too for some time. */
    previousSecret: p.text().nullable(),
    rotatedAt: timestamp().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
export type Webhook = InferEntity<typeof Webhook>;
