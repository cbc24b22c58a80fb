import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, timestamp, updatedAt } from '../columns.ts';
import {
  AGENTS_CONTEXTS,
  DEFAULT_LEVELS,
  SITE_TYPES,
  SITE_VISIBILITIES,
  VISITOR_AUTH_BACKENDS,
} from '../enums.ts';
import { Organization } from './organization.ts';

/** A site that publishes spaces. */
export const Site = defineEntity({
  name: 'Site',
  tableName: 'site',
  uniques: [{ name: 'site_basename', properties: ['organization', 'basename'] }],
  indexes: [
    { name: 'site_list', properties: ['organization', 'id'] },
    { name: 'site_list_published', properties: ['organization', 'published', 'id'] },
    { name: 'site_list_type', properties: ['organization', 'type', 'id'] },
  ],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    type: p.enum(SITE_TYPES).default('basic'),
    title: p.text(),
    /** Its path on the host of the organization. */
    basename: p.text().nullable(),
    visibility: p.enum(SITE_VISIBILITIES).default('public'),
    published: p.boolean().default(false),
    /** The level that members of the organization have without a grant; null means no default access. */
    defaultLevel: p.enum(DEFAULT_LEVELS).nullable(),
    adaptiveContent: p.boolean().default(false),
    /** The JSON Schema of the attributes of visitors. */
    adaptiveSchema: p.json<Record<string, unknown>>().nullable(),
    adaptiveSchemaUpdatedAt: timestamp().nullable(),
    agentsContext: p.enum(AGENTS_CONTEXTS).default('included'),
    /** The settings that were set; all others have their defaults. */
    customization: p.json<Record<string, unknown>>().nullable(),
    /** The key that signs the tokens of visitors, encrypted with a key of the installation. */
    authKey: p.text().nullable(),
    authBackend: p.enum(VISITOR_AUTH_BACKENDS).default('custom'),
    authIntegration: p.text().nullable(),
    authFallbackUrl: p.text().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
export type Site = InferEntity<typeof Site>;
