import fastifyRateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { hashToken } from '../routers/people/tokens.operation.ts';

/** Headers whose token is remembered, so that it is looked up once. */
const MAX_KNOWN = 10_000;

/**
 * Lets each token make `max` requests a minute, and as many each address that shows no token of ours: who makes tokens
 * up gains nothing by it.
 */
export async function limitRate(app: FastifyInstance, max: number): Promise<void> {
  const tokens = new LRUCache<string, string>({ max: MAX_KNOWN });
  const keyGenerator = async ({ headers: { authorization }, ip, ctx }: FastifyRequest): Promise<string> => {
    if (authorization === undefined) return ip;
    const shown = hashToken(authorization);
    const known = tokens.get(shown);
    if (known !== undefined) return known;
    // While the database cannot tell, the request is let through to where it fails for that reason.
    const actor = await ctx.authenticate().catch(() => null);
    if (!actor) return ip;
    tokens.set(shown, actor.token.id);
    return actor.token.id;
  };
  await app.register(fastifyRateLimit, { max, timeWindow: '1 minute', keyGenerator });
}
