import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id, timestamp, updatedAt } from '../columns.ts';
import { PROCESSING_ERROR_CODES, PROCESSING_STATES, SPEC_VISIBILITIES } from '../enums.ts';
import type { ProcessingError } from '../json/processing-error.ts';
import { Organization } from './organization.ts';

/** An OpenAPI document of an organization, given by URL or as text, with a history of versions. */
export const OpenApiSpec = defineEntity({
  name: 'OpenApiSpec',
  tableName: 'openapi_spec',
  uniques: [{ name: 'openapi_spec_slug', properties: ['organization', 'slug'] }],
  indexes: [
    { name: 'openapi_spec_list', properties: ['organization', 'id'] },
    { name: 'openapi_spec_next_fetch', properties: ['nextFetchAt'], where: '"next_fetch_at" is not null' },
  ],
  checks: [
    {
      name: 'openapi_spec_source',
      expression: '("source_url" is null) <> ("source_text" is null)',
    },
  ],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    slug: bytewise(),
    visibility: p.enum(SPEC_VISIBILITIES).default('private'),
    /** Where it is fetched from; null if it was given as text. */
    sourceUrl: p.text().nullable(),
    /** SHA-256 of the text that was given, which is stored as a file. */
    sourceText: bytewise().nullable(),
    processingState: p.enum(PROCESSING_STATES).default('pending'),
    /** Counts the requests to process it: only the job of the last one writes a result. */
    processing: p.integer().default(1),
    /** Id of the latest version; null until one was processed without errors. */
    lastVersion: bytewise().fieldName('last_version_id').nullable(),
    lastProcessedAt: timestamp().nullable(),
    lastProcessErrorCode: p.enum(PROCESSING_ERROR_CODES).nullable(),
    lastProcessedErrors: p.json<ProcessingError[]>(),
    /** Validators of the response that the latest version was made from, if another request would give the same. */
    etag: p.text().nullable(),
    lastModified: p.text().nullable(),
    /** When it is fetched again; null if it was given as text. */
    nextFetchAt: timestamp().nullable(),
    /** How often it has failed since it last succeeded. */
    failures: p.integer().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
export type OpenApiSpec = InferEntity<typeof OpenApiSpec>;
