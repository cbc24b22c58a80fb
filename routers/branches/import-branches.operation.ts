import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { ImportBranch } from '../../schema/entities/import-branch.ts';
import { kyselyOf } from '../base/db.ts';
import { createRevision } from './revisions.operation.ts';

/** Copies a space's import branches to a copy of the space, so that imports there continue from the same content. */
export async function copyImportBranches(
  em: SqlEntityManager,
  { original, copy, author }: { original: string; copy: string; author: string },
): Promise<void> {
  const branches = await kyselyOf(em)
    .selectFrom('import_branch')
    .innerJoin('revision as last', 'last.id', 'import_branch.revision_id')
    .innerJoin('revision as merged', 'merged.id', 'import_branch.revision_merged_id')
    .select(['source', 'reading', 'last.root', 'merged.root as mergedRoot'])
    .where('import_branch.space_id', '=', original)
    .execute();
  const revisionOf = (root: string, ...parents: string[]) =>
    createRevision(em, { space: copy, root, type: 'edits', parents, author }).id;
  for (const { source, reading, root, mergedRoot } of branches) {
    const revisionMerged = revisionOf(mergedRoot);
    const revision = root === mergedRoot ? revisionMerged : revisionOf(root, revisionMerged);
    em.create(ImportBranch, { space: copy, source, reading, revision, revisionMerged });
  }
}
