import { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { runFor } from '../../routers/base/caller.ts';
import type { JsonLines } from '../../routers/response/json-lines.ts';

/** Bytes of lines that are sent in one piece, more or less. */
const PIECE = 64 * 1024;

/** Sends JSON lines as they are read; a failure on the way breaks them off. */
export function sendJsonLines(request: FastifyRequest, reply: FastifyReply, lines: JsonLines): FastifyReply {
  reply
    .type('application/x-ndjson; charset=utf-8')
    .header('content-disposition', contentDisposition(lines.name))
    .header('x-content-type-options', 'nosniff');
  if (request.method === 'HEAD') return reply.send('');
  const { caller } = lines;
  const open = () => Readable.from(pieces(lines), { objectMode: false, highWaterMark: PIECE });
  const output = caller ? runFor(caller, open) : open();
  output.on('error', (error) => request.log.error({ requestId: request.id, err: error }, 'an export failed'));
  return reply.send(output);
}

async function* pieces(lines: JsonLines): AsyncGenerator<string, void, undefined> {
  let piece = '';
  for await (const line of lines.objects()) {
    piece += `${JSON.stringify(line)}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
