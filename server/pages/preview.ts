import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { resolveSitePath } from '../../routers/addresses/resolve-path.ts';
import { NO_PATHS, type SitePaths } from '../../routers/addresses/shortest-place.ts';
import { readSitePaths } from '../../routers/addresses/site-paths.query.ts';
import type { Services } from '../../routers/base/context.ts';
import type { Db } from '../../routers/base/db.ts';
import { createCaller } from '../../routers/index.ts';
import { presentCustomization } from '../../routers/sites/customization/customization.api.ts';
import { customizationOf } from '../../routers/sites/customization/customization.ts';
import { httpError } from '../http/http-errors.ts';
import { type PageResource, parsePageAddress } from './address.ts';
import { sendAsset } from './assets.ts';
import { loadPreviewedChangeRequest } from './change-request-preview.ts';
import { type PlacedSpace, pathOptionsOf, placedSpaces } from './structure.ts';
import { type ContextOf, ifVisible, type PreviewedChangeRequest, type Visit } from './visit.ts';

/** Sends the requested resource of a visit. */
export type SendResource = (
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  resource: Exclude<PageResource, { kind: 'asset' }>,
) => Promise<FastifyReply>;

/** What can be previewed, by its path in the API, which follows `/preview`. */
const PREVIEWS = {
  '/orgs/:organizationId/sites/:siteId': (member, { organizationId = '', siteId = '' }) =>
    previewSite(member, organizationId, siteId),
  '/spaces/:spaceId/content': (member, { spaceId = '' }) => previewSpace(member, spaceId),
  '/spaces/:spaceId/revisions/:revisionId': (member, { spaceId = '', revisionId = '' }) =>
    previewSpace(member, spaceId, revisionId),
  '/spaces/:spaceId/change-requests/:changeRequestId': async (
    member,
    { spaceId = '', changeRequestId = '' },
  ) => {
    const changeRequest = await loadPreviewedChangeRequest(member.call, { spaceId, changeRequestId });
    return { ...(await previewSpace(member, spaceId, changeRequest.revision)), changeRequest };
  },
} satisfies Record<string, (member: Member, parameters: Record<string, string>) => Promise<PreviewedContent>>;

/** Resources that previews serve. Sites also have others, for programs and search engines. */
const PREVIEWABLE = new Set(['page', 'markdown', 'search', 'search.json']);

interface Member {
  db: Db;
  call: Visit['call'];
  services: Services;
}

/** The content of a preview, before the requested page is resolved. */
interface PreviewedContent {
  organization: string;
  published: Visit['published'];
  title: string;
  spaces: readonly PlacedSpace[];
  paths: SitePaths;
  customizations: { default: Visit['customization']; bySpace: Record<string, Visit['customization']> };
  changeRequest?: PreviewedChangeRequest;
}

/**
 * Serves previews of content, published or not, to signed-in users who may view it, as its pages will look. Anybody else is
 * sent to sign in.
 */
export function mountPreviews(app: FastifyInstance, contextOf: ContextOf, sendResource: SendResource): void {
  for (const [path, preview] of Object.entries(PREVIEWS)) {
    const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { '*': _, ...parameters } = request.params as Record<string, string>;
      const { pathname } = new URL(request.url, 'http://own.invalid');
      const base = `${pathname
        .split('/')
        .slice(0, path.split('/').length + 1)
        .join('/')}/`;
      const parsed = parsePageAddress(pathname);
      if (!parsed) throw httpError(404);
      const { resource } = parsed;
      if (resource.kind === 'asset') {
        if (await sendAsset(request, reply, resource.name)) return reply;
        throw httpError(404);
      }
      if (!PREVIEWABLE.has(resource.kind)) throw httpError(404);
      const ctx = contextOf(request, reply, undefined);
      // guard: page-preview-session
      if ((await ctx.authenticate()) === null)
        return reply
          .header('cache-control', 'no-store')
          .redirect(`/auth/sign-in?returnTo=${encodeURIComponent(request.url)}`, 303);
      const { db, services } = ctx;
      const member = { db, call: createCaller(ctx), services };
      const visit = visitOf(await preview(member, parameters), member, base, parsed.path);
      if (!visit) throw httpError(404);
      return sendResource(request, reply, visit, resource);
    };
    for (const end of ['', '/*']) app.get(`/preview${path}${end}`, handle);
  }
}

