import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id } from '../columns.ts';
import { REVISION_TYPES } from '../enums.ts';
import { Space } from './space.ts';
import { User } from './user.ts';

/** One state of a space's content: a row that refers to a root object, so that branching costs one row. */
export const Revision = defineEntity({
  name: 'Revision',
  tableName: 'revision',
  indexes: [{ name: 'revision_list', properties: ['space', 'id'] }],
  properties: {
    id: id(),
    space: () => p.manyToOne(Space).mapToPk().deleteRule('cascade').deferMode('deferred'),
    /** The revisions it was made from; the first is the one whose branch it continues. */
    parents: p.array().default([]),
    /** Hash of the root object. */
    root: bytewise(),
    type: p.enum(REVISION_TYPES),
    author: () => p.manyToOne(User).mapToPk().nullable().deleteRule('set null').index(),
    /** The git commit that the content came from, if any. */
    git: p.json<RevisionGit>().nullable(),
    createdAt: createdAt(),
  },
});
export type Revision = InferEntity<typeof Revision>;

export interface RevisionGit {
  oid: string;
  message: string;
  createdByService: boolean;
  url?: string;
  ref?: string;
}
