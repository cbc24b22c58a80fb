import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { DOWNLOADS } from '../../routers/response/downloads.ts';
import { CODE_TAG } from './code-tag.ts';
import type { Remembered } from './known-pages.ts';
import type { Drawn } from './page.ts';
import type { Elsewhere, Visit } from './visit.ts';

/** Bytes of drawn pages that are kept, in the forms in which they are sent. */
const CACHE_BYTES = 24 * 1024 * 1024;

/** What changes without a revision is drawn again after so many milliseconds, and what is not complete. */
const LIVE_AGE = 5000;
const INCOMPLETE_AGE = 500;

const DAY = 86_400_000;

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const packBrotli = promisify(brotliCompress);
const packGzip = promisify(gzip);

type Encoding = 'br' | 'gzip' | 'identity';

interface Kept {
  /** Undefined for a page that is not complete: a tag is the same in every process, and how far they got is not. */
  tag: string | undefined;
  /** The only day of a page whose files have other addresses on the next one. */
  day: number | undefined;
  policy: string;
  bodies: Map<Encoding, Promise<Buffer>>;
}

const cache = new LRUCache<string, Kept & { size: number }>({
  maxSize: CACHE_BYTES,
  // Both compressed forms together are taken for as large again.
  sizeCalculation: ({ size, policy }) => 500 + policy.length + size * 2,
});

/** Names all that decides what a page of a visit looks like, but for the day. */
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
      CODE_TAG,
    ]),
    'base64url',
  );

/** The number of the day by UTC. */
const today = (): number => Math.floor(Date.now() / DAY);

const encodingFor = ({ headers }: FastifyRequest): Encoding => {
  const accepted = String(headers['accept-encoding'] ?? '');
  if (/\bbr\b/.test(accepted)) return 'br';
  return /\bgzip\b/.test(accepted) ? 'gzip' : 'identity';
};

/** Whether what others are shown may be kept by caches between: always asked for again, so that it can be taken back. */
export const cacheControl = ({ isPublic, isMember }: Visit): string =>
  isMember ? 'private, no-store' : isPublic ? 'public, no-cache' : 'private, no-cache';

export const VARY = 'accept-encoding, cookie';

/** A page that depends on the day says so in its tag, so that a tag tells by itself whether it still counts. */
const dated = (key: string, day: number): string => `${key}.${day}`;

/** A strong tag: one for each encoding of the same page. */
const tagFor = (tag: string, encoding: Encoding) =>
  `"${tag}${encoding === 'identity' ? '' : `-${encoding}`}"`;

const hasTag = ({ headers }: FastifyRequest, tag: string): boolean =>
  headers['if-none-match']?.split(',').some((one) => one.trim() === tag) === true;

/** A page by its key, and what caches may do with it. */
interface Keyed {
  key: string;
  cacheControl: string;
}

/**
 * Sends the page of a visit: nothing but its tag if the browser has it, the kept one if nothing has changed, or else a
 * new one; or the way to where it is.
 */
export async function sendDrawn(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  { draw, remembered }: { draw: () => Promise<Drawn | Elsewhere>; remembered: Remembered | undefined },
): Promise<FastifyReply> {
  if (visit.isMember) {
    const drawn = await draw();
    return 'redirect' in drawn ? leaveTo(reply, drawn) : sendOwn(reply, drawn);
  }
  const page = { key: keyOf(visit), cacheControl: cacheControl(visit) };
  // A reply that is awaited is no value: what is sent is told by the promise.
  const sent = sendKept(request, reply, page);
  if (sent) {
    remembered?.keep(visit, page);
    return sent;
  }
  const kept = await drawOnce(page.key, draw);
  if ('redirect' in kept) return leaveTo(reply, kept);
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
  page: Keyed,
): Promise<FastifyReply> | undefined {
  const { key } = page;
  if (request.headers['if-none-match'] !== undefined) {
    const encoding = encodingFor(request);
    for (const tag of [key, dated(key, today())]) {
      // Pages that can change for the same key have tags of another kind.
      const etag = tagFor(tag, encoding);
      if (hasTag(request, etag)) return sendTag(reply, page, etag);
    }
  }
  const kept = cache.get(key);
  return kept && isOfToday(kept) ? sendBody(request, reply, page, kept) : undefined;
}

const isOfToday = ({ day }: Kept): boolean => day === undefined || day === today();

const sendTag = async (reply: FastifyReply, page: Keyed, etag: string): Promise<FastifyReply> =>
  reply.headers({ 'cache-control': page.cacheControl, vary: VARY, etag }).code(304).send();

async function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Keyed,
  { tag, policy, bodies }: Kept,
): Promise<FastifyReply> {
  const encoding = encodingFor(request);
  const etag = tag === undefined ? undefined : tagFor(tag, encoding);
  if (etag !== undefined && hasTag(request, etag)) return sendTag(reply, page, etag);
  return reply
    .headers({
      'cache-control': page.cacheControl,
      vary: VARY,
      ...(etag !== undefined && { etag }),
      'content-security-policy': policy,
      'content-type': 'text/html; charset=utf-8',
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    })
    .send(await packedTo(encoding, bodies));
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

export const leaveTo = (reply: FastifyReply, { redirect }: Elsewhere): FastifyReply =>
  reply.header('cache-control', 'no-store').redirect(redirect, 302);

const drawing = new Map<string, Promise<Kept | Drawn | Elsewhere>>();

/** Draws a page, once for all who ask for it meanwhile: the key says that they are shown the same. */
function drawOnce(key: string, draw: () => Promise<Drawn | Elsewhere>): Promise<Kept | Drawn | Elsewhere> {
  const begun = drawing.get(key);
  if (begun) return begun;
  const drawn = drawKept(key, draw).finally(() => drawing.delete(key));
  drawing.set(key, drawn);
  return drawn;
}

async function drawKept(
  key: string,
  draw: () => Promise<Drawn | Elsewhere>,
): Promise<Kept | Drawn | Elsewhere> {
  // Read before: what is drawn at midnight may be of either day.
  const day = today();
  const drawn = await draw();
  if ('redirect' in drawn || drawn.status !== 200) return drawn;
  const { text, policy, isComplete, isSettled } = drawn;
  const isDated = text.includes(DOWNLOADS);
  const settled = isDated ? dated(key, day) : key;
  const kept = {
    tag: isSettled ? settled : isComplete ? hash('sha256', text, 'base64url') : undefined,
    day: isDated ? day : undefined,
    policy,
    bodies: new Map<Encoding, Promise<Buffer>>([['identity', Promise.resolve(Buffer.from(text))]]),
    size: text.length,
  };
  cache.set(key, kept, { ttl: isSettled ? 0 : isComplete ? LIVE_AGE : INCOMPLETE_AGE });
  return kept;
}

/** A page as it is sent in an encoding; a failure is not kept. */
function packedTo(encoding: Encoding, bodies: Kept['bodies']): Promise<Buffer> {
  const known = bodies.get(encoding);
  if (known) return known;
  const packed = (bodies.get('identity') as Promise<Buffer>).then((body) =>
    encoding === 'br' ? packBrotli(body, BROTLI) : packGzip(body),
  );
  bodies.set(encoding, packed);
  packed.catch(() => bodies.delete(encoding));
  return packed;
}
