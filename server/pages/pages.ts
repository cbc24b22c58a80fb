import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TOKEN_PARAMETER } from '../../routers/audience/visitor-jwt.ts';
import type { Logger, Services } from '../../routers/base/context.ts';
import type { Db } from '../../routers/base/db.ts';
import { errorBody, refusal } from '../http/http-errors.ts';
import { requestFields } from '../http/request-log.ts';
import { type Asked, takeApart } from './address.ts';
import { cacheControl, leaveTo, sendDrawn, sendKept, sendOnce, VARY } from './answers.ts';
import { sendAsset } from './assets.ts';
import { sendFailure } from './errors.ts';
import * as feeds from './feeds.ts';
import { mayBeListed } from './head.ts';
import { createHighlighter } from './highlight/highlighter.ts';
import { HOSTED } from './hosts.ts';
import { knownPages, type Remembered } from './known-pages.ts';
import { drawNotFound, drawPage } from './page.ts';
import { mountPreviews, type Show } from './preview.ts';
import { drawSearch, queryOf, searchPages } from './search.ts';
import { type ContextOf, keepToken, openSite, tokenOf, type Visit } from './visit.ts';

interface Options {
  db: Db;
  services: Services;
  contextOf: ContextOf;
  logger: Logger;
}

/** Serves published sites as pages, on the service's own address and on the hostnames of sites. */
export function mountPages(app: FastifyInstance, { db, services, contextOf, logger }: Options): void {
  const highlighter = createHighlighter(logger);
  const known = knownPages(db);
  app.addHook('onClose', () => highlighter.close());
  app.setErrorHandler((error, request, reply) => {
    const { status } = errorBody(error);
    if (status >= 500 && status !== 503)
      logger.error({ ...requestFields(request), status, err: error }, 'page failed');
    return sendFailure(request, reply, error);
  });

  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const url = addressOf(request, services);
    const address = takeApart(url.pathname);
    if (!address) throw refusal(404);
    const { asked, path } = address;
    if (asked.kind === 'asset') {
      if (await sendAsset(request, reply, asked.name)) return reply;
      throw refusal(404);
    }
    const brought = tokenOf(request);
    const remembered =
      asked.kind === 'page' && brought.token === undefined
        ? await known(url.origin + url.pathname)
        : undefined;
    const sent = remembered?.page && sendKept(request, reply, remembered.page);
    if (sent) return sent;
    const opened = await openSite(
      (authorization) => contextOf(request, reply, authorization),
      url.origin + path,
      brought,
    );
    if ('redirect' in opened) return leaveTo(reply, opened);
    if (
      brought.isNew &&
      brought.token !== undefined &&
      keepToken(reply, brought.token, new URL(opened.requestedBase, url))
    )
      return leaveTo(reply, { redirect: withoutToken(url) });
    if (asked.kind === 'page') return showPage(request, reply, opened, remembered);
    return show(request, reply, opened, asked);
  };

  const show: Show = async (request, reply, visit, { kind }) => {
    if (kind === 'page') return showPage(request, reply, visit);
    // The others are those of the site, or of one of its sections: not of a page.
    if (kind !== 'markdown' && visit.pathname !== '') throw refusal(404);
    switch (kind) {
      case 'search':
        reply.headers({ 'cache-control': ownCacheControl(visit), vary: VARY });
        return sendOnce(reply, await drawSearch(visit, queryOf(request.query)));
      case 'search.json': {
        const query = queryOf(request.query);
        const pages = query === undefined ? [] : await searchPages(visit, query);
        return reply.headers({ 'cache-control': ownCacheControl(visit), vary: VARY }).send({ pages });
      }
      case 'pdf':
        return leaveTo(reply, { redirect: await pdfOf(visit, request.query) });
      default:
        return sendFeed(reply, visit, await feedOf(visit, kind));
    }
  };

  const showPage = async (
    request: FastifyRequest,
    reply: FastifyReply,
    visit: Visit,
    remembered?: Remembered,
  ): Promise<FastifyReply> => {
    const draw = async () => (await drawPage(visit, highlighter)) ?? drawNotFound(visit);
    return sendDrawn(request, reply, visit, { draw, remembered });
  };

  mountPreviews(app, contextOf, show);
  for (const path of ['/sites/:site', '/sites/:site/*', HOSTED, `${HOSTED}/*`]) app.get(path, answer);
}

/** Of what is not the same for two readers, or at two times. */
const ownCacheControl = (visit: Visit) => cacheControl({ ...visit, isPublic: false });

/** The absolute URL that a reader opened. */
function addressOf(request: FastifyRequest, { urls }: Services): URL {
  const { url, originalUrl } = request;
  const isHosted = url.startsWith(HOSTED);
  const root = isHosted ? urls.hosting.rootOf(request.hostname.toLowerCase()) : urls.absolute('');
  const parsed = URL.parse(root + (isHosted ? originalUrl : url));
  if (!parsed) throw refusal(404);
  return parsed;
}

/** Where the PDF of a page is, which is made if there is none. */
async function pdfOf({ call, customization, place }: Visit, query: unknown): Promise<string> {
  const { page } = query as Record<string, unknown>;
  if (!customization.pdf.enabled || typeof page !== 'string') throw refusal(404);
  const { url } = await call.pdf.get({ spaceId: place.siteSpace.space.id, page, only: true });
  return url;
}

function withoutToken(url: URL): string {
  const clean = new URL(url);
  clean.searchParams.delete(TOKEN_PARAMETER);
  return clean.pathname + clean.search;
}

type FeedKind = Exclude<Asked['kind'], 'page' | 'search' | 'search.json' | 'pdf' | 'asset'>;

async function feedOf(visit: Visit, kind: FeedKind): Promise<feeds.Feed | undefined> {
  if (kind === 'markdown') return feeds.pageMarkdown(visit);
  const makers = {
    'sitemap.xml': feeds.sitemap,
    'robots.txt': feeds.robots,
    'llms.txt': feeds.llms,
    'llms-full.txt': feeds.llmsFull,
    'feed.xml': feeds.feed,
  };
  return makers[kind](visit);
}

function sendFeed(reply: FastifyReply, visit: Visit, feed: feeds.Feed | undefined): FastifyReply {
  if (!feed) throw refusal(404);
  if (!mayBeListed(visit)) reply.header('x-robots-tag', 'noindex');
  return reply
    .headers({
      'content-type': `${feed.type}; charset=utf-8`,
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': cacheControl(visit),
      vary: VARY,
    })
    .send(feed.text);
}
