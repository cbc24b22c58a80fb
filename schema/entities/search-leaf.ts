import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { Organization } from './organization.ts';

/**
 * Which documents of the search index the pages in one leaf of the ordered map of pages have. Spaces with the same content
 * share leaves, and an edit makes few.
 */
export const SearchLeaf = defineEntity({
  name: 'SearchLeaf',
  tableName: 'search_leaf',
  primaryKeys: ['organization', 'hash', 'language'],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    /** Hash of the leaf. */
    hash: bytewise().primary(),
    /** The language that its pages were read in. */
    language: bytewise().primary(),
    /** See `routers/search/leaves.ts`. `json`, not `jsonb`: it is only read as a whole. */
    pages: p.json<unknown>().columnType('json'),
  },
});
export type SearchLeaf = InferEntity<typeof SearchLeaf>;
