import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, timestamp } from '../columns.ts';
import { HOSTNAME_STATUSES } from '../enums.ts';
import { Organization } from './organization.ts';
import { Site } from './site.ts';

/** A hostname of its own for an organization, or for one of its sites. */
export const CustomHostname = defineEntity({
  name: 'CustomHostname',
  tableName: 'custom_hostname',
  indexes: [{ name: 'custom_hostname_list', properties: ['organization', 'hostname'] }],
  properties: {
    hostname: bytewise().primary(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    /** The site that it leads to; null for the organization. */
    site: () => p.manyToOne(Site).mapToPk().nullable().deleteRule('cascade').unique(),
    isActive: p.boolean().default(false),
    /** What the last check found; null before the first one. */
    status: p.enum(HOSTNAME_STATUSES).nullable(),
    checkedAt: timestamp().nullable(),
    error: p.text().nullable(),
    createdAt: createdAt(),
  },
});
export type CustomHostname = InferEntity<typeof CustomHostname>;
