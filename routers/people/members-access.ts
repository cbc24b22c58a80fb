import { allows, ORGANIZATION_NEEDS } from '../access/needs.ts';
import type { Viewer } from '../access/viewer.ts';

/**
 * Whether a caller may view a member of the organization, and know their e-mail address: whoever may list the members,
 * and everyone themselves.
 */
export const mayViewMember = (
  { userId, role, scope }: Pick<Viewer, 'userId' | 'role' | 'scope'>,
  memberId: string,
): boolean => allows({ level: role, scope }, ORGANIZATION_NEEDS.listMembers) || userId === memberId;
