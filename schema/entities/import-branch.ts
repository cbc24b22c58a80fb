import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id, updatedAt } from '../columns.ts';
import { ChangeRequest } from './change-request.ts';
import { Revision } from './revision.ts';
import { Space } from './space.ts';

/**
 * What a space has imported from one source: a branch with only the content of the source, which each import advances and
 * then merges into the space, like a remote-tracking branch in git.
 */
export const ImportBranch = defineEntity({
  name: 'ImportBranch',
  tableName: 'import_branch',
  indexes: [
    {
      name: 'import_branch_source',
      // On a digest, because a path may be too long for an index.
      expression: 'create unique index import_branch_source on import_branch (space_id, md5(source))',
    },
  ],
  properties: {
    id: id(),
    space: () => p.manyToOne(Space).mapToPk().deleteRule('cascade'),
    /** The real path of the folder that the content comes from. */
    source: bytewise(),
    /** The content of the source as last imported. */
    revision: () => p.manyToOne(Revision).mapToPk().index(),
    /** The revision that was last merged into the space: the base of the next merge. */
    revisionMerged: () => p.manyToOne(Revision).mapToPk().index(),
    /** The change request that later imports went into, if they did not go into the space. */
    changeRequest: () => p.manyToOne(ChangeRequest).mapToPk().nullable().deleteRule('set null').index(),
    /** A digest of all that decides how files are parsed: while it stays the same, unchanged files are not parsed again. */
    reading: p.text().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
export type ImportBranch = InferEntity<typeof ImportBranch>;
