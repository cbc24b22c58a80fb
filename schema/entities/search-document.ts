import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { Organization } from './organization.ts';

/**
 * The searchable content of a page, or of a part of it that is visible under the same conditions. Pages with the same
 * content share it, across all spaces of the organization.
 */
export const SearchDocument = defineEntity({
  name: 'SearchDocument',
  tableName: 'search_document',
  primaryKeys: ['organization', 'number'],
  uniques: [{ name: 'search_document_key', properties: ['organization', 'key', 'part'] }],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    /** Counts up from 1, so that postings are short. */
    number: p.integer().primary(),
    /** The hash of everything it is made from. */
    key: bytewise(),
    /** 0 for what everyone sees of the page, higher for parts with conditions. */
    part: p.integer(),
    /** Expressions in the page's document that must all hold. */
    conditions: p.array(),
    /** The ids of the reusable contents that it includes. */
    includes: p.array().default([]),
    /** Its sections as JSON. */
    text: p.text(),
  },
});
export type SearchDocument = InferEntity<typeof SearchDocument>;
