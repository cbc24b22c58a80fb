import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { Organization } from './organization.ts';

/**
 * The documents, in the search index, of the pages in one leaf of the ordered map of pages. Spaces with the same content
 * share leaves, and an edit creates few new ones.
 */
export const SearchLeaf = defineEntity({
  name: 'SearchLeaf',
  tableName: 'search_leaf',
  primaryKeys: ['organization', 'hash', 'language'],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    /** The hash of the leaf. */
    hash: bytewise().primary(),
    /** The language that its pages were indexed in. */
    language: bytewise().primary(),
    /** See `routers/search/leaves.ts`. `json`, not `jsonb`, because it is only read as a whole. */
    pages: p.json<unknown>().columnType('json'),
  },
});
export type SearchLeaf = InferEntity<typeof SearchLeaf>;
