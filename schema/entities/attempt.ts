import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, timestamp } from '../columns.ts';

/** How often something that is bounded was tried lately, such as the password of an account. */
export const Attempt = defineEntity({
  name: 'Attempt',
  tableName: 'attempt',
  properties: {
    /** What is tried, and a hash of whose or from where. */
    key: bytewise().primary(),
    count: p.integer(),
    /** When counting starts over. */
    expiresAt: timestamp().index(),
  },
});
export type Attempt = InferEntity<typeof Attempt>;
