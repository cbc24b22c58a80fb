import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, timestamp } from '../columns.ts';
import { TOKEN_SCOPES } from '../enums.ts';
import { Organization } from './organization.ts';
import { User } from './user.ts';

/** An API token: only the SHA-256 of the secret is kept. */
export const ApiToken = defineEntity({
  name: 'ApiToken',
  tableName: 'api_token',
  indexes: [{ name: 'api_token_list', properties: ['user', 'id'] }],
  properties: {
    id: id(),
    user: () => p.manyToOne(User).mapToPk().deleteRule('cascade'),
    /** The only organization that the token gives access to; null for all of the user's. */
    organization: () => p.manyToOne(Organization).mapToPk().nullable().deleteRule('cascade').index(),
    name: p.text(),
    hash: p.text().unique(),
    scope: p.enum(TOKEN_SCOPES),
    expiresAt: timestamp().nullable(),
    /** Coarse: written at most once a minute. */
    lastUsedAt: timestamp().nullable(),
    createdAt: createdAt(),
  },
});
export type ApiToken = InferEntity<typeof ApiToken>;
