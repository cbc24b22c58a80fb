import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { Organization } from './organization.ts';

/**
 * A part of a search index that was written together. Postings count only once their segment has a row here: those of a
 * large segment are written before, in many transactions.
 */
export const SearchSegment = defineEntity({
  name: 'SearchSegment',
  tableName: 'search_segment',
  primaryKeys: ['organization', 'number'],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    number: p.integer().primary(),
    /** The lowest document number in it: document numbers rise from segment to segment. */
    firstDocument: p.integer(),
    /** How many documents it was made from. */
    documents: p.integer(),
  },
});
export type SearchSegment = InferEntity<typeof SearchSegment>;
