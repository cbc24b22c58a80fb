import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, timestamp } from '../columns.ts';
import { SIGN_IN_METHODS } from '../enums.ts';
import { Organization } from './organization.ts';
import { User } from './user.ts';

/** A browser session of a user: only the SHA-256 of its token is stored. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'session',
  indexes: [{ name: 'session_list', properties: ['user', 'id'] }],
  properties: {
    id: id(),
    user: () => p.manyToOne(User).mapToPk().deleteRule('cascade'),
    hash: p.text().unique(),
    method: p.enum(SIGN_IN_METHODS),
    /** The identity provider: the issuer of OpenID Connect, or the id of a SAML provider. */
    provider: p.text().nullable(),
    /** The organization of the SAML provider. */
    organization: () => p.manyToOne(Organization).mapToPk().nullable().deleteRule('cascade').index(),
    secondFactor: p.boolean().default(false),
    /** The User-Agent header of the browser, truncated. */
    userAgent: p.text().nullable(),
    /** The IP address that the user signed in from. */
    address: p.text(),
    createdAt: createdAt(),
    /** Coarse: written at most once a minute, together with the time at which the session ends if it is not used. */
    lastSeenAt: timestamp(),
    idleExpiresAt: timestamp(),
    /** When it ends even if it is used. */
    expiresAt: timestamp(),
  },
});
export type Session = InferEntity<typeof Session>;
