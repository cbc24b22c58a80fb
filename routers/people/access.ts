import type { TeamRole } from '../../schema/enums.ts';
import { allows, ORGANIZATION_NEEDS, TEAM_NEEDS } from '../access/needs.ts';
import type { Viewer } from '../access/viewer.ts';

/**
 * What a caller may do with a team, by their role in the organization or in the team: shown on the team and enforced by
 * `teamProcedure`. `admin` allows changing its members and title, `view` viewing it and its members.
 */
export const teamPermissions = (
  { role, scope }: Pick<Viewer, 'role' | 'scope'>,
  ownRole: TeamRole | null,
) => ({
  admin: allows({ level: ownRole === 'owner' ? 'admin' : role, scope }, TEAM_NEEDS.admin),
  view: allows({ level: role, scope }, TEAM_NEEDS.view) || ownRole !== null,
});

type Caller = Pick<Viewer, 'userId' | 'role' | 'scope'>;

/** Whether a caller may view all members of the organization. */
export const mayListMembers = ({ role, scope }: Caller): boolean =>
  allows({ level: role, scope }, ORGANIZATION_NEEDS.listMembers);

/**
 * Whether a caller may view a member of the organization and their e-mail address: callers who may list the members
 * may, and everyone may view themselves.
 */
export const mayViewMember = (caller: Caller, memberId: string): boolean =>
  mayListMembers(caller) || caller.userId === memberId;
