import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { Organization } from './organization.ts';

/** The number of an organization's last event. Locked only from the last statement of a transaction to its commit. */
export const EventCounter = defineEntity({
  name: 'EventCounter',
  tableName: 'event_counter',
  primaryKeys: ['organization'],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    last: p.bigint('number'),
  },
});
export type EventCounter = InferEntity<typeof EventCounter>;
