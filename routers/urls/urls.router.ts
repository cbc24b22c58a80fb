import { z } from 'zod';
import { requiredPermission } from '../access/needs.ts';
import { userProcedure } from '../access/procedures.ts';
import { requireCollection } from '../access/require.ts';
import { viewerOf } from '../access/viewer.ts';
import { signVisitorToken } from '../access/visitor-token.ts';
import { MAX_TOKEN, MAX_TOKEN_INPUT } from '../audience/visitor-jwt.ts';
import { siteTag, spaceTag } from '../base/cache-tags.ts';
import type { Context, Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { publicProcedure, router } from '../base/trpc.ts';
import { presentChangeRequest } from '../change-requests/change-requests.api.ts';
import { loadChangeRequest } from '../change-requests/change-requests.query.ts';
import { presentCollection } from '../collections/collections.api.ts';
import { loadContent } from '../content/content.query.ts';
import { presentPage } from '../content/pages.api.ts';
import { allPagesOf, viewOf } from '../content/readable-content.query.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { presentSpace } from '../spaces/spaces.api.ts';
import { type ContentTarget, resolveContentUrl } from './content.query.ts';
import { type ResolveOptions, resolveAddress } from './resolve.query.ts';
import { route } from './route.ts';
import {
  ContentLookupObject,
  PublishedContentLookupObject,
  presentResolvedContent,
  presentUrlRedirect,
} from './urls.api.ts';

/** The limit for requests that anyone may send, in bytes. */
const BODY_LIMIT = 32 * 1024;

const PublishedUrl = z
  .url()
  .max(2048 + MAX_TOKEN)
  .describe(
    'The address that a reader opens. A `jwt_token` parameter in its query is the token of the visitor.',
  );

const redirectOnError = z
  .boolean()
  .default(false)
  .describe(
    'Whether visitors with an invalid token are redirected to the fallback URL, where they are authenticated.',
  );

const OPEN = {
  public: true,
  denials: [401, 404],
  description:
    'Resolves an address for a visitor, by their share key, token and claims; the identity of the caller does not matter. 404 for content that they may not see, 401 if they must be authenticated and the site has no fallback URL, or if their token is rejected.',
} as const;

export const urlsRouter = router({
  getContent: userProcedure
    .meta(
      route.get('/urls/content', 'Resolve the address of content', 'getContentByUrl', {
        description:
          'Accepts addresses of the web app, as in `urls.app`, and of sites, and returns content that the caller may view.',
        denials: [404],
      }),
    )
    .input(z.object({ url: z.string().max(2048).describe('The address to look up.') }))
    .output(ContentLookupObject)
    .query(async ({ ctx, input }) => {
      const target = await resolveContentUrl(ctx.db, ctx.services.urls, input.url);
      if (!target) throw notFound('content');
      try {
        return await readTarget(ctx, target);
      } catch (error) {
        // A precise message would reveal that there is a site at the address.
        // guard: url-not-told
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
          .max(MAX_TOKEN_INPUT)
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
              .max(MAX_TOKEN_INPUT)
              .optional()
              .describe("The token of the visitor, signed by the site's authentication backend."),
            unsignedClaims: z
              .record(z.string(), z.unknown())
              .optional()
              .describe('Claims that are set by the visitor, without a signature.'),
          })
          .optional()
          .describe('The credentials of the visitor.'),
      }),
    )
    .output(PublishedContentLookupObject)
    .mutation(({ ctx, input: { url, redirectOnError, visitor } }) => {
      const { jwtToken: visitorToken, unsignedClaims } = visitor ?? {};
      return lookUp(ctx, url, { visitorToken, unsignedClaims, redirectOnError });
    }),
});

const VIEW = requiredPermission('collection', 'view');

interface LookupContext {
  db: Db;
  actor: Actor;
  services: Services;
  engine: Engine;
}

async function readTarget(
  ctx: LookupContext,
  target: ContentTarget,
): Promise<z.infer<typeof ContentLookupObject>> {
  if (target.kind === 'space') return readSpaceTarget(ctx, target);
  const { collection, level, member } = await requireCollection(ctx.db, ctx.actor, target.collection, VIEW);
  return { collection: presentCollection(collection, level, viewerOf(ctx, member)) };
}

type SpaceTarget = Extract<ContentTarget, { kind: 'space' }>;

/** A space, with the page or the change request that an address refers to. */
async function readSpaceTarget(
  { db, actor, services, engine }: LookupContext,
  target: SpaceTarget,
): Promise<z.infer<typeof ContentLookupObject>> {
  const revision = 'revision' in target ? target.revision : undefined;
  const content = await loadContent(db, actor, target.space, revision);
  const viewer = viewerOf({ actor, services }, content.member);
  const { space, level, snapshot } = content;
  const presented = { space: presentSpace(space, level, viewer, space.published) };
  if ('changeRequest' in target && target.changeRequest !== undefined) {
    const found = await loadChangeRequest(db, actor, space.id, target.changeRequest);
    const view = { createdBy: found.createdBy, spaceRevision: space.revision, viewer };
    return { ...presented, changeRequest: presentChangeRequest(found.changeRequest, view) };
  }
  const pages = allPagesOf({ db, services, engine, space, snapshot }, { computed: true });
  const page = 'path' in target ? await pages.pageByPath(target.path) : undefined;
  const id = page?.id ?? ('page' in target ? target.page : undefined);
  const node = id === undefined ? undefined : await pages.subtree(id);
  const isPageExpected = 'path' in target ? target.path.length > 0 : 'page' in target;
  if (!node && isPageExpected) throw notFound('page');
  if (!node) return presented;
  const view = viewOf({ services, space, conditions: undefined }, { metadata: true });
  return { ...presented, page: presentPage(node, view) };
}

async function lookUp(
  { db, services, dependencies }: Pick<Context, 'db' | 'services' | 'dependencies'>,
  url: string,
  options: ResolveOptions,
) {
  const resolved = await resolveAddress({ db, services }, url, options);
  if ('target' in resolved) return presentUrlRedirect(resolved);
  dependencies?.add(siteTag(resolved.site.id)).add(spaceTag(resolved.place.siteSpace.chosen.space));
  return presentResolvedContent(
    resolved,
    await signVisitorToken(services.signer, resolved.visitor),
    services.urls,
  );
}
