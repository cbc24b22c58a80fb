import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { Organization } from './organization.ts';

/** The documents of one segment that contain a term. */
export const SearchPosting = defineEntity({
  name: 'SearchPosting',
  tableName: 'search_posting',
  primaryKeys: ['organization', 'term', 'segment'],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    term: bytewise().primary(),
    segment: p.integer().primary(),
    /** The number of these documents. */
    frequency: p.integer(),
    /** See `routers/engine/search/postings.ts`. */
    block: p.blob(),
  },
});
export type SearchPosting = InferEntity<typeof SearchPosting>;
