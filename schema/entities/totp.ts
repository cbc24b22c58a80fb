import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, timestamp } from '../columns.ts';
import { User } from './user.ts';

/** The authenticator app of a user, whose codes are their second factor (RFC 6238). */
export const Totp = defineEntity({
  name: 'Totp',
  tableName: 'totp',
  properties: {
    user: () => p.manyToOne(User).mapToPk().primary().deleteRule('cascade'),
    /** In base32, sealed. */
    secret: p.text(),
    /** When a first code proved that the app has the secret; nothing is asked before. */
    confirmedAt: timestamp().nullable(),
    /** The time step of the last code that was taken: neither it nor an earlier one is taken again. */
    lastStep: p.integer().default(0),
    createdAt: createdAt(),
  },
});
export type Totp = InferEntity<typeof Totp>;
