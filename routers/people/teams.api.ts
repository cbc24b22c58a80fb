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
    object: z.literal('team'),
    id: z.string(),
    title: z.string(),
    members: z.number().int(),
    spaces: z.number().int().describe('Number of spaces that the team has access to.'),
    createdAt: z.string(),
    permissions: z.object({ admin: z.boolean(), view: z.boolean() }),
  })
  .meta({ id: 'Team' });

/** A user's membership of a team. */
export const TeamMembershipObject = z.object({ role: z.enum(TEAM_ROLES) }).meta({ id: 'TeamMembership' });

/** A team with what `teamFacts` selects. */
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
