import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { Organization } from './organization.ts';

/**
 * A part of a search index that was written at once. Postings count only if their segment is here: large ones are written in
 * many transactions before that.
 */
export const SearchSegment = defineEntity({
  name: 'SearchSegment',
  tableName: 'search_segment',
  primaryKeys: ['organization', 'number'],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    number: p.integer().primary(),
    /** The lowest number of a document in it: those of segments rise from one to the next. */
    firstDocument: p.integer(),
    /** How many documents it was made of. */
    documents: p.integer(),
  },
});
export type SearchSegment = InferEntity<typeof SearchSegment>;
