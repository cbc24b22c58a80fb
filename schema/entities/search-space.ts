import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { Organization } from './organization.ts';
import { Space } from './space.ts';

/** What the search index has of a space: if this differs from the space itself, the space must be indexed again. */
export const SearchSpace = defineEntity({
  name: 'SearchSpace',
  tableName: 'search_space',
  properties: {
    space: () => p.manyToOne(Space).mapToPk().primary().deleteRule('cascade'),
    /** The organization whose index contains it. */
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade').index(),
    /** The hash of the root object. */
    root: bytewise(),
    /** The language that its pages were indexed in. */
    language: bytewise(),
    /** How many leaves are in its packs, and how many were indexed since these were written. */
    packedLeaves: p.integer().default(0),
    unpackedLeaves: p.integer().default(0),
    /** The generation of the index when its packs were written. */
    packedGeneration: p.integer().nullable(),
  },
});
export type SearchSpace = InferEntity<typeof SearchSpace>;
