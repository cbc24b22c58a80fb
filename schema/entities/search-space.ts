import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { Organization } from './organization.ts';
import { Space } from './space.ts';

/** What the search index has of a space: where this differs from the space, it has to be indexed. */
export const SearchSpace = defineEntity({
  name: 'SearchSpace',
  tableName: 'search_space',
  properties: {
    space: () => p.manyToOne(Space).mapToPk().primary().deleteRule('cascade'),
    /** The organization whose index has it. */
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade').index(),
    /** Hash of the root object. */
    root: bytewise(),
    /** The language that its pages were read in. */
    language: bytewise(),
  },
});
export type SearchSpace = InferEntity<typeof SearchSpace>;
