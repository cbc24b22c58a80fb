import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import fresh from 'fresh';

/** The weak ETag of a payload. */
export const entityTag = (payload: string | Buffer): string => `W/"${hash('sha1', payload, 'base64url')}"`;

/** Adds a weak ETag to successful reads, and responds with 304 if the client already has the content. */
export function tagResponses(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    // guard: conditional-reads, conditional-successes
    if (!isRead || !isWhole || reply.statusCode !== 200) return done(null, payload);
    if (!reply.hasHeader('etag')) reply.header('etag', entityTag(payload));
    // guard: conditional-unchanged
    if (!fresh(request.headers, { etag: reply.getHeader('etag') })) return done(null, payload);
    reply.code(304);
    done(null, '');
  });
}
