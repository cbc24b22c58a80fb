import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { SearchSpace } from './search-space.ts';

/**
 * Copies of most leaves of a large space, many in a row, so that the first search of a process reads few rows. They are valid for
 * the organization, the language and the generation in the space's `SearchSpace`.
 */
export const SearchLeafPack = defineEntity({
  name: 'SearchLeafPack',
  tableName: 'search_leaf_pack',
  primaryKeys: ['space', 'position'],
  properties: {
    space: () => p.manyToOne(SearchSpace).mapToPk().primary().fieldName('space_id').deleteRule('cascade'),
    position: p.integer().primary(),
    /** See `routers/search/leaf-packs.ts`. */
    leaves: p.blob(),
  },
});
export type SearchLeafPack = InferEntity<typeof SearchLeafPack>;
