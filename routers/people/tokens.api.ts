import { z } from 'zod';
import type { ApiToken } from '../../schema/entities/api-token.ts';
import { TOKEN_SCOPES } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import { isoTime, optionalTime } from '../base/common-schemas.ts';

/** An API token as its owner sees it: never the secret. */
export const TokenObject = z
  .object({
    object: z.literal('token'),
    id: z.string(),
    name: z.string(),
    scope: z.enum(TOKEN_SCOPES),
    organization: z.string().optional().describe('The only organization that it is for, if there is one.'),
    createdAt: z.string(),
    expiresAt: z.string().optional(),
    /** Accurate to a minute. */
    lastUsedAt: z.string().optional(),
  })
  .meta({ id: 'Token' });

/** A newly created token, the only time that the secret is shown. */
export const NewTokenObject = TokenObject.extend({ token: z.string() }).meta({ id: 'NewToken' });

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
