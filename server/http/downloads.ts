import { create as contentDisposition } from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Services } from '../../routers/base/context.ts';
import { codeOf } from '../../routers/base/error-code.ts';
import type { FileStorage } from '../../routers/base/ports.ts';
import { DOWNLOADS, isDownload } from '../../routers/response/downloads.ts';
import { hasResponse } from './conditional.ts';
import { httpError } from './http-errors.ts';

interface DownloadRequest {
  Params: { sha256: string; name: string };
  Querystring: { type?: string; expires?: string; signature?: string };
}

/** Media types that browsers may display inline; all others are downloaded. */
const INLINE_TYPES =
  /^(image\/(png|jpeg|gif|webp|avif|svg\+xml)|video\/|audio\/|application\/pdf$|text\/plain$)/;

/** Maximum number of files in the cache of whether they are UTF-8. */
const MAX_CACHED = 10_000;

/**
 * Serves files at the signed URLs that readers of a space get. Uploads never run as pages: they are sandboxed, their type is
 * not sniffed, and everything but images and the like is downloaded.
 */
export function mountDownloads(app: FastifyInstance, { storage, signer }: Services): void {
  const isUtf8 = utf8Checker(storage);
  app.route<DownloadRequest>({
    method: ['GET', 'HEAD'],
    url: `${DOWNLOADS}:sha256/:name`,
    exposeHeadRoute: false,
    // Ranges and ETags are those of the stored bytes.
    compress: false,
    async handler(request, reply) {
      const { sha256, name } = request.params;
      const { type = '', expires = '', signature = '' } = request.query;
      const download = { sha256, name, contentType: type, expires: Number(expires) };
      if (!isDownload(signer, download, signature, Date.now())) throw notFound();
      const charset = type.startsWith('text/') && (await isUtf8(sha256)) ? '; charset=utf-8' : '';
      return sendStored(request, reply, storage, { sha256, name, contentType: type, charset });
    },
  });
}

const notFound = () => httpError(404, 'There is no such file, or its URL has expired.');

interface StoredFile {
  sha256: string;
  name: string;
  contentType: string;
  /** The parameter that follows the media type, such as `; charset=utf-8`. */
  charset?: string;
}

/** Sends a stored file, or the requested range of it. @throws HttpError 404 if there is none, 416 for a range outside it */
export async function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  storage: FileStorage,
  { sha256, name, contentType, charset = '' }: StoredFile,
): Promise<FastifyReply> {
  const size = await storage.size(sha256);
  if (size === undefined) throw notFound();
  const etag = `"${sha256}"`;
  const range = requestedRange(request, size, etag);
  const isFresh = hasResponse(request, etag);
  if (range === 'unsatisfiable' && !isFresh) {
    reply.header('content-range', `bytes */${size}`);
    throw httpError(416);
  }
  reply.headers({
    'content-type': `${contentType || 'application/octet-stream'}${charset}`,
    // guard: download-name
    'content-disposition': contentDisposition(name, {
      // guard: download-inline-types
      type: INLINE_TYPES.test(contentType) ? 'inline' : 'attachment',
    }),
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=86400, immutable',
    etag,
  });
  // guard: download-unchanged
  if (isFresh) return reply.code(304).send();
  if (request.method === 'HEAD') return reply.header('content-length', size).send();
  if (typeof range !== 'object') return reply.header('content-length', size).send(await storage.read(sha256));
  return reply
    .code(206)
    .headers({
      'content-range': `bytes ${range.start}-${range.end}/${size}`,
      'content-length': range.end - range.start + 1,
    })
    .send(await storage.read(sha256, range));
}

/**
 * The requested range, if there is exactly one. For multiple or invalid ranges, the whole file is sent, as HTTP allows, and
 * also if `If-Range` is not exactly the ETag; a date never matches.
 */
function requestedRange(
  { headers, method }: FastifyRequest,
  size: number,
  etag: string,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const condition = headers['if-range'];
  // guard: download-range-changed
  if (method !== 'GET' || (condition !== undefined && condition !== etag)) return undefined;
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined;
  return start > end || start >= size ? 'unsatisfiable' : { start, end };
}

/** Makes the function that checks whether a whole file is UTF-8; each file is read once. */
function utf8Checker(storage: FileStorage): (sha256: string) => Promise<boolean> {
  const checks = new LRUCache<string, Promise<boolean>>({ max: MAX_CACHED });
  const check = async (sha256: string): Promise<boolean> => {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const stream = await storage.read(sha256);
    try {
      for await (const bytes of stream) decoder.decode(bytes as Buffer, { stream: true });
      decoder.decode();
      return true;
    } catch (error) {
      if (codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') return false;
      checks.delete(sha256);
      throw error;
    }
  };
  return (sha256) => {
    const known = checks.get(sha256) ?? check(sha256);
    checks.set(sha256, known);
    return known;
  };
}
