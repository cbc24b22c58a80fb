import { z } from 'zod';
import {
  declaredPermission,
  type RequiredPermission,
  requiredPermission,
  VISITOR_LEVEL,
} from '../access/needs.ts';
import { requireSpacePermission } from '../access/require.ts';
import { viewerOf } from '../access/viewer.ts';
import { siteTag, spaceTag } from '../base/cache-tags.ts';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import type { Actor, Visitor } from '../base/principal.ts';
import { authenticatedProcedure, inTransaction, readerProcedure } from '../base/trpc.ts';
import { loadContent, loadContentOnly, loadVisitedContent } from './content.query.ts';

/** A procedure that reads a space's active revision, as `ctx.revision`, and its content, as `ctx.snapshot`. */
export const activeContentProcedure = authenticatedProcedure
  .meta({ need: requiredPermission('space', 'view') })
  .input(z.object({ spaceId: z.string().describe('The id of the space.') }))
  .use((call) =>
    inTransaction(call, async ({ em, db }) => {
      const { ctx, input, next } = call;
      const content = await loadContent(db, ctx.actor, input.spaceId);
      return next({ ctx: { em, db, ...content, viewer: viewerOf(ctx, content.member) } });
    }),
  );

/** The same for any revision of the space. */
export const revisionContentProcedure = authenticatedProcedure
  .meta({ need: requiredPermission('space', 'view') })
  .input(
    z.object({
      spaceId: z.string().describe('The id of the space.'),
      revisionId: z.string().describe('The id of the revision of the space.'),
    }),
  )
  .use((call) =>
    inTransaction(call, async ({ em, db }) => {
      const { ctx, input, next } = call;
      const content = await loadContent(db, ctx.actor, input.spaceId, input.revisionId);
      return next({ ctx: { em, db, ...content, viewer: viewerOf(ctx, content.member) } });
    }),
  );

interface ReaderContext {
  reader: Actor | Visitor;
  db: Db;
  services: Services;
  dependencies?: Set<string>;
}

interface RevisionOfSpace {
  spaceId: string;
  revisionId?: string;
}

/** Loads content for its reader: with a `viewer` for a user, and with `conditions` for a visitor. */
async function contentFor(
  { reader, db, services, dependencies }: ReaderContext,
  { spaceId, revisionId }: RevisionOfSpace,
  need: RequiredPermission<'space'>,
) {
  if (reader.kind === 'visitor') {
    requireSpacePermission(VISITOR_LEVEL, need);
    const content = await loadVisitedContent(db, reader, spaceId, revisionId);
    dependencies?.add(siteTag(reader.site)).add(spaceTag(spaceId));
    return { ...content, viewer: undefined, visitor: reader };
  }
  const { member, level: _, ...content } = await loadContentOnly(db, reader, spaceId, revisionId);
  dependencies?.add(spaceTag(spaceId));
  return {
    ...content,
    conditions: undefined,
    visitor: undefined,
    viewer: viewerOf({ actor: reader, services }, member),
  };
}

type ReaderContent = Awaited<ReturnType<typeof contentFor>>;

/** A procedure for users, and for visitors of a site with the space, that reads the space's active revision. */
export const readContentProcedure = readerProcedure
  .meta({ need: requiredPermission('space', 'view') })
  .input(z.object({ spaceId: z.string().describe('The id of the space.') }))
  .use(async ({ ctx, input, meta, next }) => {
    const content: ReaderContent = await contentFor(ctx, input, declaredPermission(meta, 'space'));
    return next({ ctx: content });
  });

/** The same for any revision of the space; visitors may read only the active one. */
export const readRevisionProcedure = readerProcedure
  .meta({ need: requiredPermission('space', 'view') })
  .input(
    z.object({
      spaceId: z.string().describe('The id of the space.'),
      revisionId: z.string().describe('The id of the revision of the space.'),
    }),
  )
  .use(async ({ ctx, input, meta, next }) => {
    const content: ReaderContent = await contentFor(ctx, input, declaredPermission(meta, 'space'));
    return next({ ctx: content });
  });
