import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { Space } from '../../schema/entities/space.ts';
import { isId } from '../../schema/ids.ts';
import { lockPlaces, positionAtEnd } from '../collections/placement.operation.ts';
import { openFolder } from '../content/import/folder.ts';
import { type ImportProgress, importSource } from '../content/import.operation.ts';
import { saveEmptyRoot } from '../content/revisions.operation.ts';
import { kyselyOf } from '../context.ts';
import { DomainError } from '../errors.ts';
import { text } from '../inputs.ts';
import { createSpace } from '../spaces/spaces.operation.ts';
import { operatorJobProcedure, router } from '../trpc.ts';
import { ImportOutcomeObject } from './installation.api.ts';
import { lookUpAuthor, lookUpOnlyOrganization, lookUpOrganization } from './lookup.operation.ts';

export const installationContentRouter = router({
  /** Makes the content of a space that of a folder on this machine. Progress is told as it goes, for people. */
  importFolder: operatorJobProcedure
    .input(
      z.object({
        folder: z.string().min(1).describe('A documentation repository: a path on this machine.'),
        space: text({ min: 1, max: 50 }).describe(
          'Id of the space, or its title; a new one is made for a new title.',
        ),
        organization: z.string().optional().describe('Id or title; without it, the only one there is.'),
        user: z
          .string()
          .optional()
          .describe('Id or e-mail address of the author; without it, the first admin.'),
        onProgress: z
          .custom<(progress: ImportProgress) => void>((value) => typeof value === 'function')
          .optional(),
      }),
    )
    .output(ImportOutcomeObject)
    .mutation(async ({ ctx, input }) => {
      const source = await openFolder(input.folder);
      const { space, author } = await ctx.transaction((em) => findOrCreateSpace(em, input));
      const outcome = await importSource(ctx, { space, author, source, onProgress: input.onProgress });
      return { space, ...outcome };
    }),
});

interface Named {
  space: string;
  organization?: string | undefined;
  user?: string | undefined;
}

/**
 * The living space of an organization with this id or title; one is made for a title that none bears.
 * @throws DomainError `conflict` when several bear it.
 */
async function findOrCreateSpace(
  em: SqlEntityManager,
  named: Named,
): Promise<{ space: string; author: string }> {
  const organization = named.organization
    ? await lookUpOrganization(em, named.organization)
    : await lookUpOnlyOrganization(em);
  const author = await lookUpAuthor(em, organization.id, named.user);
  const db = kyselyOf(em);
  // Two imports under one new title at once make one space.
  await lockPlaces(db, organization.id);
  const living = { organization: organization.id, deletedAt: null };
  const byId = isId(named.space) ? await em.findOne(Space, { ...living, id: named.space }) : null;
  if (byId) return { space: byId.id, author };
  const [space, other] = await em.find(Space, { ...living, title: named.space }, { limit: 2 });
  if (other) throw new DomainError('conflict', 'Several spaces have this title: give the id.');
  if (space) return { space: space.id, author };
  const created = createSpace(em, {
    organization: organization.id,
    parent: null,
    position: await positionAtEnd(db, { organization: organization.id, parent: null }),
    title: named.space,
    author,
    root: await saveEmptyRoot(em),
  });
  await em.flush();
  return { space: created.id, author };
}
