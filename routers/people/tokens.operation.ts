import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { ApiToken } from '../../schema/entities/api-token.ts';
import type { TokenScope } from '../../schema/enums.ts';
import { hashToken, newToken } from '../tokens.ts';

interface TokenRequest {
  user: string;
  name: string;
  scope: TokenScope;
  /** ISO 8601; without it the token is valid until it is revoked. */
  expiresAt?: string | undefined;
  /** A secret chosen by the operator instead of a random one. */
  secret?: string | undefined;
}

/** Issues an API token. The secret is returned and not stored. */
export function issueToken(em: SqlEntityManager, request: TokenRequest): { token: ApiToken; secret: string } {
  const { user, name, scope, expiresAt, secret = newToken() } = request;
  const token = em.create(ApiToken, {
    user,
    name,
    scope,
    hash: hashToken(secret),
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
  });
  return { token, secret };
}
