import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { Organization } from './organization.ts';

/**
 * Where content has shown a part of an OpenAPI specification, so that links to it still lead there after it has been
 * renamed or removed. By slug: it outlives the specification.
 */
export const OpenApiSpecPage = defineEntity({
  name: 'OpenApiSpecPage',
  tableName: 'openapi_spec_page',
  primaryKeys: ['organization', 'slug', 'path'],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    /** The slug of the specification. */
    slug: bytewise().primary(),
    /** The path of its page below a computed page. */
    path: bytewise().primary(),
    /** Identifies the part within the specification. */
    key: p.text(),
    title: p.text(),
    /** Id of the version that it was taken from. */
    version: bytewise(),
  },
});
export type OpenApiSpecPage = InferEntity<typeof OpenApiSpecPage>;
