import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import type { PrebuiltResponse } from '../../routers/response/prebuilt-response.ts';

/** Sends stored files as a stream, unless the caller has them already. */
export function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: PrebuiltResponse,
): FastifyReply {
  // Weak: the answer may be compressed on its way.
  const etag = `W/"${answer.tag}"`;
  reply.headers({ 'content-type': answer.contentType, etag });
  if (fresh(request.headers, { etag })) return reply.code(304).send();
  reply.header('content-length', answer.size);
  if (request.method === 'HEAD') return reply.send();
  return reply.send(Readable.from(answer.bytes(), { objectMode: false }));
}
