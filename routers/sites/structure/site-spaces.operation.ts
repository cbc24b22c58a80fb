import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { SiteSpace } from '../../../schema/entities/site-space.ts';
import { Space } from '../../../schema/entities/space.ts';
import { newId } from '../../../schema/ids.ts';
import { columnsOf, columnsUnder, type Prefixed, partOf, type Row } from '../../../schema/rows.ts';
import { type Grants, levelOn, type Membership } from '../../access/levels.ts';
import { type Db, kyselyOf } from '../../base/db.ts';
import { DomainError, notFound } from '../../engine/errors.ts';
import { positionAtEnd } from '../../placement/siblings.operation.ts';
import { ensureDefaultSiteSpace } from '../defaults.operation.ts';
import { pathFor } from '../paths.ts';
import { MAX_SITE_ITEMS } from '../sites.operation.ts';
import { keepEarlierPath } from './earlier-path.operation.ts';
import { siteSpaceSiblings } from './structure.query.ts';

/** A space to add to a site. */
export type NewSiteSpace = Pick<Row<Space>, 'id' | 'title'>;

/** The site spaces of a section, or of a site without sections, also those whose space is deleted. */
const readSiblings = (db: Db, site: string, section: string | null) =>
  db
    .selectFrom('site_space')
    .innerJoin('space', 'space.id', 'site_space.space_id')
    .select(['site_space.id', 'site_space.path', 'site_space.is_default as isDefault'])
    .select(sql<boolean>`space.deleted_at is not null`.as('isDeleted'))
    .where('site_space.site_id', '=', site)
    .where('site_space.section_id', section === null ? 'is' : '=', section)
    .execute();

/** Adds a space at the end of a section of a locked site, or of a site without sections. */
export async function createSiteSpace(
  em: SqlEntityManager,
  site: string,
  section: string | null,
  space: NewSiteSpace,
  { draft = false }: { draft?: boolean | undefined } = {},
): Promise<string> {
  const db = kyselyOf(em);
  const present = await db.selectFrom('site_space').select('space_id').where('site_id', '=', site).execute();
  requireNotOnSite(present, space);
  if (present.length >= MAX_SITE_ITEMS)
    throw new DomainError('conflict', `A site can have at most ${MAX_SITE_ITEMS} spaces.`);
  const others = await readSiblings(db, site, section);
  const id = newId();
  const living = others.filter(({ isDeleted }) => !isDeleted);
  const path = pathFor(
    space.title,
    living.map(({ path }) => path),
  );
  await freePath(db, others, id, path);
  em.create(SiteSpace, {
    id,
    site,
    section,
    space: space.id,
    path,
    isDefault: !others.some(({ isDefault }) => isDefault),
    draft,
    position: await positionAtEnd(db, siteSpaceSiblings(site, section)),
  });
  await em.flush();
  return id;
}

function requireNotOnSite(present: readonly { space_id: string }[], space: NewSiteSpace): void {
  if (present.some(({ space_id }) => space_id === space.id))
    throw new DomainError('conflict', `The space "${space.title}" is on this site already.`);
}

/** A site, and the membership and grants of a caller. */
export interface SiteReader {
  site: { id: string };
  member: Membership;
  grants: Grants;
}

/**
 * Reads a site space of a site if the caller may view its space.
 * @param options.deleted whether it is also found while its space is deleted
 */
export async function readSiteSpace(
  db: Db,
  { site, member, grants }: SiteReader,
  id: string,
  options: { deleted?: boolean } = {},
): Promise<Row<SiteSpace> | undefined> {
  const row = await db
    .selectFrom('site_space')
    .innerJoin('space', 'space.id', 'site_space.space_id')
    .select(columnsOf(SiteSpace))
    .select(columnsUnder('content', Space))
    .where('site_space.id', '=', id)
    .where('site_space.site_id', '=', site.id)
    .executeTakeFirst();
  const space = row && partOf<Row<Space>, 'content'>(row as Prefixed<Row<Space>, 'content'>, 'content');
  // guard: site-space-viewable
  const isFound =
    space && (options.deleted || space.deletedAt === null) && levelOn(member, grants, space) !== null;
  return isFound ? row : undefined;
}

/** The same for one that must exist. @throws DomainError `not-found` for any other */
export async function findSiteSpace(...call: Parameters<typeof readSiteSpace>): Promise<Row<SiteSpace>> {
  const found = await readSiteSpace(...call);
  if (!found) throw notFound('site space');
  return found;
}

/** Replaces the space of a site space. @throws DomainError `conflict` if the new space is already on the site */
export async function replaceSpace(db: Db, { id, site }: Row<SiteSpace>, space: NewSiteSpace): Promise<void> {
  const present = await db
    .selectFrom('site_space')
    .select('space_id')
    .where('site_id', '=', site)
    .where('id', '<>', id)
    .execute();
  requireNotOnSite(present, space);
  await db.updateTable('site_space').set({ space_id: space.id }).where('id', '=', id).execute();
}

/**
 * Makes sure that a site space of a locked site can get a path, like {@link freePath}.
 * @throws DomainError `conflict` if another sibling has it
 */
export const requireFreePath = async (
  db: Db,
  { id, site, section }: Pick<Row<SiteSpace>, 'id' | 'site' | 'section'>,
  path: string,
): Promise<void> => freePath(db, await readSiblings(db, site, section), id, path);

/**
 * Frees a path among siblings. One whose space is deleted gives it up: it has another one if the space is restored.
 * @throws DomainError `conflict` if any other sibling has this path
 */
async function freePath(
  db: Db,
  siblings: Awaited<ReturnType<typeof readSiblings>>,
  id: string,
  path: string,
): Promise<void> {
  const holder = siblings.find((sibling) => sibling.path === path && sibling.id !== id);
  if (!holder) return;
  // guard: site-space-path-taken
  if (!holder.isDeleted) throw pathTaken(path);
  const free = pathFor(
    path,
    siblings.map((sibling) => sibling.path),
  );
  await db.updateTable('site_space').set({ path: free }).where('id', '=', holder.id).execute();
}

export const pathTaken = (path: string) =>
  new DomainError('conflict', `The path "${path}" is taken.`, [{ path: 'path', message: 'is taken' }]);

/** Updates a site space. @throws DomainError `conflict` if a sibling has the path */
export async function updateSiteSpace(
  db: Db,
  siteSpace: Row<SiteSpace>,
  changes: { path?: string | undefined; condition?: string | null | undefined; draft?: boolean | undefined },
): Promise<void> {
  const { path, condition, draft } = changes;
  if (path !== undefined) await requireFreePath(db, siteSpace, path);
  if (path === undefined && condition === undefined && draft === undefined) return;
  if (path !== undefined) {
    const among = siteSpaceSiblings(siteSpace.site, siteSpace.section).site_space;
    await keepEarlierPath(db, 'site_space', siteSpace, path, among);
  }
  await db.updateTable('site_space').set(changes).where('id', '=', siteSpace.id).execute();
}

/** Saves the customization in which a site space differs from its site; null for none. */
export async function saveOverrides(
  db: Db,
  id: string,
  customization: Record<string, unknown> | null,
): Promise<void> {
  await db.updateTable('site_space').set({ customization }).where('id', '=', id).execute();
}

/** Removes a site space from its site. */
export async function removeSiteSpace(db: Db, { id, site, section }: Row<SiteSpace>): Promise<void> {
  await db.deleteFrom('site_space').where('id', '=', id).execute();
  await ensureDefaultSiteSpace(db, site, section);
}
