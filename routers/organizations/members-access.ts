import type { Membership } from '../access/levels.ts';
import { allows, ORGANIZATION_NEEDS } from '../access/needs.ts';

/** A caller with their place in the organization. */
export interface Viewer extends Membership {
  userId: string;
}

/** Whether a caller may view a member: whoever may list the members, and everyone themselves. */
export const mayViewMember = (caller: Viewer, userId: string): boolean =>
  allows(caller.role, ORGANIZATION_NEEDS.listMembers) || caller.userId === userId;
