import { conditionsFor } from '../access/passes.ts';
import { parseAddress, pathOf } from '../addresses/parse.ts';
import { publishedUrl } from '../addresses/published.ts';
import { type ResolvedSitePath, resolveSitePath } from '../addresses/resolve-path.ts';
import { sourcePathOf } from '../addresses/source-path.ts';
import { type VisitorCredentials, visitSite } from '../audience/visit-site.ts';
import { TOKEN_PARAMETER } from '../audience/visitor-jwt.ts';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import type { Visitor } from '../base/principal.ts';
import { pagesOf } from '../content/content.handlers.ts';
import { loadVisitedContent } from '../content/content.query.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { findDestination, isShownDestination } from '../redirects/destinations.query.ts';
import { visibilityForVisitor } from '../sites/published/reading.query.ts';
import { type LocatedSite, locateSite } from './locate.query.ts';
import { readVisiblePathOptions, visibleCandidates } from './structure.query.ts';

/** Content that an address leads to, as the visitor who came with it may read it. */
export interface ResolvedContent {
  site: LocatedSite;
  visitor: Visitor;
  shareKey: string | undefined;
  place: ResolvedSitePath;
  /** The path of the page, decoded. */
  page: readonly string[];
  /** Absolute paths in the address, with a slash at the end: of the site, and of the site space. */
  siteBasePath: string;
  basePath: string;
}

/** Another address to go to: of the same installation, or where visitors are authenticated. */
export interface UrlRedirect {
  target: 'content' | 'external';
  url: string;
}

/** What the address itself does not say. */
export interface ResolveOptions extends Pick<VisitorCredentials, 'visitorToken' | 'unsignedClaims'> {
  /** Whether a visitor whose token is not valid goes to where visitors are authenticated, as those without one do. */
  redirectOnError: boolean;
}

/**
 * Resolves an address that a reader opens, for whoever opens it, in one round trip; in two more behind a proxy, or
 * where what the path names is not shown to them. Those that lead to a redirect of the site may take two more, and reading
 * content.
 * @throws DomainError `not-found` for what is not there for them, `unauthenticated` if they have to be authenticated but
 *   there is no address for that, or if their token is not valid
 */
export async function resolveAddress(
  { db, services }: { db: Db; services: Services },
  text: string,
  { redirectOnError, ...arrival }: ResolveOptions,
): Promise<ResolvedContent | UrlRedirect> {
  const { urls, signer } = services;
  const address = parseAddress(urls, text);
  const located = address && (await locateSite(db, address));
  if (!address || !located) throw notFound('published content');
  const { site, used, isOrganization, candidates } = located;
  const shareKey = site.visibility === 'share-link' ? address.segments[used] : undefined;
  const rest = address.segments.slice(shareKey === undefined ? used : used + 1);
  const visitorToken = address.query.get(TOKEN_PARAMETER) ?? arrival.visitorToken;
  const source = sourcePathOf(rest);
  const link = candidates.link ?? undefined;
  const reached = await visitSite(signer, site, { ...arrival, link, visitorToken });
  if (reached.outcome === 'not-found') throw notFound('published content');
  if (reached.outcome === 'needs-authentication') {
    const isRefused = visitorToken !== undefined && !redirectOnError;
    if (isRefused || reached.fallbackUrl === null) throw unauthenticated(isRefused, reached.reason);
    return { target: 'external', url: withLocation(reached.fallbackUrl, source) };
  }
  if (isOrganization) return { target: 'content', url: publishedUrl(urls, site) };

  const { visitor } = reached;
  const conditions = conditionsFor(site, visitor);
  const place =
    resolveSitePath(visibleCandidates(candidates, conditions), rest, false) ??
    resolveSitePath(await readVisiblePathOptions(db, site.id, conditions), rest, true);
  if (!place) throw notFound('published content');
  const page = rest.slice(place.used);
  if (candidates.redirect && page.length > 0 && !(await hasPage({ db, services }, visitor, place, page))) {
    const found = await findDestination(db, site.id, candidates.redirect);
    if (found && isShownDestination(found, visibilityForVisitor(conditions)))
      return { target: 'content', url: publishedUrl(urls, site, { ...found.place, shareKey }) };
  }
  const prefix = address.segments.slice(0, address.segments.length - rest.length);
  return {
    site,
    visitor,
    shareKey,
    place,
    page,
    siteBasePath: below(address.root, prefix),
    basePath: below(address.root, [...prefix, ...rest.slice(0, place.used)]),
  };
}

const below = (root: string, segments: readonly string[]): string => root.slice(0, -1) + pathOf(segments);

const unauthenticated = (isRefused: boolean, reason: string | undefined) =>
  new DomainError(
    'unauthenticated',
    reason ??
      (isRefused ? 'The visitor token is not valid.' : 'Visitors of this site have to be authenticated.'),
  );

/** The address for authentication, told where in the site the visitor wants to go. */
function withLocation(fallbackUrl: string, location: string): string {
  const url = new URL(fallbackUrl);
  url.searchParams.set('location', location || '/');
  return url.href;
}

/** Whether the visitor is shown a page with this path. */
async function hasPage(
  { db, services }: { db: Db; services: Services },
  visitor: Visitor,
  { siteSpace }: ResolvedSitePath,
  page: readonly string[],
): Promise<boolean> {
  const content = await loadVisitedContent(db, visitor, siteSpace.chosen.space);
  const engine = services.engines.for({ organization: visitor.organization, user: visitor.site });
  const pages = pagesOf({ ...content, db, services, engine }, { computed: true });
  return (await pages.pageByPath(page)) !== undefined;
}
