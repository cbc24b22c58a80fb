import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, timestamp } from '../columns.ts';

/** A person who signs in, in any number of organizations. */
export const User = defineEntity({
  name: 'User',
  tableName: 'user',
  properties: {
    id: id(),
    displayName: p.text(),
    /** Kept in lower case: an address names one person however it was typed. */
    email: p.text().unique(),
    /** When the address was proved to belong to the user; joining by e-mail domain needs it. */
    emailVerifiedAt: timestamp().nullable(),
    photoURL: p.text().fieldName('photo_url').nullable(),
    createdAt: createdAt(),
  },
});
export type User = InferEntity<typeof User>;
