import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, timestamp } from '../columns.ts';

/** Counts recent attempts at something rate-limited, such as the password of an account. */
export const Attempt = defineEntity({
  name: 'Attempt',
  tableName: 'attempt',
  properties: {
    /** What is attempted, with a hash of the account or the address. */
    key: bytewise().primary(),
    count: p.integer(),
    /** When the count starts over. */
    expiresAt: timestamp().index(),
  },
});
export type Attempt = InferEntity<typeof Attempt>;
