import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TOKEN_PARAMETER } from '../../routers/audience/visitor-jwt.ts';
import type { Logger, Services } from '../../routers/base/context.ts';
import type { Db } from '../../routers/base/db.ts';
import { isReservedSegment, MARKDOWN_END } from '../../routers/engine/store/site-files.ts';
import { errorBody, httpError } from '../http/http-errors.ts';
import { requestFields } from '../http/request-log.ts';
import { type PageResource, parsePageAddress } from './address.ts';
import { type CachedAddress, createAddressCache } from './address-cache.ts';
import { sendAsset } from './assets.ts';
import { sendErrorPage } from './errors.ts';
import * as feeds from './feeds.ts';
import { isForAgents, isSiteIndexable } from './head.ts';
import { createHighlighter } from './highlight/highlighter.ts';
import { HOSTED_PATH } from './hosts.ts';
import { findFormerPage } from './moved-page.ts';
import { cacheControl, redirectTo, sendCached, sendRendered, sendUncached, VARY } from './page-responses.ts';
import { mountPreviews, type SendResource } from './preview.ts';
import { renderGone, renderNotFound, renderPage } from './render-page.ts';
import { queryOf, renderSearch, searchPages } from './search.ts';
import { switchedFrom, switchedTo } from './variants.ts';
import { type ContextOf, openSite, setTokenCookie, type Visit, visitorTokenOf } from './visit.ts';

interface Options {
  db: Db;
  services: Services;
  contextOf: ContextOf;
  logger: Logger;
}

/** Serves the pages of published sites, at the service's own address and at the hostnames of sites. */
export function mountPages(app: FastifyInstance, { db, services, contextOf, logger }: Options): void {
  const highlighter = createHighlighter(logger);
  const lookUpAddress = createAddressCache(db);
  app.addHook('onClose', () => highlighter.close());
  app.setErrorHandler((error, request, reply) => {
    const { status } = errorBody(error);
    if (status >= 500 && status !== 503)
      logger.error({ ...requestFields(request), status, err: error }, 'page failed');
    return sendErrorPage(request, reply, error);
  });

  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const url = addressOf(request, services);
    const parsed = parsePageAddress(url.pathname);
    if (!parsed) throw httpError(404);
    const { resource, path } = parsed;
    if (resource.kind === 'asset') {
      if (await sendAsset(request, reply, resource.name)) return reply;
      throw httpError(404);
    }
    const visitorToken = visitorTokenOf(request);
    const cachedAddress =
      resource.kind === 'page' &&
      visitorToken.token === undefined &&
      switchedFrom(request.query) === undefined
        ? await lookUpAddress(url.origin + url.pathname)
        : undefined;
    const sent = cachedAddress?.page && sendCached(request, reply, cachedAddress.page);
    if (sent) return sent;
    const visit = await openSite(
      (authorization) => contextOf(request, reply, authorization),
      url.origin + path,
      visitorToken,
    );
    if ('redirect' in visit) return redirectTo(request, reply, visit);
    if (
      visitorToken.isNew &&
      visitorToken.token !== undefined &&
      setTokenCookie(reply, visitorToken.token, new URL(visit.requestedBase, url))
    )
      return redirectTo(request, reply, { redirect: withoutToken(url) });
    if (resource.kind === 'page') return sendPage(request, reply, visit, cachedAddress);
    return sendResource(request, reply, visit, resource);
  };

  const sendResource: SendResource = async (request, reply, visit, { kind }) => {
    if (kind === 'page') return sendPage(request, reply, visit);
    // At the top of a site or of a section, these are files of its own.
    if (visit.pathname !== '') {
      const path = ownPathOf(visit, kind);
      const page = path === undefined ? undefined : await feeds.pageAtFile(visit, path);
      if (page) return sendPage(request, reply, page);
      if (kind !== 'markdown') throw httpError(404);
    }
    // guard: page-agents-excluded
    if (FOR_AGENTS.has(kind) && !isForAgents(visit)) throw httpError(404);
    switch (kind) {
      case 'search':
        reply.headers({ 'cache-control': privateCacheControl(visit), vary: VARY });
        return sendUncached(reply, await renderSearch(visit, queryOf(request.query)));
      case 'search.json': {
        const query = queryOf(request.query);
        const pages = query === undefined ? [] : await searchPages(visit, query);
        return reply.headers({ 'cache-control': privateCacheControl(visit), vary: VARY }).send({ pages });
      }
      case 'pdf':
        return redirectTo(request, reply, { redirect: await pdfUrl(visit, request.query) });
      case 'markdown': {
        const feed = await feeds.pageMarkdown(visit);
        const former = feed ? undefined : await findFormerPage(visit, 'markdown', MARKDOWN_END);
        if (!former) return sendFeed(reply, visit, feed);
        if ('moved' in former) return redirectTo(request, reply, former.moved);
        return sendFeed(reply, visit, feeds.goneMarkdown(former.gone.markdown ?? ''));
      }
      default:
        return sendFeed(reply, visit, await feedOf(visit, kind));
    }
  };

  const sendPage = async (
    request: FastifyRequest,
    reply: FastifyReply,
    visit: Visit,
    cachedAddress?: CachedAddress,
  ): Promise<FastifyReply> => {
    const origin = switchedFrom(request.query);
    if (origin !== undefined) return redirectTo(request, reply, await switchedTo(visit, origin));
    const render = async () => {
      const rendered = await renderPage(visit, highlighter);
      const former = rendered ? undefined : await findFormerPage(visit, 'document');
      if (former) return 'moved' in former ? former.moved : renderGone(visit, former.gone, highlighter);
      return rendered ?? renderNotFound(visit);
    };
    return sendRendered(request, reply, visit, { render, cachedAddress });
  };

  mountPreviews(app, contextOf, sendResource);
  for (const path of ['/sites/:site', '/sites/:site/*', HOSTED_PATH, `${HOSTED_PATH}/*`])
    app.get(path, handle);
}

