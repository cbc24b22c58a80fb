import { z } from 'zod';
import type { Role, TokenScope } from '../../schema/enums.ts';
import { includes } from './levels.ts';

/**
 * What each permission needs: the procedures enforce it and the `permissions` of every object are computed from it, so
 * the two cannot disagree. `member` is any member of the organization, guests included; a level is the member's own
 * role on an organization, and the effective level on a collection, space or site. Permissions to change something also need
 * a token with the scope `write`.
 */
export interface Need {
  level: Role | 'member';
  changes: boolean;
  /** Whether visitors of a site may do it with what the site publishes, through the procedures that admit them. */
  visitors?: true;
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

export const COLLECTION_NEEDS = {
  view: toRead('read'),
  admin: toChange('admin'),
  viewInviteLinks: toRead('admin'),
  create: toChange('create'),
} as const satisfies Record<string, Need>;

export const SPACE_NEEDS = {
  view: toReadPublished('read'),
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

/** What each permission on a comment or reply needs of the caller's level on the space: on their own, and on others'. */
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

/** What each permission on an OpenAPI specification needs of the caller's role in the organization. */
export const SPEC_NEEDS = {
  view: toReadPublished('read'),
  edit: ORGANIZATION_NEEDS.createOpenAPISpec,
} as const satisfies Record<string, Need>;

/** What each permission on a translation needs of the caller's level on both of its spaces. */
export const TRANSLATION_NEEDS = {
  view: { level: 'read', changes: false },
  edit: { level: 'edit', changes: true },
} as const satisfies Record<string, Need>;

/** What each permission on any team needs of the caller's role in the organization. */
export const TEAM_NEEDS = { view: ORGANIZATION_NEEDS.listTeams, admin: ORGANIZATION_NEEDS.admin } as const;

/**
 * Everything that procedures need, by kind of object, whether or not it is shown as a permission. A `parent` is what
 * something is to be put into: a collection, or the root of the organization.
 */
const NEEDS = {
  // What follows is enforced but not shown.
  organization: {
    ...ORGANIZATION_NEEDS,
    viewAuditLog: toRead('admin'),
    viewInvites: toRead('admin'),
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
  // `create`: moving or duplicating a space, which is enforced but not shown.
  space: { ...SPACE_NEEDS, create: toChange('create') },
  site: SITE_NEEDS,
  team: TEAM_NEEDS,
  member: { view: ORGANIZATION_NEEDS.listMembers },
} as const satisfies Record<string, Record<string, Need> & { view: Need }>;

type Needs = typeof NEEDS;
export type Permission<On extends keyof Needs> = keyof Needs[On] & string;

/** What a procedure needs on an object of one kind. Declared in its `meta`; enforced and documented from there. */
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
 * The need that a procedure declares.
 * @throws Error if it declares none on this kind of object, so that no undeclared need is ever assumed.
 */
export function declaredPermission<On extends keyof Needs>(
  meta: { need?: RequiredPermission } | undefined,
  on: On,
): RequiredPermission<On> {
  const need = meta?.need;
  if (need?.on !== on) throw new Error(`the procedure declares no need on a ${on}`);
  return need as RequiredPermission<On>;
}

/** Whether some callers may view the object but lack the permission: they get 403 instead of 404. */
export const deniesWith403 = ({ on, level }: RequiredPermission): boolean => level !== NEEDS[on].view.level;

/** What a caller has: their level, or that a site shows them the object; and what their token allows. */
export interface CallerLevel {
  level: Role | 'visitor' | null;
  scope: TokenScope;
}

/** The standing of visitors on what their site publishes. */
export const VISITOR_LEVEL: CallerLevel = { level: 'visitor', scope: 'read' };

export function allows({ level, scope }: CallerLevel, need: Need): boolean {
  if (need.changes && scope !== 'write') return false;
  if (level === 'visitor') return need.visitors === true;
  return need.level === 'member' || includes(level, need.level);
}

const flagsOf = new WeakMap<object, Map<string, object>>();

/** The `permissions` object for one standing; the same object for the same standing. */
export function permissionsOf<Needs extends Record<string, Need>>(needs: Needs, standing: CallerLevel) {
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

/** What each flag of `permissions` says. */
const FLAGS = {
  view: 'Whether the caller may read it.',
  access: 'Whether the caller may open it beside others who have access.',
  edit: 'Whether the caller may change it.',
  create: 'Whether the caller may create content in it.',
  comment: 'Whether the caller may comment and react.',
  review: 'Whether the caller may review change requests.',
  merge: 'Whether the caller may merge change requests.',
  admin: 'Whether the caller may administrate it.',
  viewInviteLinks: 'Whether the caller may see its invite links.',
  triggerGitSync: 'Whether the caller may start a synchronization with Git.',
  installIntegration: 'Whether the caller may install integrations.',
  viewAdaptiveSchema: 'Whether the caller may read the schema of the claims of visitors.',
  editAdaptiveSchema: 'Whether the caller may change the schema of the claims of visitors.',
  ownTeam: 'Whether the caller may own teams.',
  createContent: 'Whether the caller may create spaces and collections.',
  createOpenAPISpec: 'Whether the caller may add OpenAPI documents.',
  ingestConversations: 'Whether the caller may ingest conversations.',
  viewBilling: 'Whether the caller may see what is billed.',
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
