import { z } from 'zod';
import type { Role } from '../../schema/enums.ts';
import { includes } from './levels.ts';

/**
 * What each permission needs: the procedures enforce it and the `permissions` of every object are computed from it, so
 * that the two cannot disagree. `member` is any member of the organization, guests included; a level is the member's
 * own role on an organization, and the effective level on a collection or space.
 */
export type Need = Role | 'member';

export const ORGANIZATION_NEEDS = {
  view: 'member',
  admin: 'admin',
  ownTeam: 'create',
  createContent: 'create',
  createOpenAPISpec: 'create',
  ingestConversations: 'create',
  viewBilling: 'admin',
  listMembers: 'read',
  listTeams: 'read',
  listIntegrations: 'admin',
  listInstallations: 'admin',
  installIntegration: 'admin',
} as const satisfies Record<string, Need>;

export const COLLECTION_NEEDS = {
  view: 'read',
  admin: 'admin',
  viewInviteLinks: 'admin',
  create: 'create',
} as const satisfies Record<string, Need>;

export const SPACE_NEEDS = {
  view: 'read',
  access: 'read',
  admin: 'admin',
  viewInviteLinks: 'admin',
  edit: 'edit',
  triggerGitSync: 'admin',
  comment: 'comment',
  merge: 'review',
  review: 'review',
  installIntegration: 'admin',
} as const satisfies Record<string, Need>;

export type OrganizationPermission = keyof typeof ORGANIZATION_NEEDS;
export type CollectionPermission = keyof typeof COLLECTION_NEEDS;
/** `create` is not shown on a space but needed to move or duplicate it. */
export const NEEDS_ON_SPACE = { ...SPACE_NEEDS, create: 'create' } as const;
export type SpacePermission = keyof typeof NEEDS_ON_SPACE;

export const allows = (level: Role | null, need: Need): boolean => need === 'member' || includes(level, need);

const flagsOf = new WeakMap<object, Map<Role | null, object>>();

/** The `permissions` object of something on which the caller has a level; the same object for the same level. */
export function permissionsOf<Needs extends Record<string, Need>>(needs: Needs, level: Role | null) {
  let byLevel = flagsOf.get(needs);
  if (!byLevel) {
    byLevel = new Map();
    flagsOf.set(needs, byLevel);
  }
  let flags = byLevel.get(level);
  if (!flags) {
    flags = Object.freeze(
      Object.fromEntries(Object.entries(needs).map(([name, need]) => [name, allows(level, need)])),
    );
    byLevel.set(level, flags);
  }
  return flags as Readonly<Record<keyof Needs, boolean>>;
}

/** The schema of such a `permissions` object. */
export const permissionFlags = <Key extends string>(needs: Record<Key, Need>) =>
  z.object(
    Object.fromEntries(Object.keys(needs).map((key) => [key, z.boolean()])) as Record<Key, z.ZodBoolean>,
  );