async function previewSite(
  { db, call }: Member,
  organizationId: string,
  siteId: string,
): Promise<PreviewedContent> {
  const [published, paths] = await Promise.all([
    call.publishedSite.get({ organizationId, siteId }),
    readSitePaths(db, siteId),
  ]);
  const { site, siteSpaces } = published.customizations;
  return {
    organization: organizationId,
    published,
    title: published.site.title,
    spaces: placedSpaces(published, paths),
    paths,
    customizations: { default: site, bySpace: siteSpaces },
  };
}

/** Previews a space with the customization that it has on its site, or else with the defaults. */
async function previewSpace({ call }: Member, spaceId: string, revision?: string): Promise<PreviewedContent> {
  const space = await call.spaces.get({ spaceId });
  const { id, title, organization } = space;
  const customization = await customizationOnSite(call, organization, spaceId);
  return {
    organization,
    published: undefined,
    title,
    spaces: [
      {
        siteSpace: { id, title, space: { ...space, revision: revision ?? space.revision } },
        section: undefined,
        steps: {},
      },
    ],
    paths: NO_PATHS,
    customizations: {
      default: customization ?? presentCustomization(customizationOf({ customization: null })),
      bySpace: {},
    },
  };
}

/** Maximum number of sites to choose a customization from. */
const MAX_SITES = 50;

/**
 * The customization of a space on a site that the member may view: on the oldest published site with the space, or else on the
 * oldest one.
 */
async function customizationOnSite(
  call: Visit['call'],
  organizationId: string,
  space: string,
): Promise<Visit['customization'] | undefined> {
  // Guests of a space may not list sites.
  const sites = await ifVisible(call.sites.list({ organizationId, space, limit: MAX_SITES }));
  const oldestFirst = sites?.items.toReversed() ?? [];
  const site = oldestFirst.find(({ published }) => published) ?? oldestFirst[0];
  if (!site) return undefined;
  const published = await ifVisible(call.publishedSite.get({ organizationId, siteId: site.id }));
  const spaces = published ? placedSpaces(published, NO_PATHS) : [];
  const shown = spaces.find(({ siteSpace }) => siteSpace.space.id === space);
  if (!published || !shown) return undefined;
  const { customizations } = published;
  return customizations.siteSpaces[shown.siteSpace.id] ?? customizations.site;
}

/** Resolves the path below the base, as on the site; what the member cannot view is replaced by the first that they can. */
function visitOf(
  { customizations, ...content }: PreviewedContent,
  { call, services }: Member,
  base: string,
  path: string,
): Visit | undefined {
  // The router has already rejected paths that cannot be decoded.
  const rest = path.slice(base.length).split('/').filter(Boolean).map(decodeURIComponent);
  const { published, paths, spaces } = content;
  const resolved =
    published && resolveSitePath(pathOptionsOf(published, paths), rest, { fallsBackToFirst: true });
  if (published && !resolved) return undefined;
  const place = resolved
    ? spaces.find(({ siteSpace }) => siteSpace.id === resolved.siteSpace.chosen.id)
    : spaces[0];
  if (!place) return undefined;
  return {
    ...content,
    call,
    services,
    place,
    pathname: rest.slice(resolved?.used ?? 0).join('/'),
    customization: customizations.bySpace[place.siteSpace.id] ?? customizations.default,
    base,
    absoluteBase: services.urls.absolute(base),
    requestedBase: base,
    isPublic: false,
    isPreview: true,
    isMember: true,
  };
}
