import type { TeamRole } from '../../schema/enums.ts';
import type { Membership } from '../access/levels.ts';
import { allows, ORGANIZATION_NEEDS } from '../access/needs.ts';

/** The role in the organization that gives each permission on all its teams. */
export const TEAM_NEEDS = { admin: ORGANIZATION_NEEDS.admin, view: ORGANIZATION_NEEDS.listTeams } as const;

/**
 * What a caller may do with a team, by their role in the organization or their own place in the team: shown on the
 * team and enforced by `teamProcedure`. `admin` is to manage its members and its title, `view` to see it and its members.
 */
export const teamPermissions = (caller: Membership, ownRole: TeamRole | null) => ({
  admin: allows(caller.role, TEAM_NEEDS.admin) || ownRole === 'owner',
  view: allows(caller.role, TEAM_NEEDS.view) || ownRole !== null,
});
