import { conditionsFor } from '../access/passes.ts';
import { parseAddress, pathOf } from '../addresses/parse.ts';
import { type Place, publishedUrl } from '../addresses/published.ts';
import {
  namesDefault,
  placeOfResolved,
  type ResolvedSitePath,
  resolveSitePath,
} from '../addresses/resolve-path.ts';
import { NO_PATHS } from '../addresses/shortest-place.ts';
import { readSitePaths } from '../addresses/site-paths.query.ts';
import { sourcePathOf } from '../addresses/source-path.ts';
import { type VisitorCredentials, visitSite } from '../audience/visit-site.ts';
import { TOKEN_PARAMETER } from '../audience/visitor-jwt.ts';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import type { Visitor } from '../base/principal.ts';
import { loadVisitedContent } from '../content/content.query.ts';
import { visiblePagesOf } from '../content/readable-content.query.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { findDestination, isVisibleDestination } from '../redirects/destinations.query.ts';
import { visibilityForVisitor } from '../sites/published/visible-structure.query.ts';
import { type LocatedSite, locateSite } from './locate.query.ts';
import {
  mayDependOnHidden,
  type ReadPathOptions,
  readVisiblePathOptions,
  visibleCandidates,
} from './structure.query.ts';

/** The content at an address, as the visitor who opened it may read it. */
export interface ResolvedContent {
  site: LocatedSite;
  visitor: Visitor;
  shareKey: string | undefined;
  place: ResolvedSitePath;
  /** The place of the page without the paths of defaults that are not needed. */
  canonical: Place;
  /** The path of the page, decoded. */
  page: readonly string[];
  /** The paths of the site and of the site space in the address: absolute, with a trailing slash. */
  siteBasePath: string;
  basePath: string;
}

/** A redirect to another URL: of the same installation, or to where visitors are authenticated. */
export interface UrlRedirect {
  target: 'content' | 'external';
  url: string;
}

/** What the caller supplies besides the address. */
export interface ResolveOptions extends Pick<VisitorCredentials, 'visitorToken' | 'unsignedClaims'> {
  /** Whether visitors with an invalid token are redirected to authentication, like those without a token. */
  redirectOnError: boolean;
}

/**
 * Resolves an address for the visitor who opens it. Takes one round trip, one more if a segment names a default or if the
 * visitor does not see a default or what the path refers to, and two more behind a proxy. Addresses with a redirect of the
 * site, or with an earlier path of a section or site space, may take two more, and reading content.
 * @throws DomainError `not-found` for what does not exist or is not visible to the visitor, `unauthenticated` if they must
 *   authenticate but the site has no URL for that, or if their token is invalid
 */
export async function resolveAddress(
  { db, services }: { db: Db; services: Services },
  text: string,
  { redirectOnError, ...credentials }: ResolveOptions,
): Promise<ResolvedContent | UrlRedirect> {
  const { urls, signer } = services;
  const address = parseAddress(urls, text);
  const located = address && (await locateSite(db, address));
  if (!address || !located) throw notFound('published content');
  const { site, used, isOrganization, candidates } = located;
  const shareKey = site.visibility === 'share-link' ? address.segments[used] : undefined;
  const rest = address.segments.slice(shareKey === undefined ? used : used + 1);
  const visitorToken = address.query.get(TOKEN_PARAMETER) ?? credentials.visitorToken;
  const source = sourcePathOf(rest);
  const link = candidates.link ?? undefined;
  const visit = await visitSite(signer, site, { ...credentials, link, visitorToken });
  if (visit.outcome === 'not-found') throw notFound('published content');
  if (visit.outcome === 'needs-authentication') {
    const isTokenRejected = visitorToken !== undefined && !redirectOnError;
    if (isTokenRejected || visit.fallbackUrl === null) throw unauthenticated(isTokenRejected, visit.reason);
    return { target: 'external', url: withLocation(visit.fallbackUrl, source) };
  }
  if (isOrganization) return { target: 'content', url: publishedUrl(urls, site) };

  const { visitor } = visit;
  const conditions = conditionsFor(site, visitor);
  // Read at most once: for what the visitor sees instead of something hidden, and for earlier paths.
  let visible: Promise<ReadPathOptions> | undefined;
  const readVisible = () => (visible ??= readVisiblePathOptions(db, site.id, conditions));
  const candidate = resolveSitePath(visibleCandidates(candidates, conditions), rest, {
    fallsBackToFirst: false,
  });
  const place =
    candidate && !mayDependOnHidden(candidate, rest, candidates, conditions)
      ? candidate
      : resolveSitePath((await readVisible()).options, rest, { fallsBackToFirst: true });
  if (!place) throw notFound('published content');
  const page = rest.slice(place.used);
  const mayBeElsewhere = page.length > 0 && (candidates.redirect !== null || candidates.isEarlier);
  if (mayBeElsewhere && !(await hasPage({ db, services }, visitor, place, page))) {
    const found =
      candidates.redirect &&
      (await findDestination(
        { db, services, engine: engineFor(services, visitor) },
        site.id,
        candidates.redirect,
      ));
    // guard: redirect-shown
    if (found && isVisibleDestination(found, visibilityForVisitor(conditions)))
      return { target: 'content', url: publishedUrl(urls, site, { ...found.place, shareKey }) };
    const all = candidates.isEarlier ? await readVisible() : undefined;
    const moved = all && resolveSitePath(all.options, rest, { fallsBackToFirst: true, findsEarlier: true });
    if (moved && moved.used > place.used) {
      const present = placeOfResolved(moved, pathIn(rest, moved), all.paths);
      return { target: 'content', url: publishedUrl(urls, site, { ...present, shareKey }) };
    }
  }
  const prefix = address.segments.slice(0, address.segments.length - rest.length);
  return {
    site,
    visitor,
    shareKey,
    place,
    canonical: placeOfResolved(
      place,
      pathIn(rest, place),
      (await visible)?.paths ?? (namesDefault(place) ? await readSitePaths(db, site.id) : NO_PATHS),
    ),
    page,
    siteBasePath: absolutePath(address.root, prefix),
    basePath: absolutePath(address.root, [...prefix, ...rest.slice(0, place.used)]),
  };
}

/** The path of the page in a path on a site; undefined for the first page. */
const pathIn = (segments: readonly string[], { used }: ResolvedSitePath): string | undefined =>
  segments.length > used ? segments.slice(used).join('/') : undefined;

const absolutePath = (root: string, segments: readonly string[]): string =>
  root.slice(0, -1) + pathOf(segments);

const unauthenticated = (isTokenRejected: boolean, reason: string | undefined) =>
  new DomainError(
    'unauthenticated',
    reason ??
      (isTokenRejected ? 'The visitor token is not valid.' : 'Visitors of this site must be authenticated.'),
  );

/** The URL for authentication, with the location in the site that the visitor wants to open. */
function withLocation(fallbackUrl: string, location: string): string {
  const url = new URL(fallbackUrl);
  url.searchParams.set('location', location || '/');
  return url.href;
}

const engineFor = ({ engines }: Services, { organization, site }: Visitor) =>
  engines.for({ organization, user: site });

/** Whether there is a page at a path that the visitor may see. */
async function hasPage(
  { db, services }: { db: Db; services: Services },
  visitor: Visitor,
  { siteSpace }: ResolvedSitePath,
  page: readonly string[],
): Promise<boolean> {
  const content = await loadVisitedContent(db, visitor, siteSpace.chosen.space);
  const engine = engineFor(services, visitor);
  const pages = visiblePagesOf({ ...content, db, services, engine }, { computed: true });
  return (await pages.pageByPath(page)) !== undefined;
}
