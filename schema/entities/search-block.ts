import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { SEARCH_BLOCK_KINDS } from '../enums.ts';
import { Organization } from './organization.ts';

/** Consecutive terms or words of one segment of a search index. See `routers/engine/search/segment.ts`. */
export const SearchBlock = defineEntity({
  name: 'SearchBlock',
  tableName: 'search_block',
  primaryKeys: ['organization', 'segment', 'kind', 'key'],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    segment: p.integer().primary(),
    kind: p.enum(SEARCH_BLOCK_KINDS).primary(),
    /** The first term or word in it. */
    key: bytewise().primary(),
    /** The number of documents with the term, if it contains nothing but the postings of one term. */
    frequency: p.integer().nullable(),
    block: p.blob(),
  },
});
export type SearchBlock = InferEntity<typeof SearchBlock>;
