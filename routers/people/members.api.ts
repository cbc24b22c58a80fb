import { z } from 'zod';
import type { Member } from '../../schema/entities/member.ts';
import type { User } from '../../schema/entities/user.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime, NullableRole, optionalTime } from '../base/common-schemas.ts';
import { presentUser, UserObject } from './users.api.ts';

/** The public object of a user's membership of an organization; its id is the user's. */
export const MemberObject = z
  .object({
    object: z.literal('member').describe('The type of the object: always `member`.'),
    id: z.string().describe('The id of the member, which is that of the user.'),
    role: NullableRole.describe(
      "The member's role in the organization, strongest first: admin, create, review, edit, comment, read; null for guests.",
    ),
    user: UserObject.describe('The user who is the member.'),
    disabled: z.boolean().describe('Whether the member is disabled, without any access to the organization.'),
    joinedAt: z.string().describe('When they joined.'),
    lastSeenAt: z.string().optional().describe('When they were last seen; absent if never.'),
    sso: z.boolean().describe("Whether the member signs in through the organization's SAML provider."),
    spaces: z
      .number()
      .int()
      .describe('The number of spaces that the member may view, of those that the caller may view.'),
    teams: z.number().int().describe('The number of teams that they belong to.'),
    sites: z
      .number()
      .int()
      .describe('The number of sites that the member may view, of those that the caller may view.'),
  })
  .meta({ id: 'OrganizationMember', description: "A user's membership in an organization." });

/** A membership with its user and counts, as `memberRows` reads it. */
export type MemberRow = Presentable<Member> &
  Presentable<User> & { spaces: number; teams: number; sites: number };

export const presentMember = (member: MemberRow, viewer: Viewer): z.infer<typeof MemberObject> => ({
  object: 'member',
  id: member.id,
  role: member.role ?? null,
  user: presentUser(member, viewer),
  disabled: member.disabled,
  joinedAt: isoTime(member.joinedAt),
  lastSeenAt: optionalTime(member.lastSeenAt),
  sso: member.sso,
  spaces: member.spaces,
  teams: member.teams,
  sites: member.sites,
});
