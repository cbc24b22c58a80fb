import { z } from 'zod';
import { requiredPermission } from '../access/needs.ts';
import { userProcedure } from '../access/procedures.ts';
import { requireCollection } from '../access/require.ts';
import { viewerOf } from '../access/viewer.ts';
import { signVisitorToken } from '../access/visitor-token.ts';
import { MAX_TOKEN } from '../audience/visitor-jwt.ts';
import { siteTag, spaceTag } from '../base/cache-tags.ts';
import type { Context, Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { publicProcedure, router } from '../base/trpc.ts';
import { presentChangeRequest } from '../change-requests/change-requests.api.ts';
import { loadChangeRequest } from '../change-requests/change-requests.query.ts';
import { presentCollection } from '../collections/collections.api.ts';
import { allPagesOf, viewOf } from '../content/content.handlers.ts';
import { loadContent } from '../content/content.query.ts';
import { presentPage } from '../content/pages.api.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { presentSpace } from '../spaces/spaces.api.ts';
import { findContent, type NamedContent } from './content.query.ts';
import { type ResolveOptions, resolveAddress } from './resolve.query.ts';
import { route } from './route.ts';
import {
  ContentLookupObject,
  PublishedContentLookupObject,
  presentFoundContent,
  presentRedirection,
} from './urls.api.ts';

/** Of requests that anyone may send, in bytes. */
const BODY_LIMIT = 32 * 1024;

const PublishedUrl = z
  .url()
  .max(2048 + MAX_TOKEN)
  .describe('The address that a reader opens. A `jwt_token` in its query is the token of the visitor.');

const redirectOnError = z
  .boolean()
  .default(false)
  .describe(
    'Whether visitors with an invalid token are sent to the fallback address, where they are authenticated.',
  );

const OPEN = {
  public: true,
  denials: [401, 404],
  description:
    'Resolves an address for a visitor, by the share key, token and claims that they bring; who calls does not matter. 404 for what they are not shown, 401 if they have to be authenticated and the site has no fallback address, or if their token is refused.',
} as const;

export const urlsRouter = router({
  getContent: userProcedure
    .meta(
      route.get('/urls/content', 'Resolve the address of content', 'getContentByUrl', {
        description:
          'Takes addresses of the web app, as in `urls.app`, and of sites, for those who may view the content.',
        denials: [404],
      }),
    )
    .input(z.object({ url: z.string().max(2048).describe('The address to look up.') }))
    .output(ContentLookupObject)
    .query(async ({ ctx, input }) => {
      const named = await findContent(ctx.db, ctx.services.urls, input.url);
      if (!named) throw notFound('content');
      try {
        return await readNamed(ctx, named);
      } catch (error) {
        // What exactly is not there would tell that there is a site at the address.
        if (error instanceof DomainError && error.code === 'not-found') throw notFound('content');
        throw error;
      }
    }),

  getPublished: publicProcedure
    .meta(
      route.get('/urls/published', 'Resolve the address of published content', 'getPublishedContentByUrl', {
        ...OPEN,
        deprecated: true,
      }),
    )
    .input(
      z.object({
        url: PublishedUrl.describe('The address to look up.'),
        visitorAuthToken: z
          .string()
          .max(MAX_TOKEN)
          .optional()
          .describe("The token of the visitor, signed by the site's authentication backend."),
        redirectOnError,
      }),
    )
    .output(PublishedContentLookupObject)
    .query(({ ctx, input: { url, visitorAuthToken, redirectOnError } }) =>
      lookUp(ctx, url, { visitorToken: visitorAuthToken, redirectOnError }),
    ),

  resolvePublished: publicProcedure
    .meta(
      route.post(
        '/urls/published',
        'Resolve the address of published content',
        'resolvePublishedContentByUrl',
        { ...OPEN, bodyLimit: BODY_LIMIT },
      ),
    )
    .input(
      z.object({
        url: PublishedUrl.describe('The address to look up.'),
        redirectOnError,
        visitor: z
          .object({
            jwtToken: z
              .string()
              .max(MAX_TOKEN)
              .optional()
              .describe("The token of the visitor, signed by the site's authentication backend."),
            unsignedClaims: z
              .record(z.string(), z.unknown())
              .optional()
              .describe('Claims that the visitor sets without proof.'),
          })
          .optional()
          .describe('Who visits.'),
      }),
    )
    .output(PublishedContentLookupObject)
    .mutation(({ ctx, input: { url, redirectOnError, visitor } }) => {
      const { jwtToken: visitorToken, unsignedClaims } = visitor ?? {};
      return lookUp(ctx, url, { visitorToken, unsignedClaims, redirectOnError });
    }),
});

const VIEW = requiredPermission('collection', 'view');

interface NamedContext {
  db: Db;
  actor: Actor;
  services: Services;
  engine: Engine;
}

async function readNamed(
  ctx: NamedContext,
  named: NamedContent,
): Promise<z.infer<typeof ContentLookupObject>> {
  if (named.kind === 'space') return readNamedSpace(ctx, named);
  const { collection, level, member } = await requireCollection(ctx.db, ctx.actor, named.collection, VIEW);
  return { collection: presentCollection(collection, level, viewerOf(ctx, member)) };
}

type NamedSpace = Extract<NamedContent, { kind: 'space' }>;

/** A space with the page and the change request that an address names. */
async function readNamedSpace(
  { db, actor, services, engine }: NamedContext,
  named: NamedSpace,
): Promise<z.infer<typeof ContentLookupObject>> {
  const revision = 'revision' in named ? named.revision : undefined;
  const content = await loadContent(db, actor, named.space, revision);
  const viewer = viewerOf({ actor, services }, content.member);
  const { space, level, snapshot } = content;
  const shown = { space: presentSpace(space, level, viewer, space.published) };
  if ('changeRequest' in named && named.changeRequest !== undefined) {
    const found = await loadChangeRequest(db, actor, space.id, named.changeRequest);
    const view = { createdBy: found.createdBy, spaceRevision: space.revision, viewer };
    return { ...shown, changeRequest: presentChangeRequest(found.changeRequest, view) };
  }
  const pages = allPagesOf({ db, services, engine, space, snapshot }, { computed: true });
  const page = 'path' in named ? await pages.pageByPath(named.path) : undefined;
  const id = page?.id ?? ('page' in named ? named.page : undefined);
  const node = id === undefined ? undefined : await pages.subtree(id);
  const isNamed = 'path' in named ? named.path.length > 0 : 'page' in named;
  if (!node && isNamed) throw notFound('page');
  if (!node) return shown;
  const view = viewOf({ services, space, conditions: undefined }, { metadata: true });
  return { ...shown, page: presentPage(node, view) };
}

async function lookUp(
  { db, services, dependencies }: Pick<Context, 'db' | 'services' | 'dependencies'>,
  url: string,
  arrival: ResolveOptions,
) {
  const found = await resolveAddress({ db, services }, url, arrival);
  if ('target' in found) return presentRedirection(found);
  dependencies?.add(siteTag(found.site.id)).add(spaceTag(found.place.siteSpace.chosen.space));
  return presentFoundContent(found, await signVisitorToken(services.signer, found.visitor), services.urls);
}
