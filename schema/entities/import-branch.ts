import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id, updatedAt } from '../columns.ts';
import { ChangeRequest } from './change-request.ts';
import { Revision } from './revision.ts';
import { Space } from './space.ts';

/**
 * What a space has imported from one source: a branch with the content of the source alone, which imports advance and
 * then merge into the space, as a remote-tracking branch of git.
 */
export const ImportBranch = defineEntity({
  name: 'ImportBranch',
  tableName: 'import_branch',
  indexes: [
    {
      name: 'import_branch_source',
      // Of a digest, because a path may be longer than what an index can hold.
      expression: 'create unique index import_branch_source on import_branch (space_id, md5(source))',
    },
  ],
  properties: {
    id: id(),
    space: () => p.manyToOne(Space).mapToPk().deleteRule('cascade'),
    /** Where the content comes from: the real path of a folder. */
    source: bytewise(),
    /** The content of the source as last imported. */
    revision: () => p.manyToOne(Revision).mapToPk().index(),
    /** The one that the space last merged: the base of the next merge. */
    revisionMerged: () => p.manyToOne(Revision).mapToPk().index(),
    /** The change request into which everything since then went, if it did not go into the space. */
    changeRequest: () => p.manyToOne(ChangeRequest).mapToPk().nullable().deleteRule('set null').index(),
    /** What decided how files were read, as a digest: one that is unchanged is not read again while this is the same. */
    reading: p.text().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
export type ImportBranch = InferEntity<typeof ImportBranch>;
