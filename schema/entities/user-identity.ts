import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, timestamp } from '../columns.ts';
import { User } from './user.ts';

/** An account at an identity provider of the installation that signs a user in. */
export const UserIdentity = defineEntity({
  name: 'UserIdentity',
  tableName: 'user_identity',
  uniques: [{ name: 'user_identity_subject', properties: ['issuer', 'subject'] }],
  indexes: [{ name: 'user_identity_list', properties: ['user', 'id'] }],
  properties: {
    id: id(),
    user: () => p.manyToOne(User).mapToPk().deleteRule('cascade'),
    /** Whose account it is: the issuer's URL, and what it calls the person, which it gives to nobody else. */
    issuer: p.text(),
    subject: p.text(),
    /** The verified address that it was linked by. */
    email: p.text(),
    createdAt: createdAt(),
    lastUsedAt: timestamp(),
  },
});
export type UserIdentity = InferEntity<typeof UserIdentity>;
