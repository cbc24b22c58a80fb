import fastifyRateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { hashSecret } from '../../routers/base/secrets.ts';

/** Maximum number of tokens and sessions that are cached. */
const MAX_CACHED = 10_000;

/**
 * Allows `max` requests per minute for each token and each session, and for each address without a valid token. So made-up
 * tokens gain nothing, and neither do visitors' tokens, which anyone can get.
 */
export async function limitRate(app: FastifyInstance, max: number): Promise<void> {
  const credentialIds = new LRUCache<string, string>({ max: MAX_CACHED });
  const keyGenerator = async ({ headers: { authorization }, ctx }: FastifyRequest): Promise<string> => {
    const { address } = ctx.browser;
    const secret = authorization ?? ctx.browser.token('session');
    if (secret === undefined) return address;
    const tokenHash = hashSecret(secret);
    const credentialId = credentialIds.get(tokenHash);
    if (credentialId !== undefined) return credentialId;
    // If the database is unavailable, the request passes, and fails later for that reason.
    const caller = await ctx.authenticate().catch(() => null);
    if (caller?.kind !== 'user') return address;
    credentialIds.set(tokenHash, caller.credential.id);
    // guard: rate-limit-by-token
    return caller.credential.id;
  };
  // guard: rate-limit
  await app.register(fastifyRateLimit, { max, timeWindow: '1 minute', keyGenerator });
}
