import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../routers/base/context.ts';
import { createCaller } from '../../routers/index.ts';
import { presentCustomization } from '../../routers/sites/customization/customization.api.ts';
import { customizationOf } from '../../routers/sites/customization/customization.ts';
import { refusal } from '../http/http-errors.ts';
import { type Asked, takeApart } from './address.ts';
import { sendAsset } from './assets.ts';
import { readProposal } from './proposal.ts';
import { type PlacedSpace, placedSpaces } from './structure.ts';
import { type ContextOf, orNothing, type Proposal, type Visit } from './visit.ts';

/** Shows what is asked for of a visit. */
export type Show = (
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  asked: Exclude<Asked, { kind: 'asset' }>,
) => Promise<FastifyReply>;

/** What is previewed: the path of the API that it has there, below `/preview`. */
const PREVIEWS = {
  '/orgs/:organizationId/sites/:siteId': (member, { organizationId = '', siteId = '' }) =>
    openSite(member, organizationId, siteId),
  '/spaces/:spaceId/content': (member, { spaceId = '' }) => openSpace(member, spaceId),
  '/spaces/:spaceId/revisions/:revisionId': (member, { spaceId = '', revisionId = '' }) =>
    openSpace(member, spaceId, revisionId),
  '/spaces/:spaceId/change-requests/:changeRequestId': async (
    member,
    { spaceId = '', changeRequestId = '' },
  ) => {
    const proposal = await readProposal(member.call, { spaceId, changeRequestId });
    return { ...(await openSpace(member, spaceId, proposal.revision)), proposal };
  },
} satisfies Record<string, (member: Member, parameters: Record<string, string>) => Promise<Opened>>;

/** Of what a site shows to its visitors, these are for programs and for search engines. */
const SHOWN = new Set(['page', 'markdown', 'search', 'search.json']);

interface Member {
  call: Visit['call'];
  services: Services;
}

/** What a preview shows, before it is known which of it was asked for. */
interface Opened {
  organization: string;
  published: Visit['published'];
  title: string;
  spaces: readonly PlacedSpace[];
  customizations: { default: Visit['customization']; bySpace: Record<string, Visit['customization']> };
  proposal?: Proposal;
}

/**
 * Serves content that is not published, or not yet, to whoever is signed in and may view it: as its pages will look. Others
 * sign in first.
 */
export function mountPreviews(app: FastifyInstance, contextOf: ContextOf, show: Show): void {
  for (const [path, open] of Object.entries(PREVIEWS)) {
    const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { '*': _, ...parameters } = request.params as Record<string, string>;
      const { pathname } = new URL(request.url, 'http://own.invalid');
      const base = `${pathname
        .split('/')
        .slice(0, path.split('/').length + 1)
        .join('/')}/`;
      const address = takeApart(pathname);
      if (!address) throw refusal(404);
      const { asked } = address;
      if (asked.kind === 'asset') {
        if (await sendAsset(request, reply, asked.name)) return reply;
        throw refusal(404);
      }
      if (!SHOWN.has(asked.kind)) throw refusal(404);
      const ctx = contextOf(request, reply, undefined);
      if ((await ctx.authenticate()) === null)
        return reply
          .header('cache-control', 'no-store')
          .redirect(`/auth/sign-in?returnTo=${encodeURIComponent(request.url)}`, 303);
      const { services } = ctx;
      const member = { call: createCaller(ctx), services };
      const visit = visitOf(await open(member, parameters), member, base, address.path);
      if (!visit) throw refusal(404);
      return show(request, reply, visit, asked);
    };
    for (const end of ['', '/*']) app.get(`/preview${path}${end}`, answer);
  }
}

async function openSite({ call }: Member, organizationId: string, siteId: string): Promise<Opened> {
  const published = await call.publishedSite.get({ organizationId, siteId });
  const { site, siteSpaces } = published.customizations;
  return {
    organization: organizationId,
    published,
    title: published.site.title,
    spaces: placedSpaces(published),
    customizations: { default: site, bySpace: siteSpaces },
  };
}

/** A space by itself, which looks as it does on its site; without one, as a site does before anything is set. */
async function openSpace({ call }: Member, spaceId: string, revision?: string): Promise<Opened> {
  const space = await call.spaces.get({ spaceId });
  const { id, title, organization } = space;
  const look = await lookOf(call, organization, spaceId);
  return {
    organization,
    published: undefined,
    title,
    spaces: [
      {
        siteSpace: { id, title, space: { ...space, revision: revision ?? space.revision } },
        section: undefined,
        segments: [],
      },
    ],
    customizations: {
      default: look ?? presentCustomization(customizationOf({ customization: null })),
      bySpace: {},
    },
  };
}

/** Sites of a space among which one is chosen. */
const MAX_SITES = 50;

/**
 * The customization of a space on a site that shows it, of those that the member may view: on the oldest one that is
 * published, or else on the oldest one.
 */
async function lookOf(
  call: Visit['call'],
  organizationId: string,
  space: string,
): Promise<Visit['customization'] | undefined> {
  // Guests of a space may not list sites.
  const sites = await orNothing(call.sites.list({ organizationId, space, limit: MAX_SITES }));
  const oldestFirst = sites?.items.toReversed() ?? [];
  const site = oldestFirst.find(({ published }) => published) ?? oldestFirst[0];
  if (!site) return undefined;
  const published = await orNothing(call.publishedSite.get({ organizationId, siteId: site.id }));
  const shown = published && placedSpaces(published).find(({ siteSpace }) => siteSpace.space.id === space);
  if (!shown) return undefined;
  const { customizations } = published;
  return customizations.siteSpaces[shown.siteSpace.id] ?? customizations.site;
}

/** What the path below the base names: the site space whose path is the longest, and the page. */
function visitOf(
  { customizations, ...opened }: Opened,
  { call, services }: Member,
  base: string,
  path: string,
): Visit | undefined {
  // The router has refused what cannot be decoded.
  const rest = path.slice(base.length).split('/').filter(Boolean).map(decodeURIComponent);
  const [place] = opened.spaces
    .filter(({ segments }) => segments.every((segment, index) => segment === rest[index]))
    .sort((a, b) => b.segments.length - a.segments.length);
  if (!place) return undefined;
  return {
    ...opened,
    call,
    services,
    place,
    pathname: rest.slice(place.segments.length).join('/'),
    customization: customizations.bySpace[place.siteSpace.id] ?? customizations.default,
    base,
    absoluteBase: services.urls.absolute(base),
    requestedBase: base,
    isPublic: false,
    isPreview: true,
    isMember: true,
  };
}
