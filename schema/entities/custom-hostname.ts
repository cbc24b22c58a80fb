import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, timestamp } from '../columns.ts';
import { HOSTNAME_STATUSES } from '../enums.ts';
import { Organization } from './organization.ts';
import { Site } from './site.ts';

/**
 * The claim of an organization to a hostname, for itself or for one of its sites. Any number of organizations may claim
 * one: it is active for the one whose DNS records prove it.
 */
export const CustomHostname = defineEntity({
  name: 'CustomHostname',
  tableName: 'custom_hostname',
  primaryKeys: ['hostname', 'organization'],
  indexes: [
    {
      name: 'custom_hostname_active',
      expression: 'create unique index custom_hostname_active on custom_hostname (hostname) where is_active',
    },
    { name: 'custom_hostname_list', properties: ['organization', 'hostname'] },
    { name: 'custom_hostname_check', properties: ['checkAt'] },
  ],
  properties: {
    hostname: bytewise().primary(),
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    /** The site that it serves; null if it serves all sites of the organization. */
    site: () => p.manyToOne(Site).mapToPk().nullable().deleteRule('cascade').unique(),
    isActive: p.boolean().default(false),
    /** The result of the last check; null before the first one. */
    status: p.enum(HOSTNAME_STATUSES).nullable(),
    checkedAt: timestamp().nullable(),
    /** The first failure since the last success; an active hostname is deactivated some days later. */
    failingSince: timestamp().nullable(),
    /** When the next check is due. */
    checkAt: timestamp().defaultRaw('now()'),
    error: p.text().nullable(),
    createdAt: createdAt(),
  },
});
export type CustomHostname = InferEntity<typeof CustomHostname>;
