import { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StreamedResponse } from '../../routers/response/streamed-response.ts';
import { hasResponse } from './conditional.ts';
import { requestFields } from './request-log.ts';

/** Sends a response while it is read, unless the client already has it; if reading fails, the response is aborted. */
export function sendStreamed(
  request: FastifyRequest,
  reply: FastifyReply,
  response: StreamedResponse,
): FastifyReply {
  const { contentType, fileName, tag, size } = response;
  reply.type(contentType);
  if (fileName !== undefined)
    reply.headers({
      'content-disposition': contentDisposition(fileName),
      'x-content-type-options': 'nosniff',
    });
  if (tag !== undefined) {
    // Weak, since the response may be compressed.
    const etag = `W/"${tag}"`;
    reply.header('etag', etag);
    if (hasResponse(request, etag)) return reply.code(304).send();
  }
  if (size !== undefined) reply.header('content-length', size);
  // Neither a length nor a tag, if the response has none: those of an empty text would be wrong.
  if (request.method === 'HEAD') return size === undefined ? reply.send(Readable.from([])) : reply.send();
  const stream = response.stream();
  stream.on('error', (error) =>
    request.log.error({ ...requestFields(request), err: error }, 'a response was aborted'),
  );
  return reply.send(stream);
}
