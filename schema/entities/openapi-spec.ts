import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id, timestamp, updatedAt } from '../columns.ts';
import { PROCESSING_ERROR_CODES, PROCESSING_STATES, SPEC_VISIBILITIES } from '../enums.ts';
import type { ProcessingError } from '../json/processing-error.ts';
import { Organization } from './organization.ts';

/** An OpenAPI document of an organization, fetched from a URL or uploaded as text, with a history of versions. */
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
    /** Where it is fetched from; null if it was uploaded as text. */
    sourceUrl: p.text().nullable(),
    /** SHA-256 of the uploaded text, which is stored as a file. */
    sourceText: bytewise().nullable(),
    processingState: p.enum(PROCESSING_STATES).default('pending'),
    /** Counts the requests to process it: only the job of the latest one saves its result. */
    processing: p.integer().default(1),
    /** The id of the latest version; null until one was processed without errors. */
    lastVersion: bytewise().fieldName('last_version_id').nullable(),
    lastProcessedAt: timestamp().nullable(),
    lastProcessErrorCode: p.enum(PROCESSING_ERROR_CODES).nullable(),
    lastProcessedErrors: p.json<ProcessingError[]>(),
    /** The HTTP validators of the response that the latest version came from, for conditional requests. */
    etag: p.text().nullable(),
    lastModified: p.text().nullable(),
    /** When it is next fetched; null if it was uploaded as text. */
    nextFetchAt: timestamp().nullable(),
    /** The number of failed fetches since the last success. */
    failures: p.integer().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
export type OpenApiSpec = InferEntity<typeof OpenApiSpec>;
