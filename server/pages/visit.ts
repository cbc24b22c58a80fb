import type { FastifyReply, FastifyRequest } from 'fastify';
import { PREVIEW_KEY, segmentsOf } from '../../routers/addresses/published.ts';
import { type SitePaths, shortestPlace } from '../../routers/addresses/shortest-place.ts';
import { readSitePaths } from '../../routers/addresses/site-paths.query.ts';
import { MAX_TOKEN, TOKEN_PARAMETER } from '../../routers/audience/visitor-jwt.ts';
import type { Services } from '../../routers/base/context.ts';
import { createCaller } from '../../routers/index.ts';
import { cookieOf } from '../auth/browser.ts';
import type { RequestContext } from '../context.ts';
import { errorBody } from '../http/http-errors.ts';
import type { ChangeKind } from './document/render-context.ts';
import { type Customization, type PlacedSpace, type PublishedSite, placedSpaces } from './structure.ts';

type Call = ReturnType<typeof createCaller>;

/** Creates the context of a request. `authorization` is the value of the header that an API client would send. */
export type ContextOf = (
  request: FastifyRequest,
  reply: FastifyReply,
  authorization: string | undefined,
) => RequestContext;

/** The cookie that holds a visitor's token, scoped to the path of a site. */
const COOKIE = 'colophon_visitor';

/** Browsers reject larger cookies. */
const MAX_COOKIE = 3900;

/** A site as one visitor sees it: the page they opened, and the procedures with their permissions. */
export interface Visit {
  call: Call;
  services: Services;
  organization: string;
  /** The site; undefined for a preview of a space without a site. */
  published: PublishedSite | undefined;
  title: string;
  /** The path of the page, decoded. */
  pathname: string;
  /** Identifies the claims of the visitor. */
  contextId?: string | undefined;
  /** All site spaces, and the one that the address leads to. */
  spaces: readonly PlacedSpace[];
  place: PlacedSpace;
  /** The paths of all sections and site spaces, of which the visitor may not see some; they decide about addresses. */
  paths: SitePaths;
  customization: Customization;
  /** The prefix of links within the site; ends with a slash. */
  base: string;
  /** The same with the origin, whatever host received the request. */
  absoluteBase: string;
  /** The base path of the site on the host that received the request. */
  requestedBase: string;
  /** Whether everybody would see the same. */
  isPublic: boolean;
  /** Whether this is a preview: unpublished, or different from what the public sees. */
  isPreview: boolean;
  /** Whether a signed-in member sees it with their own permissions: it is never cached. */
  isMember?: boolean;
  /** The change request, in a preview of one. */
  changeRequest?: PreviewedChangeRequest | undefined;
}

/** A change request, and what it changes. */
export interface PreviewedChangeRequest {
  number: number;
  subject: string;
  /** The id of the revision that it is compared with. */
  base: string;
  /** The changed pages, by id. */
  pages: ReadonlyMap<string, ChangedPage>;
  /** The changed reusable contents of the space, by id. */
  reusableContents: ReadonlyMap<string, ChangedContent>;
  /** The number of changes that were not loaded. */
  more: number;
}

export interface ChangedContent {
  kind: ChangeKind;
  title: string;
}

export interface ChangedPage extends ChangedContent {
  /** Undefined if it has no page to link to. */
  path?: string | undefined;
}

export const titleOf = ({ customization, title }: Visit): string => customization.title ?? title;

/** The URL to which the browser is redirected. */
export interface Redirect {
  redirect: string;
  /** Whether it is another address of the same content, to which the query of the request belongs, too. */
  keepsQuery?: boolean;
}

/** The token of a visitor, from the query string (`isNew`) or else from the cookie of the site. */
export const visitorTokenOf = ({ headers, query }: FastifyRequest): { token?: string; isNew: boolean } => {
  const given = (query as Record<string, unknown>)[TOKEN_PARAMETER];
  if (typeof given === 'string' && given !== '') return { token: given.slice(0, MAX_TOKEN + 1), isNew: true };
  const stored = cookieOf(headers.cookie, COOKIE);
  return stored === undefined || stored === '' ? { isNew: false } : { token: stored, isNew: false };
};

