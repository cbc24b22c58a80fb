import fastifyRateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { hashToken } from '../routers/people/tokens.operation.ts';

/** Maximum number of `Authorization` headers whose token is cached. */
const MAX_KNOWN = 10_000;

/**
 * Allows each token `max` requests per minute, and as many for each address without a valid token: made-up tokens gain
 * nothing, and neither do those of visitors, which anyone may get for the asking.
 */
export async function limitRate(app: FastifyInstance, max: number): Promise<void> {
  const tokens = new LRUCache<string, string>({ max: MAX_KNOWN });
  const keyGenerator = async ({ headers: { authorization }, ip, ctx }: FastifyRequest): Promise<string> => {
    if (authorization === undefined) return ip;
    const shown = hashToken(authorization);
    const known = tokens.get(shown);
    if (known !== undefined) return known;
    // If the database is unavailable, the request is let through, and fails later for that reason.
    const caller = await ctx.authenticate().catch(() => null);
    if (caller?.kind !== 'user') return ip;
    tokens.set(shown, caller.token.id);
    return caller.token.id;
  };
  await app.register(fastifyRateLimit, { max, timeWindow: '1 minute', keyGenerator });
}
