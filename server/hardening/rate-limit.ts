import fastifyRateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { hashToken } from '../../routers/people/tokens.operation.ts';

/** Maximum number of tokens and sessions that are cached. */
const MAX_CACHED = 10_000;

/**
 * Allows each token and each session `max` requests per minute, and as many for each address without a valid token: made-up tokens gain
 * nothing, and neither do those of visitors, which anyone may get for the asking.
 */
export async function limitRate(app: FastifyInstance, max: number): Promise<void> {
  const credentialIds = new LRUCache<string, string>({ max: MAX_CACHED });
  const keyGenerator = async ({ headers: { authorization }, ip, ctx }: FastifyRequest): Promise<string> => {
    const secret = authorization ?? ctx.browser.token('session');
    if (secret === undefined) return ip;
    const tokenHash = hashToken(secret);
    const credentialId = credentialIds.get(tokenHash);
    if (credentialId !== undefined) return credentialId;
    // If the database is unavailable, the request is let through, and fails later for that reason.
    const caller = await ctx.authenticate().catch(() => null);
    if (caller?.kind !== 'user') return ip;
    credentialIds.set(tokenHash, caller.credential.id);
    return caller.credential.id;
  };
  await app.register(fastifyRateLimit, { max, timeWindow: '1 minute', keyGenerator });
}
