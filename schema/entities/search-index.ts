import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { Organization } from './organization.ts';

/** The search index of an organization; whoever writes the index locks this row. */
export const SearchIndex = defineEntity({
  name: 'SearchIndex',
  tableName: 'search_index',
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    /** How many documents it holds. */
    documents: p.integer().default(0),
    /** The highest number given to a document, and to a segment. */
    lastDocument: p.integer().default(0),
    lastSegment: p.integer().default(0),
    /** Rises when documents are removed: the same content then gets other numbers, and what processes remember is wrong. */
    generation: p.integer().default(0),
  },
});
export type SearchIndex = InferEntity<typeof SearchIndex>;
