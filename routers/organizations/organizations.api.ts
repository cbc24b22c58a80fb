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
    object: z.literal('organization').describe('The type of the object: always `organization`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    title: z.string().describe('The title, as shown to users.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    emailDomains: z.array(z.string()).describe('The e-mail domains whose users may join without an invite.'),
    hostname: z
      .string()
      .optional()
      .describe("The organization's subdomain of the domain for sites, such as `acme`."),
    type: z.enum(ORGANIZATION_TYPES).describe('The kind of organization.'),
    useCase: z.enum(USE_CASES).optional().describe('What the organization uses the service for.'),
    communityType: z.enum(COMMUNITY_TYPES).optional().describe('What kind of community it is, if it is one.'),
    defaultRole: NullableRole.describe('The role that new members get; null makes them guests.'),
    defaultContent: z
      .object({
        type: z.literal('site').describe('Always `site`.'),
        site: z.string().describe('The id of the site.'),
      })
      .optional()
      .describe("What the organization's hostname shows."),
    sso: z.boolean().describe('Whether everyone has to sign in through a SAML provider.'),
    ai: z.boolean().describe('Whether features that use a language model are on.'),
    inviteLinks: z.boolean().describe('Whether invite links work.'),
    plan: z.literal('community_2024').describe('The name of the plan.'),
    mergeRules: OrganizationMergeRules.describe('The rules that a change request must meet to be merged.'),
    urls: z
      .object({
        location: z.string().describe('The URL of the object in this API.'),
        app: z.string().describe('The URL of the object in the web app.'),
        logo: z.string().optional().describe('The URL of the logo.'),
      })
      .describe('The URLs of the object.'),
    trial: z
      .object({
        status: z
          .enum(['notapplicable', 'none', 'active', 'ended', 'expired'])
          .describe('Whether there is a trial.'),
        count: z.number().int().describe('The number of trials so far.'),
      })
      .describe('The state of the trial.'),
    permissions: permissionFlags(ORGANIZATION_NEEDS).describe(
      'What the caller may do with the object: operations whose flag is false are refused.',
    ),
  })
  .meta({
    id: 'Organization',
    description: 'The owner of spaces, collections, sites and everything else, with its members.',
  });

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

/** Presents an organization to a user who is not a member, but may join it by an e-mail domain. */
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
