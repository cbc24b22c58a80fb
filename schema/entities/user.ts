import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, timestamp } from '../columns.ts';

/** A person who signs in, in any number of organizations. */
export const User = defineEntity({
  name: 'User',
  tableName: 'user',
  properties: {
    id: id(),
    displayName: p.text(),
    /** Stored in lower case, so that an address matches however it is typed. */
    email: p.text().unique(),
    /** When the address was verified; required for joining by e-mail domain. */
    emailVerifiedAt: timestamp().nullable(),
    /** When the user was disabled: none of their tokens and sessions are valid. */
    disabledAt: timestamp().nullable(),
    photoURL: p.text().fieldName('photo_url').nullable(),
    createdAt: createdAt(),
  },
});
export type User = InferEntity<typeof User>;
