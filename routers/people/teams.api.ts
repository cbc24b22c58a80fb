import { z } from 'zod';
import type { Team } from '../../schema/entities/team.ts';
import { TEAM_ROLES, type TeamRole } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime } from '../base/common-schemas.ts';
import { teamPermissions } from './access.ts';

/** The public object of a team. */
export const TeamObject = z
  .object({
    object: z.literal('team').describe('The type of the object: always `team`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    title: z.string().describe('The title, as shown to users.'),
    members: z.number().int().describe('The number of members of the team.'),
    spaces: z
      .number()
      .int()
      .describe('The number of spaces that the team has access to, of those that the caller may view.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    permissions: z
      .object({
        admin: z.boolean().describe('Whether the caller may change its title and members.'),
        view: z.boolean().describe('Whether the caller may view it and its members.'),
      })
      .describe('What the caller may do with the object: operations whose flag is false are refused.'),
  })
  .meta({ id: 'OrganizationTeam', description: 'A group of members who can be granted access together.' });

/** A user's membership of a team. */
export const TeamMembershipObject = z
  .object({ role: z.enum(TEAM_ROLES).describe("The user's role in the team; owners may manage it.") })
  .meta({ id: 'TeamMembership', description: "A user's membership of a team." });

/** A team with the columns that `derivedTeamColumns` selects. */
export type TeamRow = Presentable<Team> & { members: number; spaces: number; ownRole: TeamRole | null };

export const presentTeam = (team: TeamRow, viewer: Viewer): z.infer<typeof TeamObject> => ({
  object: 'team',
  id: team.id,
  title: team.title,
  members: team.members,
  spaces: team.spaces,
  createdAt: isoTime(team.createdAt),
  permissions: teamPermissions(viewer, team.ownRole),
});
