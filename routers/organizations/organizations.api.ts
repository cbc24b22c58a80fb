import { z } from 'zod';
import type { Organization } from '../../schema/entities/organization.ts';
import { COMMUNITY_TYPES, ORGANIZATION_TYPES, USE_CASES } from '../../schema/enums.ts';
import { OrganizationMergeRules } from '../../schema/json/merge-rules.ts';
import type { Presentable } from '../../schema/rows.ts';
import { ORGANIZATION_NEEDS, permissionFlags, permissionsOf } from '../access/needs.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime, NullableRole } from '../base/common-schemas.ts';

/** The public object of an organization. A self-hosted one has every feature, so `plan` and `trial` never change. */
export const OrganizationObject = z
  .object({
    object: z.literal('organization'),
    id: z.string(),
    title: z.string(),
    createdAt: z.string(),
    emailDomains: z.array(z.string()),
    hostname: z.string().optional(),
    type: z.enum(ORGANIZATION_TYPES),
    useCase: z.enum(USE_CASES).optional(),
    communityType: z.enum(COMMUNITY_TYPES).optional(),
    defaultRole: NullableRole,
    defaultContent: z.object({ type: z.literal('site'), site: z.string() }).optional(),
    sso: z.boolean(),
    ai: z.boolean(),
    inviteLinks: z.boolean(),
    plan: z.literal('community_2024'),
    mergeRules: OrganizationMergeRules,
    urls: z.object({ location: z.string(), app: z.string(), logo: z.string().optional() }),
    trial: z.object({
      status: z.enum(['notapplicable', 'none', 'active', 'ended', 'expired']),
      count: z.number().int(),
    }),
    permissions: permissionFlags(ORGANIZATION_NEEDS),
  })
  .meta({ id: 'Organization' });

export const presentOrganization = (
  organization: Presentable<Organization>,
  viewer: Viewer,
): z.infer<typeof OrganizationObject> => ({
  object: 'organization',
  id: organization.id,
  title: organization.title,
  createdAt: isoTime(organization.createdAt),
  emailDomains: organization.emailDomains,
  hostname: organization.hostname ?? undefined,
  type: organization.type,
  useCase: organization.useCase ?? undefined,
  communityType: organization.communityType ?? undefined,
  defaultRole: organization.defaultRole ?? null,
  defaultContent: organization.defaultContent ?? undefined,
  sso: organization.sso,
  ai: organization.ai,
  inviteLinks: organization.inviteLinks,
  plan: 'community_2024',
  mergeRules: organization.mergeRules,
  urls: {
    location: viewer.urls.location('orgs', organization.id),
    app: viewer.urls.app('orgs', organization.id),
    logo: organization.logo ?? undefined,
  },
  trial: { status: 'notapplicable', count: 0 },
  permissions: permissionsOf(ORGANIZATION_NEEDS, { level: viewer.role, scope: viewer.scope }),
});

/** An organization as a user sees it who is not a member of it, but may join it by an e-mail domain. */
export const presentFoundOrganization = (
  { id, title, createdAt, type, logo }: Presentable<Organization>,
  emailDomain: string,
  { urls }: Pick<Viewer, 'urls'>,
): z.infer<typeof OrganizationObject> => ({
  object: 'organization',
  id,
  title,
  createdAt: isoTime(createdAt),
  emailDomains: [emailDomain],
  type,
  defaultRole: null,
  sso: false,
  ai: false,
  inviteLinks: false,
  plan: 'community_2024',
  mergeRules: { type: 'none' },
  urls: { location: urls.location('orgs', id), app: urls.app('orgs', id), logo: logo ?? undefined },
  trial: { status: 'notapplicable', count: 0 },
  permissions: NO_PERMISSIONS,
});

const NO_PERMISSIONS = Object.fromEntries(
  Object.keys(ORGANIZATION_NEEDS).map((permission) => [permission, false]),
) as Record<keyof typeof ORGANIZATION_NEEDS, boolean>;
