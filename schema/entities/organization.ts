import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id } from '../columns.ts';
import { COMMUNITY_TYPES, ORGANIZATION_TYPES, ROLES, USE_CASES } from '../enums.ts';
import type { OrganizationMergeRules } from '../json/merge-rules.ts';

/** Owns everything else: members, teams, collections, spaces, sites. */
export const Organization = defineEntity({
  name: 'Organization',
  tableName: 'organization',
  indexes: [
    {
      name: 'organization_email_domains',
      expression: 'create index organization_email_domains on organization using gin (email_domains)',
    },
  ],
  properties: {
    id: id(),
    title: p.text(),
    /** Users with a verified e-mail address at one of these domains may join without an invite. */
    emailDomains: p.array().default([]),
    hostname: p.text().nullable(),
    type: p.enum(ORGANIZATION_TYPES).default('business'),
    useCase: p.enum(USE_CASES).nullable(),
    communityType: p.enum(COMMUNITY_TYPES).nullable(),
    /** The role of users who join without an invite; null makes them guests. */
    defaultRole: p.enum(ROLES).nullable(),
    defaultContent: p.json<{ type: 'site'; site: string }>().nullable(),
    logo: p.text().nullable(),
    sso: p.boolean().default(false),
    /** Whether members must sign in with a second factor, whatever the method. */
    requireSecondFactor: p.boolean().default(false),
    ai: p.boolean().default(false),
    inviteLinks: p.boolean().default(true),
    mergeRules: p.json<OrganizationMergeRules>(),
    createdAt: createdAt(),
  },
});
export type Organization = InferEntity<typeof Organization>;
