import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { ApiToken } from '../../schema/entities/api-token.ts';
import type { TokenScope } from '../../schema/enums.ts';
import { kyselyOf } from '../base/db.ts';
import { hashSecret, newSecret } from '../base/secrets.ts';
import { recordAccountAction } from '../events/record.operation.ts';
import { deleteRows } from '../sql/delete-rows.ts';

/** Makes leaked tokens recognizable to people and to secret scanners. */
const PREFIX = 'colophon_';

/** A new API token: a prefix and 256 random bits. Shown once; only its hash is kept. */
export const newToken = (): string => PREFIX + newSecret();

interface TokenRequest {
  user: string;
  /** The only organization that the token gives access to; null for all. */
  organization?: string | null;
  name: string;
  scope: TokenScope;
  /** ISO 8601; without it the token is valid until it is revoked. */
  expiresAt?: string | undefined;
  /** A secret chosen by the operator instead of a random one. */
  secret?: string | undefined;
}

/** Issues an API token. The secret is returned and not stored. */
export function issueToken(em: SqlEntityManager, request: TokenRequest): { token: ApiToken; secret: string } {
  const { user, organization = null, name, scope, expiresAt, secret = newToken() } = request;
  const token = em.create(ApiToken, {
    user,
    organization,
    name,
    scope,
    hash: hashSecret(secret),
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
  });
  recordAccountAction(em, user, {
    action: 'token.created',
    targetType: 'token',
    target: token.id,
    payload: { user, scope },
  });
  return { token, secret };
}

/** Restricts tokens to those of a user, and to those limited to an organization. */
interface TokenOwner {
  user?: string;
  organization?: string;
}

/** Revokes a token, optionally only of a certain owner. @returns false if there is no such token */
export async function revokeToken(
  em: SqlEntityManager,
  id: string,
  owner: TokenOwner = {},
): Promise<boolean> {
  const token = await em.findOne(ApiToken, { id, ...owner });
  if (!token || (await deleteRows(kyselyOf(em), 'api_token', { id })) === 0) return false;
  const { user } = token;
  recordAccountAction(em, user, {
    action: 'token.revoked',
    targetType: 'token',
    target: id,
    payload: { user },
  });
  return true;
}
