import { allows, ORGANIZATION_NEEDS } from '../access/needs.ts';
import type { Viewer } from '../access/viewer.ts';

/**
 * Whether a caller may view a member of the organization and their e-mail address: callers who may list the members may,
 * and members themselves.
 */
export const mayViewMember = (
  { userId, role, scope }: Pick<Viewer, 'userId' | 'role' | 'scope'>,
  memberId: string,
): boolean => allows({ level: role, scope }, ORGANIZATION_NEEDS.listMembers) || userId === memberId;
