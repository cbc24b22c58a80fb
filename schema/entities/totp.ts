import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, timestamp } from '../columns.ts';
import { User } from './user.ts';

/** The authenticator app of a user, whose codes are their second factor (RFC 6238). */
export const Totp = defineEntity({
  name: 'Totp',
  tableName: 'totp',
  properties: {
    user: () => p.manyToOne(User).mapToPk().primary().deleteRule('cascade'),
    /** In base32, encrypted with a key of the installation. */
    secret: p.text(),
    /** When a first code proved that the app has the secret; until then no code is required. */
    confirmedAt: timestamp().nullable(),
    /** The time step of the last accepted code: neither it nor an earlier one is accepted again. */
    lastStep: p.integer().default(0),
    createdAt: createdAt(),
  },
});
export type Totp = InferEntity<typeof Totp>;
