import { z } from 'zod';
import type { Role, TokenScope } from '../../schema/enums.ts';
import { includes } from './levels.ts';

/**
 * What each permission needs: the procedures enforce it and the `permissions` of every object are computed from it, so
 * the two cannot disagree. `member` is any member of the organization, guests included; a level is the member's own
 * role on an organization, and the effective level on a collection or space. Permissions to change something also need
 * a token with the scope `write`.
 */
export interface Need {
  level: Role | 'member';
  changes: boolean;
}

const toRead = (level: Need['level']): Need => ({ level, changes: false });
const toChange = (level: Role): Need => ({ level, changes: true });

export const ORGANIZATION_NEEDS = {
  view: toRead('member'),
  admin: toChange('admin'),
  /** To create teams. */
  ownTeam: toChange('admin'),
  createContent: toChange('create'),
  createOpenAPISpec: toChange('create'),
  ingestConversations: toChange('create'),
  viewBilling: toRead('admin'),
  listMembers: toRead('read'),
  listTeams: toRead('read'),
  listIntegrations: toRead('admin'),
  listInstallations: toRead('admin'),
  installIntegration: toChange('admin'),
} as const satisfies Record<string, Need>;

export const COLLECTION_NEEDS = {
  view: toRead('read'),
  admin: toChange('admin'),
  viewInviteLinks: toRead('admin'),
  create: toChange('create'),
} as const satisfies Record<string, Need>;

export const SPACE_NEEDS = {
  view: toRead('read'),
  access: toRead('read'),
  admin: toChange('admin'),
  viewInviteLinks: toRead('admin'),
  edit: toChange('edit'),
  triggerGitSync: toChange('admin'),
  comment: toChange('comment'),
  merge: toChange('review'),
  review: toChange('review'),
  installIntegration: toChange('admin'),
} as const satisfies Record<string, Need>;

/** Enforced but not shown: viewing who has access, and moving or duplicating a space. */
const UNSHOWN_COLLECTION_NEEDS = { listAccess: toRead('admin') } as const;
const UNSHOWN_SPACE_NEEDS = { listAccess: toRead('admin'), create: toChange('create') } as const;

export type OrganizationPermission = keyof typeof ORGANIZATION_NEEDS;
/** All permissions on a collection or space, shown or not. */
export const NEEDS_ON_COLLECTION = { ...COLLECTION_NEEDS, ...UNSHOWN_COLLECTION_NEEDS } as const;
export const NEEDS_ON_SPACE = { ...SPACE_NEEDS, ...UNSHOWN_SPACE_NEEDS } as const;

export type CollectionPermission = keyof typeof NEEDS_ON_COLLECTION;
export type SpacePermission = keyof typeof NEEDS_ON_SPACE;

/** What a caller has: their level, and what their token allows. */
export interface Standing {
  level: Role | null;
  scope: TokenScope;
}

export const allows = ({ level, scope }: Standing, need: Need): boolean =>
  (need.level === 'member' || includes(level, need.level)) && (scope === 'write' || !need.changes);

const flagsOf = new WeakMap<object, Map<string, object>>();

/** The `permissions` object for one standing; the same object for the same standing. */
export function permissionsOf<Needs extends Record<string, Need>>(needs: Needs, standing: Standing) {
  let byStanding = flagsOf.get(needs);
  if (!byStanding) {
    byStanding = new Map();
    flagsOf.set(needs, byStanding);
  }
  const key = `${standing.level} ${standing.scope}`;
  let flags = byStanding.get(key);
  if (!flags) {
    flags = Object.freeze(
      Object.fromEntries(Object.entries(needs).map(([name, need]) => [name, allows(standing, need)])),
    );
    byStanding.set(key, flags);
  }
  return flags as Readonly<Record<keyof Needs, boolean>>;
}

/** The schema of a `permissions` object. */
export const permissionFlags = <Key extends string>(needs: Record<Key, Need>) =>
  z.object(
    Object.fromEntries(Object.keys(needs).map((key) => [key, z.boolean()])) as Record<Key, z.ZodBoolean>,
  );