/** Stores a visitor's token in a cookie for a site; false if it does not fit into one. */
export function setTokenCookie(reply: FastifyReply, token: string, { pathname, protocol }: URL): boolean {
  if (token.length > MAX_COOKIE || !/^[\w.-]+$/.test(token)) return false;
  const path = pathname.replace(/\/$/, '') || '/';
  const secure = protocol === 'https:' ? '; Secure' : '';
  reply.header('set-cookie', `${COOKIE}=${token}; Path=${path}; HttpOnly; SameSite=Lax${secure}`);
  return true;
}

/**
 * Opens the site at an address for the visitor with this token. A token from the cookie that is no longer valid is ignored.
 * @throws whatever the procedures throw: `NOT_FOUND`, or `UNAUTHORIZED` for visitors who must authenticate
 */
export async function openSite(
  contextOf: (authorization: string | undefined) => RequestContext,
  url: string,
  { token, isNew }: ReturnType<typeof visitorTokenOf>,
): Promise<Visit | Redirect> {
  const anonymous = contextOf(undefined);
  const resolved = await resolveAddress(anonymous, url, token, isNew);
  if ('redirect' in resolved)
    return { redirect: resolved.redirect, keepsQuery: resolved.target === 'content' };
  const { services } = anonymous;
  // Links, breadcrumbs and addresses lead to hidden pages, too.
  const call = createCaller(Object.assign(contextOf(`Bearer ${resolved.apiToken}`), { listsHidden: true }));
  const isPreview = resolved.shareKey === PREVIEW_KEY;
  const [published, paths] = await Promise.all([
    call.publishedSite.get({
      organizationId: resolved.organization,
      siteId: resolved.site,
      ...(resolved.shareKey !== undefined && !isPreview && { shareKey: resolved.shareKey }),
    }),
    readSitePaths(anonymous.db, resolved.site),
  ]);
  const spaces = placedSpaces(published, paths);
  const place = spaces.find(({ siteSpace }) => siteSpace.id === resolved.siteSpace);
  if (!place) throw new Error('The site space of the address is not on the site.');
  const { site, customizations } = published;
  const root = new URL(`${site.urls.published ?? site.urls.preview}/`.replace(/\/\/$/, '/'));
  // Behind a proxy, the site has the address of the proxy.
  const isForwarded = site.proxy?.isActive === true;
  const absoluteBase = isForwarded ? root.href : new URL(resolved.siteBasePath, url).href;
  return {
    call,
    services,
    organization: resolved.organization,
    published,
    title: site.title,
    pathname: resolved.pathname,
    contextId: resolved.contextId,
    spaces,
    place,
    paths,
    customization: customizations.siteSpaces[place.siteSpace.id] ?? customizations.site,
    base: isForwarded ? absoluteBase : resolved.siteBasePath,
    absoluteBase,
    requestedBase: resolved.siteBasePath,
    isPublic:
      // guard: page-shared-caches
      site.published &&
      resolved.contextId === undefined &&
      token === undefined &&
      (site.visibility === 'public' || site.visibility === 'unlisted'),
    isPreview: !site.published || isPreview,
  };
}

async function resolveAddress(ctx: RequestContext, url: string, token: string | undefined, isNew: boolean) {
  const resolveWith = (jwtToken: string | undefined) =>
    createCaller(ctx).urls.resolvePublished({
      url,
      redirectOnError: true,
      visitor: { ...(jwtToken !== undefined && { jwtToken }) },
    });
  try {
    return await resolveWith(token);
  } catch (error) {
    if (token === undefined || isNew || errorBody(error).status !== 401) throw error;
    return resolveWith(undefined);
  }
}

/** The path on the site for decoded segments. */
export const pathOn = ({ base }: Pick<Visit, 'base'>, segments: readonly string[]): string =>
  base + segments.map(encodeURIComponent).join('/');

/** The address of a page in a site space; without a path, of the first page. */
export const pageHref = (
  visit: Pick<Visit, 'base'>,
  { steps }: PlacedSpace,
  path: string | undefined,
): string => pathOn(visit, segmentsOf(shortestPlace(steps, path)));

/** The result of a call; undefined if the caller cannot see what it is about (400, 403 or 404). */
export async function ifVisible<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call;
  } catch (error) {
    if ([400, 403, 404].includes(errorBody(error).status)) return undefined;
    throw error;
  }
}

/** The site space that contains a space; preferably the current one, also if no space is given. */
export function findPlacedSpace(
  { spaces, place }: Visit,
  space: string | undefined,
): PlacedSpace | undefined {
  if (space === undefined || place.siteSpace.space.id === space) return place;
  return spaces.find(({ siteSpace }) => siteSpace.space.id === space);
}
