import { TRPCError } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDownload } from '../routers/content/downloads.ts';
import type { Services } from '../routers/context.ts';

interface DownloadRequest {
  Params: { sha256: string; name: string };
  Querystring: { type?: string; expires?: string; signature?: string };
}

/** Types that a browser may show in place. Anything else is saved, whatever it claims to be. */
const SHOWN = /^(image\/(png|jpeg|gif|webp|avif|svg\+xml)|video\/|audio\/|application\/pdf$|text\/plain$)/;

/**
 * Serves the bytes of files at the signed addresses that readers of a space are given. What people upload never runs
 * as a page: it is sandboxed, its type is not guessed, and all but pictures and the like is saved.
 */
export function mountDownloads(app: FastifyInstance, { storage, signer }: Services): void {
  app.get<DownloadRequest>('/files/:sha256/:name', async (request, reply) => {
    const { sha256, name } = request.params;
    const { type = '', expires = '', signature = '' } = request.query;
    const download = { sha256, name, contentType: type, expires: Number(expires) };
    if (!isDownload(signer, download, signature, Date.now())) throw gone();
    const size = await storage.size(sha256);
    if (size === undefined) throw gone();
    const range = requestedRange(request, size);
    reply.headers({
      'content-type': type || 'application/octet-stream',
      'content-disposition': `${SHOWN.test(type) ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(name)}`,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=86400, immutable',
      etag: `"${sha256}"`,
    });
    if (request.headers['if-none-match'] === `"${sha256}"`) return reply.code(304).send();
    if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${size}`).send();
    if (range) {
      reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
      return send(reply, range.end - range.start + 1, await storage.read(sha256, range));
    }
    return send(reply, size, await storage.read(sha256));
  });
}

const gone = () =>
  new TRPCError({ code: 'NOT_FOUND', message: 'There is no such file, or its address has expired.' });

const send = (reply: FastifyReply, length: number, bytes: NodeJS.ReadableStream) =>
  reply.header('content-length', length).send(bytes);

/** The one range asked for; several at once, or what is no byte range, is answered with the whole, as HTTP allows. */
function requestedRange(
  request: FastifyRequest,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined;
  return start > end || start >= size ? 'unsatisfiable' : { start, end };
}
