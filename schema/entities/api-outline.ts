import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt } from '../columns.ts';

/** The parts of an OpenAPI document that pages show, computed once per document and kept as long as it exists. */
export const ApiOutline = defineEntity({
  name: 'ApiOutline',
  tableName: 'api_outline',
  properties: {
    /** SHA-256 of the document, which is stored as a file. */
    hash: bytewise().primary(),
    /** The version of the code that computed it; any other version computes it again. */
    format: p.integer(),
    /** Null if the file is not an OpenAPI document. `json`, not `jsonb`, because it is only read as a whole. */
    body: p.json<unknown>().columnType('json').nullable(),
    createdAt: createdAt(),
  },
});
export type ApiOutline = InferEntity<typeof ApiOutline>;
