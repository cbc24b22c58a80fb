import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, timestamp } from '../columns.ts';
import { Organization } from './organization.ts';
import { Site } from './site.ts';

/**
 * The claim of a site to a host and path at another service, which forwards requests to it. It works without proof as long
 * as no other organization proves that the host is theirs.
 */
export const SiteProxy = defineEntity({
  name: 'SiteProxy',
  tableName: 'site_proxy',
  uniques: [{ name: 'site_proxy_once', properties: ['organization', 'origin'] }],
  indexes: [
    {
      name: 'site_proxy_active',
      expression: 'create unique index site_proxy_active on site_proxy (origin) where is_active',
    },
    { name: 'site_proxy_hostname', properties: ['hostname'] },
    { name: 'site_proxy_check', properties: ['checkAt'] },
  ],
  properties: {
    site: () => p.manyToOne(Site).mapToPk().primary().deleteRule('cascade'),
    /** The site's organization. */
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    /** The host without the path. */
    hostname: bytewise(),
    /** The host and path, such as example.com/docs. */
    origin: bytewise(),
    /** Whether requests forwarded from there get this site. */
    isActive: p.boolean().default(false),
    /** Whether the DNS records of the host name the organization. */
    isVerified: p.boolean().default(false),
    checkedAt: timestamp().nullable(),
    /** As in `CustomHostname`. */
    failingSince: timestamp().nullable(),
    checkAt: timestamp().defaultRaw('now()'),
    error: p.text().nullable(),
    createdAt: createdAt(),
  },
});
export type SiteProxy = InferEntity<typeof SiteProxy>;
