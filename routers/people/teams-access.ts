import type { TeamRole } from '../../schema/enums.ts';
import { allows, ORGANIZATION_NEEDS } from '../access/needs.ts';
import type { Viewer } from '../access/viewer.ts';

/** The role in the organization that gives each permission on all its teams. */
export const TEAM_NEEDS = { admin: ORGANIZATION_NEEDS.admin, view: ORGANIZATION_NEEDS.listTeams } as const;

/**
 * What a caller may do with a team, by their role in the organization or in the team: shown on the team and enforced by
 * `teamProcedure`. `admin` allows managing its members and title, `view` viewing it and its members.
 */
export const teamPermissions = (
  { role, scope }: Pick<Viewer, 'role' | 'scope'>,
  ownRole: TeamRole | null,
) => ({
  admin: allows({ level: ownRole === 'owner' ? 'admin' : role, scope }, TEAM_NEEDS.admin),
  view: allows({ level: role, scope }, TEAM_NEEDS.view) || ownRole !== null,
});
