import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { Space } from '../../schema/entities/space.ts';
import { isId } from '../../schema/json/id.ts';
import { text } from '../../schema/json/text.ts';
import { lockSite } from '../audience/lock.operation.ts';
import { kyselyOf } from '../base/db.ts';
import type { ImportProgress } from '../base/ports.ts';
import { operatorJobProcedure, router } from '../base/trpc.ts';
import { saveEmptyRoot } from '../branches/revisions.operation.ts';
import { DomainError } from '../engine/errors.ts';
import { importSource } from '../imports/import.operation.ts';
import { ImportOutcomeObject } from '../imports/imports.api.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { contentsOf } from '../placement/contents.query.ts';
import { positionAtEnd } from '../placement/siblings.operation.ts';
import { importRedirects, requireSiteSpace } from '../redirects/import.operation.ts';
import { createSpace, type SpaceIds } from '../spaces/spaces.operation.ts';
import { openFolder } from './folder-source.ts';
import { lookUpAuthor, lookUpOrganization, lookUpSite, lookUpSpaceByTitle } from './lookup.operation.ts';

export const installationContentRouter = router({
  /** Imports a folder of this machine into a space, and reports progress: merges the changes since its last import. */
  importFolder: operatorJobProcedure
    .input(
      z.object({
        folder: z.string().min(1).describe('The path of a documentation repository on this machine.'),
        space: text({ min: 1, max: 50 }).describe(
          'The id or title of the space; a new title creates a space.',
        ),
        organization: z
          .string()
          .optional()
          .describe('The id or title of the organization; optional if there is only one.'),
        user: z
          .string()
          .optional()
          .describe('The id or e-mail address of the author; the first admin by default.'),
        site: z
          .string()
          .optional()
          .describe('The id or title of a site with the space, which gets the redirects of the folder.'),
        changeRequest: z
          .boolean()
          .optional()
          .describe('Whether everything goes into a change request, as for a locked space.'),
        dryRun: z.boolean().optional().describe('Whether nothing is written.'),
        onProgress: z
          .custom<(progress: ImportProgress) => void>((value) => typeof value === 'function')
          .optional(),
      }),
    )
    .output(ImportOutcomeObject)
    .mutation(async ({ ctx, input }) => {
      const source = await openFolder(input.folder);
      const { organization, author, known, site } = await ctx.transaction((em) => findSpace(em, input));
      const create = (em: SqlEntityManager, ids: SpaceIds) =>
        createSpaceForImport(em, { organization, title: input.space, author, ids });
      const { changeRequest, dryRun, onProgress } = input;
      return importSource(ctx, {
        space: known ?? { organization, create },
        author,
        source,
        changeRequest,
        dryRun,
        onProgress,
        ...(site !== undefined && {
          lockFirst: (em) => lockSite(em, site),
          onRedirects: (em, imported) => importRedirects(em, { site, ...imported }),
        }),
      });
    }),
});

interface ImportNames {
  space: string;
  organization?: string | undefined;
  user?: string | undefined;
  site?: string | undefined;
}

/**
 * The author, organization and site of an import, and the space with this id or title; undefined if the title is new.
 * @throws DomainError `conflict` if several spaces have the title, `invalid` if the site does not show the space.
 */
async function findSpace(em: SqlEntityManager, named: ImportNames) {
  const { id: organization } = await lookUpOrganization(em, named.organization);
  const author = await lookUpAuthor(em, organization, named.user);
  const site = named.site === undefined ? undefined : await lookUpSite(em, organization, named.site);
  const living = { organization, deletedAt: null };
  const byId = isId(named.space) ? await em.findOne(Space, { ...living, id: named.space }) : null;
  const space = byId ?? (await lookUpSpaceByTitle(em, organization, named.space));
  // An import can take minutes: checks now what would make it fail at the end.
  if (site !== undefined) await requireSiteSpace(kyselyOf(em), site, space?.id);
  return { organization, author, site, known: space?.id };
}

/** @throws DomainError `conflict` if another import has created a space with this title in the meantime */
async function createSpaceForImport(
  em: SqlEntityManager,
  {
    organization,
    title,
    author,
    ids,
  }: { organization: string; title: string; author: string; ids: SpaceIds },
): Promise<Space> {
  const db = kyselyOf(em);
  await lockOrganizations(db, organization);
  if (await em.findOne(Space, { organization, title, deletedAt: null })) {
    throw new DomainError('conflict', 'A space with this title was created during the import; import again.');
  }
  const position = await positionAtEnd(db, contentsOf({ organization, parent: null }));
  const root = await saveEmptyRoot(em);
  const space = createSpace(em, { ids, organization, parent: null, position, title, author, root });
  await em.flush();
  return space;
}
