import { z } from 'zod';
import type { TeamRole } from '../../schema/enums.ts';
import type { Viewer } from '../access/viewer.ts';
import { mayViewMember } from './access.ts';
import { MemberObject, type MemberRow, presentMember } from './members.api.ts';
import { TeamMembershipObject } from './teams.api.ts';

/** A member of a team: their membership of the organization, and of the team. `permissions.view` is about the former. */
export const TeamMemberObject = z
  .object({
    organization: MemberObject.describe('The membership in the organization.'),
    team: TeamMembershipObject.describe('The membership in the team.'),
    permissions: z
      .object({
        view: z.boolean().describe('Whether the caller may view the membership in the organization.'),
      })
      .describe('What the caller may do with the object: operations whose flag is false are refused.'),
  })
  .meta({ id: 'OrganizationTeamMember', description: 'A member of a team.' });

export const presentTeamMember = (
  member: MemberRow & { teamRole: TeamRole },
  viewer: Viewer,
): z.infer<typeof TeamMemberObject> => ({
  organization: presentMember(member, viewer),
  team: { role: member.teamRole },
  permissions: { view: mayViewMember(viewer, member.id) },
});
