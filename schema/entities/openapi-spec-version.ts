import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id } from '../columns.ts';
import { SPEC_FORMATS } from '../enums.ts';
import { OpenApiSpec } from './openapi-spec.ts';

/** One immutable version of an OpenAPI document. Its parts are stored as files, by their SHA-256. */
export const OpenApiSpecVersion = defineEntity({
  name: 'OpenApiSpecVersion',
  tableName: 'openapi_spec_version',
  indexes: [{ name: 'openapi_spec_version_list', properties: ['spec', 'id'] }],
  properties: {
    id: id(),
    spec: () => p.manyToOne(OpenApiSpec).mapToPk().deleteRule('cascade'),
    /** Identifies the content: SHA-256 of the texts of the document and of the documents it refers to. */
    hash: bytewise(),
    /** The document as it was received, and its format. */
    source: bytewise(),
    format: p.enum(SPEC_FORMATS),
    /** The bundled document: JSON, including the documents it refers to. */
    document: bytewise(),
    /** The number of its operations. */
    operations: p.integer(),
    /** Where it was fetched from; null if it was uploaded as text. */
    sourceUrl: p.text().nullable(),
    createdAt: createdAt(),
  },
});
export type OpenApiSpecVersion = InferEntity<typeof OpenApiSpecVersion>;
