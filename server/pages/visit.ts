import type { FastifyReply, FastifyRequest } from 'fastify';
import { PREVIEW_KEY } from '../../routers/addresses/published.ts';
import { MAX_TOKEN, TOKEN_PARAMETER } from '../../routers/audience/visitor-jwt.ts';
import type { Services } from '../../routers/base/context.ts';
import { createCaller } from '../../routers/index.ts';
import { cookieOf } from '../auth/browser.ts';
import type { RequestContext } from '../context.ts';
import { errorBody } from '../http/http-errors.ts';
import { type Customization, type PlacedSpace, type PublishedSite, placedSpaces } from './structure.ts';

type Call = ReturnType<typeof createCaller>;

/** Makes the context of a request: `authorization` is the header that a program would send. */
export type ContextOf = (
  request: FastifyRequest,
  reply: FastifyReply,
  authorization: string | undefined,
) => RequestContext;

/** The cookie that keeps the token of a visitor, below the path of a site. */
const COOKIE = 'colophon_visitor';

/** Browsers keep no larger cookies. */
const MAX_COOKIE = 3900;

/** A site as one visitor has it: what they opened, and the procedures as they may call them. */
export interface Visit {
  call: Call;
  services: Services;
  organization: string;
  /** The site; undefined for content that a member looks at by itself. */
  published: PublishedSite | undefined;
  title: string;
  /** The path of the page, decoded. */
  pathname: string;
  /** Names the claims of a visitor. */
  contextId?: string | undefined;
  /** All site spaces, and the one that the address names. */
  spaces: readonly PlacedSpace[];
  place: PlacedSpace;
  customization: Customization;
  /** What links of the site begin with; ends with a slash. */
  base: string;
  /** The same with the origin, whatever host the request came to. */
  absoluteBase: string;
  /** Where the site begins on the host that the request came to. */
  requestedBase: string;
  /** Whether anybody would be shown the same. */
  isPublic: boolean;
  /** Whether it is looked at before, or other than, the public sees it. */
  isPreview: boolean;
  /** Whether it is what a member sees who is signed in: it is never kept. */
  isMember?: boolean;
  /** What a change request changes, if it is one that is looked at. */
  proposal?: Proposal | undefined;
}

/** What a change request changes. */
export interface Proposal {
  number: number;
  subject: string;
  /** The revision that it is compared with. */
  base: string;
  /** The pages that are changed, by id. */
  pages: ReadonlyMap<string, ChangedPage>;
  /** Changes beyond those that were looked for. */
  more: number;
}

export interface ChangedPage {
  mark: Mark;
  title: string;
  /** Undefined for what has no page of its own. */
  path?: string | undefined;
}

/** How something differs from what a change request is compared with. */
export type Mark = 'added' | 'changed' | 'removed';

export const titleOf = ({ customization, title }: Visit): string => customization.title ?? title;

/** Where a request is sent instead. */
export interface Elsewhere {
  redirect: string;
}

/** The token that a visitor brings: of the query, else of the cookie of the site. */
export const tokenOf = ({ headers, query }: FastifyRequest): { token?: string; isNew: boolean } => {
  const given = (query as Record<string, unknown>)[TOKEN_PARAMETER];
  if (typeof given === 'string' && given !== '') return { token: given.slice(0, MAX_TOKEN + 1), isNew: true };
  const kept = cookieOf(headers.cookie, COOKIE);
  return kept === undefined || kept === '' ? { isNew: false } : { token: kept, isNew: false };
};

/** Has the browser keep the token of a visitor for a site; false if it is too long for that. */
export function keepToken(reply: FastifyReply, token: string, { pathname, protocol }: URL): boolean {
  if (token.length > MAX_COOKIE || !/^[\w.-]+$/.test(token)) return false;
  const path = pathname.replace(/\/$/, '') || '/';
  const secure = protocol === 'https:' ? '; Secure' : '';
  reply.header('set-cookie', `${COOKIE}=${token}; Path=${path}; HttpOnly; SameSite=Lax${secure}`);
  return true;
}

/**
 * Opens the site at an address, for whoever brings this token. A kept token that is not good any more counts as none.
 * @throws what the procedures throw: `NOT_FOUND`, or `UNAUTHORIZED` for visitors who have to be authenticated
 */
export async function openSite(
  contextOf: (authorization: string | undefined) => RequestContext,
  url: string,
  { token, isNew }: ReturnType<typeof tokenOf>,
): Promise<Visit | Elsewhere> {
  const nobody = contextOf(undefined);
  const found = await resolve(nobody, url, token, isNew);
  if ('redirect' in found) return { redirect: found.redirect };
  const { services } = nobody;
  const call = createCaller(contextOf(`Bearer ${found.apiToken}`));
  const isPreview = found.shareKey === PREVIEW_KEY;
  const published = await call.publishedSite.get({
    organizationId: found.organization,
    siteId: found.site,
    ...(found.shareKey !== undefined && !isPreview && { shareKey: found.shareKey }),
  });
  const spaces = placedSpaces(published);
  const place = spaces.find(({ siteSpace }) => siteSpace.id === found.siteSpace);
  if (!place) throw new Error('The site space of the address is not on the site.');
  const { site, customizations } = published;
  const root = new URL(`${site.urls.published ?? site.urls.preview}/`.replace(/\/\/$/, '/'));
  // A service that forwards requests shows the site at its own address.
  const isForwarded = site.proxy?.isActive === true;
  const absoluteBase = isForwarded ? root.href : new URL(found.siteBasePath, url).href;
  return {
    call,
    services,
    organization: found.organization,
    published,
    title: site.title,
    pathname: found.pathname,
    contextId: found.contextId,
    spaces,
    place,
    customization: customizations.siteSpaces[place.siteSpace.id] ?? customizations.site,
    base: isForwarded ? absoluteBase : found.siteBasePath,
    absoluteBase,
    requestedBase: found.siteBasePath,
    isPublic:
      site.published &&
      found.contextId === undefined &&
      token === undefined &&
      (site.visibility === 'public' || site.visibility === 'unlisted'),
    isPreview: !site.published || isPreview,
  };
}

async function resolve(ctx: RequestContext, url: string, token: string | undefined, isNew: boolean) {
  const look = (jwtToken: string | undefined) =>
    createCaller(ctx).urls.resolvePublished({
      url,
      redirectOnError: true,
      visitor: { ...(jwtToken !== undefined && jwtToken.length <= MAX_TOKEN && { jwtToken }) },
    });
  try {
    return await look(token);
  } catch (error) {
    if (token === undefined || isNew || errorBody(error).status !== 401) throw error;
    return look(undefined);
  }
}

/** A path on the site, from its decoded segments. */
export const pathOn = ({ base }: Pick<Visit, 'base'>, segments: readonly string[]): string =>
  base + segments.map(encodeURIComponent).join('/');

/** The address of a page of a site space; without a path, of its first one. */
export const pageHref = (
  visit: Pick<Visit, 'base'>,
  { segments }: PlacedSpace,
  path: string | undefined,
): string => pathOn(visit, [...segments, ...(path ? path.split('/') : [])]);

/** What a procedure answers; undefined for what is not there for its caller. */
export async function orNothing<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer;
  } catch (error) {
    if ([400, 403, 404].includes(errorBody(error).status)) return undefined;
    throw error;
  }
}
