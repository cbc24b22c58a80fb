import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, timestamp } from '../columns.ts';
import { SIGN_IN_METHODS } from '../enums.ts';
import { Organization } from './organization.ts';
import { User } from './user.ts';

/** A browser in which a user is signed in: only the SHA-256 of its token is kept. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'session',
  indexes: [{ name: 'session_list', properties: ['user', 'id'] }],
  properties: {
    id: id(),
    user: () => p.manyToOne(User).mapToPk().deleteRule('cascade'),
    hash: p.text().unique(),
    method: p.enum(SIGN_IN_METHODS),
    /** Who vouched for the user: the issuer of OpenID Connect, or the id of a SAML provider. */
    provider: p.text().nullable(),
    /** The organization that the SAML provider is of. */
    organization: () => p.manyToOne(Organization).mapToPk().nullable().deleteRule('cascade').index(),
    secondFactor: p.boolean().default(false),
    /** As the browser describes itself, cut off. */
    userAgent: p.text().nullable(),
    /** Where the user signed in from. */
    address: p.text(),
    createdAt: createdAt(),
    /** Coarse: written at most once a minute, with when the session ends unless it is used again. */
    lastSeenAt: timestamp(),
    idleExpiresAt: timestamp(),
    /** When it ends however much it is used. */
    expiresAt: timestamp(),
  },
});
export type Session = InferEntity<typeof Session>;
