import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { DOWNLOADS } from '../../routers/response/downloads.ts';
import type { CachedAddress } from './address-cache.ts';
import type { RenderedPage } from './render-page.ts';
import { RENDERER_VERSION } from './renderer-version.ts';
import type { Redirect, Visit } from './visit.ts';

/** Bytes of rendered pages that are cached, plain and compressed. */
const CACHE_BYTES = 24 * 1024 * 1024;

/** Milliseconds after which a page with live content is rendered again, and one that was not complete. */
const LIVE_TTL = 5000;
const INCOMPLETE_TTL = 500;

const DAY = 86_400_000;

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

type Encoding = 'br' | 'gzip' | 'identity';

interface CachedPage {
  /** Undefined for an incomplete page: a tag must mean the same in every process, and each may have got a different distance. */
  tag: string | undefined;
  /** The only day on which the page is valid, if it links to files, whose signed URLs change daily. */
  day: number | undefined;
  policy: string;
  bodies: Map<Encoding, Promise<Buffer>>;
}

const cache = new LRUCache<string, CachedPage & { size: number }>({
  maxSize: CACHE_BYTES,
  // The two compressed forms together are assumed to be as large as the plain one.
  sizeCalculation: ({ size, policy }) => 500 + policy.length + size * 2,
});

/** A hash of everything that determines the page of a visit, except the day. */
const cacheKeyOf = ({
  published,
  pathname,
  contextId,
  base,
  absoluteBase,
  place,
  paths,
  isPreview,
}: Visit): string =>
  hash(
    'sha256',
    JSON.stringify([
      published,
      paths,
      place.siteSpace.id,
      pathname,
      // guard: page-cache-claims
      contextId,
      base,
      absoluteBase,
      isPreview,
      RENDERER_VERSION,
    ]),
    'base64url',
  );

/** The number of days since the epoch, in UTC. */
const today = (): number => Math.floor(Date.now() / DAY);

const encodingFor = ({ headers }: FastifyRequest): Encoding => {
  const accepted = String(headers['accept-encoding'] ?? '');
  if (/\bbr\b/.test(accepted)) return 'br';
  return /\bgzip\b/.test(accepted) ? 'gzip' : 'identity';
};

/** Shared caches may keep public pages, but must revalidate them each time, so that access can be withdrawn at once. */
export const cacheControl = ({ isPublic, isMember }: Visit): string =>
  isMember ? 'private, no-store' : isPublic ? 'public, no-cache' : 'private, no-cache';

export const VARY = 'accept-encoding, cookie';

/** A page that depends on the day has the day in its tag, so that a tag alone shows whether it is still valid. */
const datedKey = (key: string, day: number): string => `${key}.${day}`;

/** A strong ETag: each encoding of a page has its own. */
const etagFor = (tag: string, encoding: Encoding) =>
  `"${tag}${encoding === 'identity' ? '' : `-${encoding}`}"`;

/** A proxy that compresses pages makes their tags weak. */
const matchesEtag = ({ headers }: FastifyRequest, tag: string): boolean =>
  headers['if-none-match']?.split(',').some((one) => one.trim().replace(/^W\//, '') === tag) === true;

/** The cache key of a page, and its `Cache-Control`. */
interface PageKey {
  key: string;
  cacheControl: string;
}

/**
 * Sends the page of a visit: 304 if the browser has it, the cached page if nothing has changed, and otherwise a newly
 * rendered one, or a redirect.
 */
export async function sendRendered(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  {
    render,
    cachedAddress,
  }: { render: () => Promise<RenderedPage | Redirect>; cachedAddress: CachedAddress | undefined },
): Promise<FastifyReply> {
  // guard: page-member-no-store
  if (visit.isMember) {
    const rendered = await render();
    return 'redirect' in rendered ? redirectTo(request, reply, rendered) : sendToMember(reply, rendered);
  }
  const page = { key: cacheKeyOf(visit), cacheControl: cacheControl(visit) };
  // Awaiting a reply yields no value, so check the promise: it is undefined if nothing was sent.
  const sent = sendCached(request, reply, page);
  if (sent) {
    cachedAddress?.store(visit, page);
    return sent;
  }
  const cached = await renderOnce(page.key, render);
  if ('redirect' in cached) return redirectTo(request, reply, cached);
  // A page that is missing now may exist for another visitor, or a moment later.
  if ('status' in cached)
    return sendUncached(reply.headers({ 'cache-control': 'private, no-cache', vary: VARY }), cached);
  cachedAddress?.store(visit, page);
  return sendBody(request, reply, page, cached);
}

/** Sends the cached page of a key, or 304; undefined if the page has to be rendered. */
export function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageKey,
): Promise<FastifyReply> | undefined {
  const { key } = page;
  if (request.headers['if-none-match'] !== undefined) {
    const encoding = encodingFor(request);
    for (const tag of [key, datedKey(key, today())]) {
      // Pages that can change under the same key have a tag that is not made from the key.
      const etag = etagFor(tag, encoding);
      if (matchesEtag(request, etag)) return sendNotModified(reply, page, etag);
    }
  }
  const cached = cache.get(key);
  return cached && isCurrent(cached) ? sendBody(request, reply, page, cached) : undefined;
}

const isCurrent = ({ day }: CachedPage): boolean => day === undefined || day === today();

const sendNotModified = async (reply: FastifyReply, page: PageKey, etag: string): Promise<FastifyReply> =>
  reply.headers({ 'cache-control': page.cacheControl, vary: VARY, etag }).code(304).send();

async function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageKey,
  { tag, policy, bodies }: CachedPage,
): Promise<FastifyReply> {
  const encoding = encodingFor(request);
  const etag = tag === undefined ? undefined : etagFor(tag, encoding);
  if (etag !== undefined && matchesEtag(request, etag)) return sendNotModified(reply, page, etag);
  return reply
    .headers({
      'cache-control': page.cacheControl,
      vary: VARY,
      ...(etag !== undefined && { etag }),
      'content-security-policy': policy,
      'content-type': 'text/html; charset=utf-8',
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    })
    .send(await compressedTo(encoding, bodies));
}

