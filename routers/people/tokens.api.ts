import { z } from 'zod';
import type { ApiToken } from '../../schema/entities/api-token.ts';
import { TOKEN_SCOPES } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import { isoTime, optionalTime } from '../base/common-schemas.ts';

/** An API token as its owner sees it: never the secret. */
export const TokenObject = z
  .object({
    object: z.literal('token').describe('The type of the object: always `token`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    name: z.string().describe('The name that its owner chose.'),
    scope: z.enum(TOKEN_SCOPES).describe('Whether the token can be used to write, or only to read.'),
    organization: z
      .string()
      .optional()
      .describe('The id of the only organization that the token gives access to; absent for all.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    expiresAt: z.string().optional().describe('When it stops being valid, in ISO 8601 UTC.'),

    lastUsedAt: z
      .string()
      .optional()
      .describe('When it was last used, accurate to a minute; absent if never.'),
  })
  .meta({ id: 'Token', description: 'An API token, without its secret.' });

/** A newly created token, the only time that the secret is shown. */
export const NewTokenObject = TokenObject.extend({
  token: z.string().describe('The token itself; it is shown only here.'),
}).meta({ id: 'NewToken', description: 'An API token with its secret, which is shown only once.' });

export const presentToken = (token: Presentable<ApiToken>): z.infer<typeof TokenObject> => ({
  object: 'token',
  id: token.id,
  name: token.name,
  scope: token.scope,
  organization: token.organization ?? undefined,
  createdAt: isoTime(token.createdAt),
  expiresAt: optionalTime(token.expiresAt),
  lastUsedAt: optionalTime(token.lastUsedAt),
});