/** What sites serve for agents and language models. */
const FOR_AGENTS: ReadonlySet<PageResource['kind']> = new Set(['markdown', 'llms.txt', 'llms-full.txt']);

/** For responses that differ between readers, or from one moment to the next. */
const privateCacheControl = (visit: Visit) => cacheControl({ ...visit, isPublic: false });

/** The absolute URL that the reader visits. */
function addressOf(request: FastifyRequest, { urls }: Services): URL {
  const { url, originalUrl } = request;
  const isHosted = url.startsWith(HOSTED_PATH);
  const root = isHosted ? urls.hosting.rootOf(request.hostname.toLowerCase()) : urls.absolute('');
  const parsed = URL.parse(root + (isHosted ? originalUrl : url));
  if (!parsed) throw httpError(404);
  return parsed;
}

/** The URL of the PDF of a page, which is generated if there is none yet. */
async function pdfUrl({ call, customization, place }: Visit, query: unknown): Promise<string> {
  const { page } = query as Record<string, unknown>;
  if (!customization.pdf.enabled || typeof page !== 'string') throw httpError(404);
  const { url } = await call.pdf.get({ spaceId: place.siteSpace.space.id, page, only: true });
  return url;
}

/** A URL on its own origin. A path that begins with two slashes would otherwise be the name of a host. */
function relativeUrl({ pathname, search }: URL): string {
  // guard: page-redirect-origin
  if (pathname.startsWith('//')) return `/.${pathname}${search}`;
  return pathname + search;
}

function withoutToken(url: URL): string {
  const clean = new URL(url);
  // guard: page-visitor-token
  clean.searchParams.delete(TOKEN_PARAMETER);
  return relativeUrl(clean);
}

/** The path of the page that an address names if it is not the address of a file of the site. */
function ownPathOf({ pathname }: Visit, kind: PageResource['kind']): string | undefined {
  if (kind === 'markdown') return pathname + MARKDOWN_END;
  return isReservedSegment(kind) ? `${pathname}/${kind}` : undefined;
}

type FeedKind = Exclude<
  PageResource['kind'],
  'page' | 'markdown' | 'search' | 'search.json' | 'pdf' | 'asset'
>;

async function feedOf(visit: Visit, kind: FeedKind): Promise<feeds.Feed> {
  const generators = {
    'sitemap.xml': feeds.sitemap,
    'robots.txt': feeds.robots,
    'llms.txt': feeds.llms,
    'llms-full.txt': feeds.llmsFull,
    'feed.xml': feeds.feed,
  };
  return generators[kind](visit);
}

function sendFeed(reply: FastifyReply, visit: Visit, feed: feeds.Feed | undefined): FastifyReply {
  if (!feed) throw httpError(404);
  if (feed.noIndex || !isSiteIndexable(visit)) reply.header('x-robots-tag', 'noindex');
  return reply
    .code(feed.isGone ? 404 : 200)
    .headers({
      'content-type': `${feed.type}; charset=utf-8`,
      'content-security-policy': "default-src 'none'; sandbox",
      // A page that is missing now may exist a moment later.
      'cache-control': feed.isGone ? 'private, no-cache' : cacheControl(visit),
      vary: VARY,
    })
    .send(feed.text);
}
