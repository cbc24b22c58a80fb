import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { Organization } from './organization.ts';

/** The search index of an organization; every write to the index locks this row. */
export const SearchIndex = defineEntity({
  name: 'SearchIndex',
  tableName: 'search_index',
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    /** The number of its documents. */
    documents: p.integer().default(0),
    /** The highest number given to a document, and to a segment. */
    lastDocument: p.integer().default(0),
    lastSegment: p.integer().default(0),
    /** Rises when documents are removed: the same content then gets new numbers, so caches of processes are stale. */
    generation: p.integer().default(0),
  },
});
export type SearchIndex = InferEntity<typeof SearchIndex>;
