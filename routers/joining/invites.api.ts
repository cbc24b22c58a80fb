import { z } from 'zod';
import type { Invite } from '../../schema/entities/invite.ts';
import type { Presentable } from '../../schema/rows.ts';
import { includes } from '../access/levels.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime, NullableRole, optionalTime, RoleSchema } from '../base/common-schemas.ts';
import { CollectionObject } from '../collections/collections.api.ts';
import { SpaceObject } from '../spaces/spaces.api.ts';

const Common = z.object({
  object: z.literal('invite').describe('The type of the object: always `invite`.'),
  id: z.string().describe('An opaque identifier that never changes.'),
  role: NullableRole.describe('The role in the organization; null for a guest.'),
  team: z.string().optional().describe('The id of the team that those who join are added to.'),
  createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
  expiresAt: z.string().optional().describe('When it stops being valid, in ISO 8601 UTC.'),
});

/** An invite for one user, by e-mail address. */
export const InviteObject = Common.extend({
  email: z.string().describe('The e-mail address that was invited.'),
  sso: z.boolean().describe("Whether the person has to sign in through the organization's SAML provider."),
}).meta({ id: 'Invite', description: 'An invite by e-mail.' });

/** An invite link: to the organization, or with a level on a space or collection of it. Its secret is not shown. */
export const LinkInviteObject = Common.extend({
  singleUse: z.boolean().describe('Whether the link works only once.'),
  redundant: z.boolean().describe('Whether the caller already has everything that the invite grants.'),
  level: RoleSchema.optional().describe('The role that people get on the space or collection.'),
  space: SpaceObject.optional().describe('The space that the link gives access to.'),
  collection: CollectionObject.optional().describe('The collection that the link gives access to.'),
}).meta({ id: 'OrganizationInviteLink', description: 'An invite link.' });

/** A newly created link, the only time that its secret is shown. */
export const NewLinkInviteObject = LinkInviteObject.extend({
  secret: z
    .string()
    .describe('The secret to join the organization with: POST /orgs/{organizationId}/invites/{secret}.'),
}).meta({
  id: 'NewOrganizationInviteLink',
  description: 'An invite link with its secret, which is shown only once.',
});

/** The content that a link grants a level on, as admins see it. */
export interface InvitedContent {
  space?: z.infer<typeof SpaceObject> | undefined;
  collection?: z.infer<typeof CollectionObject> | undefined;
}

const presentCommon = (invite: Presentable<Invite>) => ({
  object: 'invite' as const,
  id: invite.id,
  role: invite.role ?? null,
  team: invite.team ?? undefined,
  createdAt: isoTime(invite.createdAt),
  expiresAt: optionalTime(invite.expiresAt),
});

export const presentInvite = (
  invite: Presentable<Invite> & { email: string },
): z.infer<typeof InviteObject> => ({
  ...presentCommon(invite),
  email: invite.email,
  sso: invite.sso,
});

export const presentLinkInvite = (
  invite: Presentable<Invite>,
  { space, collection }: InvitedContent,
  viewer: Viewer,
): z.infer<typeof LinkInviteObject> => {
  const { role = null, level } = invite;
  return {
    ...presentCommon(invite),
    singleUse: invite.singleUse,
    // Only admins manage invites, and their role is their level everywhere.
    redundant: [role, level].every((given) => !given || includes(viewer.role, given)),
    level: level ?? undefined,
    space,
    collection,
  };
};
