import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { Organization } from './organization.ts';

/**
 * What is searched of a page, or of the part of it that is shown under the same conditions. Pages that read alike share it,
 * in whichever spaces of the organization they are.
 */
export const SearchDocument = defineEntity({
  name: 'SearchDocument',
  tableName: 'search_document',
  primaryKeys: ['organization', 'number'],
  uniques: [{ name: 'search_document_key', properties: ['organization', 'key', 'part'] }],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    /** Counted from 1, so that postings are short. */
    number: p.integer().primary(),
    /** Hash of all that it is made from. */
    key: bytewise(),
    /** 0 for what everyone is shown of the page, then those with conditions. */
    part: p.integer(),
    /** Expressions in the page's document that must all hold. */
    conditions: p.array(),
    /** The ids of the reusable contents that it includes. */
    includes: p.array().default([]),
    /** Its sections as JSON, deflated. */
    body: p.blob(),
  },
});
export type SearchDocument = InferEntity<typeof SearchDocument>;
