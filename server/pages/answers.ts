import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ASSETS_TAG } from './assets.ts';
import { type Remembered, today } from './known-pages.ts';
import type { Drawn } from './page.ts';
import type { Visit } from './visit.ts';

/** Bytes of drawn pages that are kept, in the forms in which they are sent. */
const CACHE_BYTES = 24 * 1024 * 1024;

/** What changes without a revision is drawn again after so many milliseconds. */
const LIVE_AGE = 5000;

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const packBrotli = promisify(brotliCompress);
const packGzip = promisify(gzip);

type Encoding = 'br' | 'gzip' | 'identity';

interface Kept {
  tag: string;
  policy: string;
  bodies: Partial<Record<Encoding, Buffer>>;
}

const cache = new LRUCache<string, Kept>({
  maxSize: CACHE_BYTES,
  sizeCalculation: ({ bodies, policy }) =>
    500 + policy.length + Object.values(bodies).reduce((sum, { length }) => sum + length, 0),
});

/** Names all that decides what a page of a visit looks like. */
const keyOf = ({ published, pathname, contextId, base, absoluteBase, place, isPreview }: Visit): string =>
  hash(
    'sha256',
    JSON.stringify([
      published,
      place.siteSpace.id,
      pathname,
      contextId,
      base,
      absoluteBase,
      isPreview,
      today(),
      ASSETS_TAG,
    ]),
    'base64url',
  );

const encodingFor = ({ headers }: FastifyRequest): Encoding => {
  const accepted = String(headers['accept-encoding'] ?? '');
  if (/\bbr\b/.test(accepted)) return 'br';
  return /\bgzip\b/.test(accepted) ? 'gzip' : 'identity';
};

/** Whether what others are shown may be kept by caches between: always asked for again, so that it can be taken back. */
export const cacheControl = ({ isPublic, isMember }: Visit): string =>
  isMember ? 'private, no-store' : isPublic ? 'public, no-cache' : 'private, no-cache';

export const VARY = 'accept-encoding, cookie';

/** A strong tag: one for each encoding of the same page. */
const tagFor = (tag: string, encoding: Encoding) =>
  `"${tag}${encoding === 'identity' ? '' : `-${encoding}`}"`;

const hasTag = ({ headers }: FastifyRequest, tag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some((one) => one.trim() === tag);

/**
 * Sends the page of a visit: nothing but its tag if the browser has it, the kept one if nothing has changed, or else a
 * new one.
 */
export async function sendDrawn(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  { draw, remembered }: { draw: () => Promise<Drawn>; remembered: Remembered | undefined },
): Promise<FastifyReply> {
  if (visit.isMember) return sendOwn(reply, await draw());
  const page = { key: keyOf(visit), cacheControl: cacheControl(visit) };
  // A reply that is awaited is no value: what is sent is told by the promise.
  const sent = sendKept(request, reply, page);
  if (sent) {
    remembered?.keep(visit, page);
    return sent;
  }
  const kept = await drawKept(page.key, draw);
  // What is not there may be there for another visitor, or in a moment.
  if ('status' in kept)
    return sendOnce(reply.headers({ 'cache-control': 'private, no-cache', vary: VARY }), kept);
  remembered?.keep(visit, page);
  return sendBody(request, reply, page, kept);
}

/** Sends the page of a key, or nothing but its tag; undefined if it has to be drawn. */
export function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  page: { key: string; cacheControl: string },
): Promise<FastifyReply> | undefined {
  const { key } = page;
  // A page that would look different tomorrow for the same key has another kind of tag.
  const settled = tagFor(key, encodingFor(request));
  if (hasTag(request, settled)) return sendTag(reply, page, settled);
  const kept = cache.get(key);
  return kept && sendBody(request, reply, page, kept);
}

const sendTag = async (
  reply: FastifyReply,
  page: { cacheControl: string },
  etag: string,
): Promise<FastifyReply> =>
  reply.headers({ 'cache-control': page.cacheControl, vary: VARY, etag }).code(304).send();

async function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  page: { key: string; cacheControl: string },
  kept: Kept,
): Promise<FastifyReply> {
  const encoding = encodingFor(request);
  const etag = tagFor(kept.tag, encoding);
  if (hasTag(request, etag)) return sendTag(reply, page, etag);
  const body = kept.bodies[encoding] ?? (await packed(kept.bodies.identity as Buffer, encoding));
  if (!kept.bodies[encoding]) {
    kept.bodies[encoding] = body;
    cache.set(page.key, kept, { ttl: cache.getRemainingTTL(page.key) || 1 });
  }
  return reply
    .headers({
      'cache-control': page.cacheControl,
      vary: VARY,
      etag,
      'content-security-policy': kept.policy,
      'content-type': 'text/html; charset=utf-8',
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    })
    .send(body);
}

/** A page that is sent as it is, and not kept. */
export const sendOnce = (reply: FastifyReply, { text, policy, status }: Drawn): FastifyReply =>
  reply
    .code(status)
    .headers({ 'content-security-policy': policy, 'content-type': 'text/html; charset=utf-8' })
    .send(text);

/** What a member is shown who is signed in: nobody keeps it, and no search engine lists it. */
const sendOwn = (reply: FastifyReply, drawn: Drawn): FastifyReply =>
  sendOnce(reply.headers({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' }), drawn);

async function drawKept(key: string, draw: () => Promise<Drawn>): Promise<Kept | Drawn> {
  const drawn = await draw();
  if (drawn.status !== 200) return drawn;
  const { text, policy, isSettled } = drawn;
  const kept = {
    tag: isSettled ? key : `${hash('sha256', text, 'base64url')}`,
    policy,
    bodies: { identity: Buffer.from(text) },
  };
  cache.set(key, kept, { ttl: isSettled ? 0 : LIVE_AGE });
  return kept;
}

const packed = async (body: Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br' ? packBrotli(body, BROTLI) : encoding === 'gzip' ? packGzip(body) : body;
