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
    /** Since when the user reaches nothing: neither tokens nor sessions of theirs count. */
    disabledAt: timestamp().nullable(),
    photoURL: p.text().fieldName('photo_url').nullable(),
    createdAt: createdAt(),
  },
});
export type User = InferEntity<typeof User>;
