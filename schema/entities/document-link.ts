import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';

/**
 * The references of a document, computed once for each document object and kept as long as it exists: row 0 stands for
 * the document itself and marks it as indexed; the others are its references in order.
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
    /**
     * The id of the target (a page, file, space etc.), `openapi:` and the slug or id of an OpenAPI spec, or `embed:` and an
     * embedded URL; null for other external URLs and for row 0.
     */
    target: p.text().nullable(),
    /** The content reference itself; null for embeds. */
    ref: p.json<unknown>().nullable(),
    /** Key of the block that contains it. */
    block: p.text().nullable(),
    /** The part of the OpenAPI document that the block shows. */
    part: p.json<unknown>().nullable(),
    /** In row 0: the anchors of the document that links may point to. */
    anchors: p.array().nullable(),
  },
});
export type DocumentLink = InferEntity<typeof DocumentLink>;
