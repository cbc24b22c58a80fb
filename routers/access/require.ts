import type { Db } from '../base/db.ts';
import type { Actor, Visitor } from '../base/principal.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import {
  type CollectionAccess,
  loadCollection,
  loadOrganization,
  loadSite,
  loadSpace,
  type OrganizationAccess,
  type SiteAccess,
  type SpaceAccess,
} from './load.query.ts';
import {
  hasLevel,
  type LevelOnly,
  type RequiredPermission,
  requiredPermission,
  VISITOR_LEVEL,
} from './needs.ts';
import { findShareLink, loadVisitedSite, loadVisitedSpace, type Visited } from './visited.query.ts';

/** How long a deleted space can be restored. */
export const RETENTION_DAYS = 7;

/** Whether a space deleted at this time can no longer be restored, even if the job has not removed it yet. */
const isExpired = (deletedAt: Date | string, now: number): boolean =>
  new Date(deletedAt).getTime() < now - RETENTION_DAYS * 24 * 3600 * 1000;

/** For callers who may view the object; others must get `not-found`. */
const forbidden = (what: string, permission: string) =>
  new DomainError('forbidden', `You need "${permission}" on this ${what}.`);

/**
 * Loads an organization on which a user has a permission.
 * @throws DomainError `not-found` if the user is not a member, `forbidden` without the permission
 */
export async function requireOrganization(
  db: Db,
  actor: Actor,
  id: string,
  need: RequiredPermission<'organization' | 'parent'>,
): Promise<OrganizationAccess> {
  const access = await loadOrganization(db, actor, id);
  if (!access) throw notFound('organization');
  requireOrganizationPermission({ level: access.member.role }, need);
  return access;
}

/** @throws DomainError `forbidden` if the caller lacks the permission on an organization */
export function requireOrganizationPermission(
  caller: LevelOnly,
  need: RequiredPermission<'organization' | 'parent'>,
): void {
  // guard: organization-permission
  if (!hasLevel(caller, need)) throw forbidden('organization', need.permission);
}

/**
 * Loads a space on which a user has a permission. A deleted one is found only with the `deleted` option, by its admins,
 * while it can be restored.
 * @throws DomainError `not-found` if the user may not view it, `forbidden` without the permission
 */
export async function requireSpace(
  db: Db,
  actor: Actor,
  id: string,
  need: RequiredPermission<'space'>,
  options: { deleted?: boolean } = {},
): Promise<SpaceAccess> {
  const access = await loadSpace(db, actor, id);
  if (!access) throw notFound('space');
  const { deletedAt } = access.space;
  // guard: deleted-spaces
  if (deletedAt && !(options.deleted && access.level === 'admin' && !isExpired(deletedAt, Date.now())))
    throw notFound('space');
  requireSpacePermission({ level: access.level, role: access.member.role }, need);
  return access;
}

/** Loads a space that a site shows to a visitor. @throws DomainError `not-found` or `forbidden`, as for users */
export async function requireVisitedSpace(
  db: Db,
  visitor: Visitor,
  id: string,
  need: RequiredPermission<'space'>,
): Promise<Visited<SpaceAccess['space']>> {
  const visited = await loadVisitedSpace(db, visitor, id);
  if (!visited) throw notFound('space');
  requireSpacePermission(VISITOR_LEVEL, need);
  return visited;
}

/** @throws DomainError `forbidden` if the caller lacks the permission on a space */
export function requireSpacePermission(caller: LevelOnly, need: RequiredPermission<'space'>): void {
  // guard: space-permission
  if (!hasLevel(caller, need)) throw forbidden('space', need.permission);
}

/** Loads a collection on which a user has a permission. @throws DomainError as `requireSpace` */
export async function requireCollection(
  db: Db,
  actor: Actor,
  id: string,
  need: RequiredPermission<'collection' | 'parent'>,
): Promise<CollectionAccess> {
  const access = await loadCollection(db, actor, id);
  if (!access) throw notFound('collection');
  const caller = { level: access.level, role: access.member.role };
  // guard: collection-permission
  if (!hasLevel(caller, need)) throw forbidden('collection', need.permission);
  return access;
}

/** Loads a site of an organization on which a user has a permission. @throws DomainError as `requireSpace` */
export async function requireSite(
  db: Db,
  actor: Actor,
  { organizationId, siteId }: { organizationId: string; siteId: string },
  need: RequiredPermission<'site'>,
): Promise<SiteAccess> {
  const access = await loadSite(db, actor, organizationId, siteId);
  if (!access) throw notFound('site');
  if (!hasLevel({ level: access.level }, need)) throw forbidden('site', need.permission);
  return access;
}

/** Loads the visitor's site. @throws DomainError `not-found` for any other site, `forbidden` as for users */
export async function requireVisitedSite(
  db: Db,
  visitor: Visitor,
  { organizationId, siteId }: { organizationId: string; siteId: string },
  need: RequiredPermission<'site'>,
): Promise<Visited<SiteAccess['site']>> {
  const visited = await loadVisitedSite(db, visitor, organizationId, siteId);
  if (!visited) throw notFound('site');
  if (!hasLevel(VISITOR_LEVEL, need)) throw forbidden('site', need.permission);
  return visited;
}

/** @throws DomainError `not-found` if the key is not the key of an active share link of the site */
export async function requireShareKey(db: Db, site: string, key: string | undefined): Promise<void> {
  if (key !== undefined && (await findShareLink(db, site, key)) === undefined) throw notFound('site');
}

/**
 * Loads the collection that a user wants to place something in; null stands for the root of the organization.
 * @throws DomainError as `requireCollection` and `requireOrganization`; `not-found` for a collection of another organization
 */
export async function requireParent(
  db: Db,
  actor: Actor,
  organizationId: string,
  parentId: string | null,
  need = requiredPermission('parent', 'create'),
): Promise<CollectionAccess['collection'] | null> {
  if (parentId === null) {
    await requireOrganization(db, actor, organizationId, need);
    return null;
  }
  const { collection } = await requireCollection(db, actor, parentId, need);
  // guard: organization-of-parent
  if (collection.organization !== organizationId) throw notFound('collection');
  return collection;
}

/** The same for the present parent of something that the user may view; if they may not view the parent, `forbidden`. */
export async function requireCurrentParent(
  db: Db,
  actor: Actor,
  content: { organization: string; parent?: string | null | undefined },
): Promise<CollectionAccess['collection'] | null> {
  const parentId = content.parent ?? null;
  if (parentId !== null && !(await loadCollection(db, actor, parentId))) throw forbidden('place', 'create');
  return requireParent(db, actor, content.organization, parentId);
}
