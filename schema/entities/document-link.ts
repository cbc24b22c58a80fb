import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';

/**
 * What a document refers to, computed once for each document object and kept as long as it: a row for each reference,
 * and one without a target for a document that has none, which says that it was looked at.
 */
export const DocumentLink = defineEntity({
  name: 'DocumentLink',
  tableName: 'document_link',
  primaryKeys: ['document', 'ordinal'],
  indexes: [{ name: 'document_link_target', properties: ['target', 'document'] }],
  properties: {
    /** Hash of the document object. */
    document: bytewise().primary(),
    ordinal: p.integer().primary(),
    /** Id of the page, file, space or the like that is referred to; the address of a link elsewhere. */
    target: p.text().nullable(),
    /** The content reference itself. */
    ref: p.json<unknown>().nullable(),
    /** Key of the block that it stands in. */
    block: p.text().nullable(),
  },
});
export type DocumentLink = InferEntity<typeof DocumentLink>;
