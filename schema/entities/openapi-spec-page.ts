import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { Organization } from './organization.ts';

/**
 * A page that has shown a part of an OpenAPI spec, so that links still lead there after the part was renamed or removed.
 * Keyed by slug, because it outlives the spec.
 */
export const OpenApiSpecPage = defineEntity({
  name: 'OpenApiSpecPage',
  tableName: 'openapi_spec_page',
  primaryKeys: ['organization', 'slug', 'path'],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    /** The slug of the OpenAPI spec. */
    slug: bytewise().primary(),
    /** The path of the page, below the computed page. */
    path: bytewise().primary(),
    /** Identifies the part within the spec. */
    key: p.text(),
    title: p.text(),
    /** The id of the version that it was taken from. */
    version: bytewise(),
  },
});
export type OpenApiSpecPage = InferEntity<typeof OpenApiSpecPage>;
