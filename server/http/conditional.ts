import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fresh from 'fresh';

/** The weak ETag of a payload. */
export const entityTag = (payload: string | Buffer): string => `W/"${hash('sha1', payload, 'base64url')}"`;

/**
 * Whether the client already has the response with this ETag, by `If-None-Match`. `Cache-Control` is not considered: it is for
 * caches, and `fetch()` adds `no-cache` to every request with this header.
 */
export const hasResponse = ({ headers }: FastifyRequest, etag: string): boolean =>
  fresh({ 'if-none-match': headers['if-none-match'] }, { etag });

/**
 * Adds a weak ETag to successful reads, and responds with 304 if the client already has the content. Responses without a body by
 * their status have no `Content-Length`: with 204 it is forbidden, and with 304 it would be that of the content (RFC 9110, 8.6).
 */
export function tagResponses(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    // guard: conditional-reads, conditional-successes
    if (!isRead || !isWhole || reply.statusCode !== 200) return done(null, payload);
    // A string would be encoded three times: for the tag, for its length, and to be sent.
    const body = Buffer.isBuffer(payload) ? payload : Buffer.from(payload);
    if (!reply.hasHeader('etag')) reply.header('etag', entityTag(body));
    // guard: conditional-unchanged
    if (!hasResponse(request, String(reply.getHeader('etag')))) return done(null, body);
    reply.code(304);
    done(null, '');
  });
  app.addHook('onSend', ({ method }, reply, payload, done) => {
    const { statusCode } = reply;
    // guard: no-length-without-body
    if (statusCode !== 204 && statusCode !== 304) return done(null, payload);
    reply.removeHeader('content-length');
    // For HEAD, Fastify adds the length of anything but a stream.
    done(null, method === 'HEAD' ? Readable.from([]) : null);
  });
}