/** Sends a page without caching it. */
export const sendUncached = (reply: FastifyReply, { text, policy, status }: RenderedPage): FastifyReply =>
  reply
    .code(status)
    .headers({ 'content-security-policy': policy, 'content-type': 'text/html; charset=utf-8' })
    .send(text);

/** Sends a page to a signed-in member: neither cached nor indexed by search engines. */
const sendToMember = (reply: FastifyReply, rendered: RenderedPage): FastifyReply =>
  sendUncached(reply.headers({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' }), rendered);

/** Redirects a browser, which keeps the fragment of the address. */
export function redirectTo(
  { url }: FastifyRequest,
  reply: FastifyReply,
  { redirect, keepsQuery }: Redirect,
): FastifyReply {
  const query = keepsQuery ? (URL.parse(url, 'http://own.invalid')?.search ?? '') : '';
  return reply.header('cache-control', 'no-store').redirect(redirect + query, 302);
}

const pending = new Map<string, Promise<CachedPage | RenderedPage | Redirect>>();

/** Renders a page once for all requests that arrive meanwhile: the same key means the same page. */
function renderOnce(
  key: string,
  render: () => Promise<RenderedPage | Redirect>,
): Promise<CachedPage | RenderedPage | Redirect> {
  const existing = pending.get(key);
  if (existing) return existing;
  const rendered = renderAndCache(key, render).finally(() => pending.delete(key));
  pending.set(key, rendered);
  return rendered;
}

async function renderAndCache(
  key: string,
  render: () => Promise<RenderedPage | Redirect>,
): Promise<CachedPage | RenderedPage | Redirect> {
  // Read before rendering: around midnight, the page may be of either day.
  const day = today();
  const rendered = await render();
  if ('redirect' in rendered || rendered.status !== 200) return rendered;
  const { text, policy, isComplete, isDeterministic } = rendered;
  const isDated = text.includes(DOWNLOADS);
  const keyTag = isDated ? datedKey(key, day) : key;
  const cached = {
    tag: isDeterministic ? keyTag : isComplete ? hash('sha256', text, 'base64url') : undefined,
    day: isDated ? day : undefined,
    policy,
    bodies: new Map<Encoding, Promise<Buffer>>([['identity', Promise.resolve(Buffer.from(text))]]),
    size: text.length,
  };
  cache.set(key, cached, { ttl: isDeterministic ? 0 : isComplete ? LIVE_TTL : INCOMPLETE_TTL });
  return cached;
}

/** The body of a page in an encoding; a failure is not cached. */
function compressedTo(encoding: Encoding, bodies: CachedPage['bodies']): Promise<Buffer> {
  const known = bodies.get(encoding);
  if (known) return known;
  const compressed = (bodies.get('identity') as Promise<Buffer>).then((body) =>
    encoding === 'br' ? compressBrotli(body, BROTLI) : compressGzip(body),
  );
  bodies.set(encoding, compressed);
  compressed.catch(() => bodies.delete(encoding));
  return compressed;
}
