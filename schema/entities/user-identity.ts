import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, timestamp } from '../columns.ts';
import { User } from './user.ts';

/** A user's account at an OpenID Connect provider of the installation. */
export const UserIdentity = defineEntity({
  name: 'UserIdentity',
  tableName: 'user_identity',
  uniques: [{ name: 'user_identity_subject', properties: ['issuer', 'subject'] }],
  indexes: [{ name: 'user_identity_list', properties: ['user', 'id'] }],
  properties: {
    id: id(),
    user: () => p.manyToOne(User).mapToPk().deleteRule('cascade'),
    /** The issuer's URL, and its identifier for the person, which it never reassigns. */
    issuer: p.text(),
    subject: p.text(),
    /** The verified e-mail address by which it was linked. */
    email: p.text(),
    createdAt: createdAt(),
    lastUsedAt: timestamp(),
  },
});
export type UserIdentity = InferEntity<typeof UserIdentity>;
