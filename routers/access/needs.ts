import { z } from 'zod';
import type { Role, TokenScope } from '../../schema/enums.ts';
import { includes } from './levels.ts';

/**
 * What a permission requires. Procedures enforce it, and the `permissions` of every object are computed from it, so that the
 * two cannot disagree. `member` is any member of the organization, including guests. On an organization, `level` is compared
 * with the member's role; on a collection, space or site, with the effective level. Permissions to change something are
 * false for a token with the scope `read`, which may call no mutation, but reads what its user may read.
 */
export interface Need {
  level: Role | 'member';
  changes: boolean;
  /** Whether a site's visitors have it on what the site publishes, in the procedures that admit visitors. */
  visitors?: true;
  /** Whether `level` is compared with the member's role in the organization, instead of the level on the object. */
  inOrganization?: true;
}

const toRead = (level: Need['level']): Need => ({ level, changes: false });
const toReadPublished = (level: Need['level']): Need => ({ ...toRead(level), visitors: true });
const toChange = (level: Role): Need => ({ level, changes: true });

export const ORGANIZATION_NEEDS = {
  view: toRead('member'),
  access: toRead('member'),
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

/** To read the organization's invites and invite links, also those to a collection or space. */
const VIEW_INVITES = toRead('admin');
const VIEW_INVITES_OF_ORGANIZATION: Need = { ...VIEW_INVITES, inOrganization: true };

export const COLLECTION_NEEDS = {
  view: toRead('read'),
  admin: toChange('admin'),
  viewInviteLinks: VIEW_INVITES_OF_ORGANIZATION,
  create: toChange('create'),
} as const satisfies Record<string, Need>;

export const SPACE_NEEDS = {
  view: toReadPublished('read'),
  access: toRead('read'),
  admin: toChange('admin'),
  viewInviteLinks: VIEW_INVITES_OF_ORGANIZATION,
  edit: toChange('edit'),
  triggerGitSync: toChange('admin'),
  comment: toChange('comment'),
  // guard: merge-need
  merge: toChange('review'),
  review: toChange('review'),
  installIntegration: toChange('admin'),
} as const satisfies Record<string, Need>;

export const SITE_NEEDS = {
  view: toReadPublished('read'),
  access: toRead('read'),
  admin: toChange('admin'),
  edit: toChange('admin'),
  /** To change its structure. */
  create: toChange('admin'),
  installIntegration: toChange('admin'),
  viewAdaptiveSchema: toRead('read'),
  editAdaptiveSchema: toChange('admin'),
} as const satisfies Record<string, Need>;

/** The level on the space that each permission on a comment or reply requires, for the caller's own and for those of others. */
export const COMMENT_NEEDS = {
  own: {
    view: SPACE_NEEDS.access,
    edit: SPACE_NEEDS.comment,
    reply: SPACE_NEEDS.comment,
    delete: SPACE_NEEDS.comment,
    resolve: SPACE_NEEDS.comment,
  },
  others: {
    view: SPACE_NEEDS.access,
    reply: SPACE_NEEDS.comment,
    delete: SPACE_NEEDS.admin,
    resolve: SPACE_NEEDS.review,
  },
} as const satisfies Record<string, Record<string, Need>>;

/** The role in the organization that each permission on an OpenAPI spec requires. */
export const SPEC_NEEDS = {
  view: toReadPublished('read'),
  edit: ORGANIZATION_NEEDS.createOpenAPISpec,
} as const satisfies Record<string, Need>;

/** The level that each permission on a translation requires on both of its spaces. */
export const TRANSLATION_NEEDS = {
  view: { level: 'read', changes: false },
  edit: { level: 'edit', changes: true },
} as const satisfies Record<string, Need>;

/** The role in the organization that each permission on a team requires. */
export const TEAM_NEEDS = { view: ORGANIZATION_NEEDS.listTeams, admin: ORGANIZATION_NEEDS.admin } as const;

/**
 * The needs of all permissions, by kind of object, whether or not objects show them. A `parent` is where something is to be
 * placed: a collection, or the root of the organization.
 */
const NEEDS = {
  // Those listed here are enforced, but objects do not show them.
  organization: {
    ...ORGANIZATION_NEEDS,
    // guard: audit-for-admins
    viewAuditLog: toRead('admin'),
    viewInvites: VIEW_INVITES,
    viewSamlProviders: toRead('admin'),
    viewWebhooks: toRead('admin'),
    viewOpenAPISpecs: SPEC_NEEDS.view,
    viewConversations: toRead('read'),
    viewAgentInstructions: toRead('read'),
    viewTranslations: TRANSLATION_NEEDS.view,
    editTranslations: TRANSLATION_NEEDS.edit,
    viewGlossary: toRead('read'),
    editGlossary: toChange('create'),
  },
  parent: { view: ORGANIZATION_NEEDS.view, create: COLLECTION_NEEDS.create },
  collection: COLLECTION_NEEDS,
  // `create`, for moving or duplicating a space, is enforced, but objects do not show it.
  space: { ...SPACE_NEEDS, create: toChange('create') },
  site: SITE_NEEDS,
  team: TEAM_NEEDS,
  member: { view: ORGANIZATION_NEEDS.listMembers },
} as const satisfies Record<string, Record<string, Need> & { view: Need }>;

type Needs = typeof NEEDS;
export type Permission<On extends keyof Needs> = keyof Needs[On] & string;

/** The permission that a procedure requires on an object. Declared in its `meta`, from which it is enforced and documented. */
export type RequiredPermission<On extends keyof Needs = keyof Needs> = {
  [Kind in On]: Need & { on: Kind; permission: Permission<Kind> };
}[On];

export const requiredPermission = <On extends keyof Needs>(
  on: On,
  permission: Permission<On>,
): RequiredPermission<On> => {
  const need = (NEEDS[on] as Record<string, Need>)[permission] as Need;
  return { on, permission, ...need } as RequiredPermission<On>;
};

/**
 * The permission that a procedure declares to require.
 * @throws Error if it declares none on this kind of object, so that no procedure enforces what it does not declare
 */
export function declaredPermission<On extends keyof Needs>(
  meta: { need?: RequiredPermission } | undefined,
  on: On,
): RequiredPermission<On> {
  const need = meta?.need;
  if (need?.on !== on) throw new Error(`the procedure declares no need on a ${on}`);
  return need as RequiredPermission<On>;
}

/** Whether a caller may be able to view the object and still lack the permission, and gets 403 instead of 404. */
export const deniesWith403 = ({ on, level }: RequiredPermission): boolean => level !== NEEDS[on].view.level;

/** The caller's level, or `visitor` if a site shows them the object, and the scope of their token. */
export interface CallerLevel {
  level: Role | 'visitor' | null;
  scope: TokenScope;
  /** Their role in the organization, for needs with `inOrganization`, which are denied without it. */
  role?: Role | null;
}

/** The level of visitors on what their site publishes. */
export const VISITOR_LEVEL: CallerLevel = { level: 'visitor', scope: 'read' };

export function allows({ level, scope, role }: CallerLevel, need: Need): boolean {
  if (need.changes && scope !== 'write') return false;
  // guard: visitor-needs
  if (level === 'visitor') return need.visitors === true;
  // guard: needs-in-organization
  const compared = need.inOrganization ? (role ?? null) : level;
  return need.level === 'member' || includes(compared, need.level);
}

/** A caller without the scope of their token, which is checked for all mutations before the object is loaded. */
export type LevelOnly = Omit<CallerLevel, 'scope'>;

/** Whether a caller has the level that a permission requires: a token with the scope `read` may read what admins may. */
export const hasLevel = (caller: LevelOnly, need: Need): boolean =>
  allows({ ...caller, scope: 'write' }, need);

const flagsOf = new WeakMap<object, Map<string, object>>();

/** The `permissions` object for a caller; callers with the same level and scope share one. */
export function permissionsOf<Needs extends Record<string, Need>>(needs: Needs, caller: CallerLevel) {
  let byCaller = flagsOf.get(needs);
  if (!byCaller) {
    byCaller = new Map();
    flagsOf.set(needs, byCaller);
  }
  const key = `${caller.level} ${caller.role} ${caller.scope}`;
  let flags = byCaller.get(key);
  if (!flags) {
    flags = Object.freeze(
      Object.fromEntries(Object.entries(needs).map(([name, need]) => [name, allows(caller, need)])),
    );
    byCaller.set(key, flags);
  }
  return flags as Readonly<Record<keyof Needs, boolean>>;
}

/** The descriptions of the flags in `permissions`. */
const FLAGS = {
  view: 'Whether the caller may read it.',
  access: 'Whether the caller may open it as a member of the organization, not only as a visitor of a site.',
  edit: 'Whether the caller may change it.',
  create: 'Whether the caller may create content in it.',
  comment: 'Whether the caller may comment and react.',
  review: 'Whether the caller may review change requests.',
  merge: 'Whether the caller may merge change requests.',
  admin: 'Whether the caller may administer it.',
  viewInviteLinks:
    "Whether the caller may see the organization's invite links, including those to this object.",
  triggerGitSync: 'Whether the caller may start a synchronization with Git.',
  installIntegration: 'Whether the caller may install integrations.',
  viewAdaptiveSchema: 'Whether the caller may read the adaptive schema.',
  editAdaptiveSchema: 'Whether the caller may change the adaptive schema.',
  ownTeam: 'Whether the caller may own teams.',
  createContent: 'Whether the caller may create spaces and collections.',
  createOpenAPISpec: 'Whether the caller may add OpenAPI specs.',
  ingestConversations: 'Whether the caller may ingest conversations.',
  viewBilling: 'Whether the caller may see billing.',
  listMembers: 'Whether the caller may list the members.',
  listTeams: 'Whether the caller may list the teams.',
  listIntegrations: 'Whether the caller may list integrations.',
  listInstallations: 'Whether the caller may list installed integrations.',
};

/** The schema of a `permissions` object. */
export const permissionFlags = <Key extends keyof typeof FLAGS>(needs: Record<Key, Need>) =>
  z.object(
    Object.fromEntries(
      Object.keys(needs).map((key) => [key, z.boolean().describe(FLAGS[key as keyof typeof FLAGS])]),
    ) as Record<Key, z.ZodBoolean>,
  );
