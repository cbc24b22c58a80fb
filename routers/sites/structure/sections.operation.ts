import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { SiteSection } from '../../../schema/entities/site-section.ts';
import { SiteSectionGroup } from '../../../schema/entities/site-section-group.ts';
import { newId } from '../../../schema/ids.ts';
import { type Db, kyselyOf } from '../../base/db.ts';
import { DomainError, notFound } from '../../engine/errors.ts';
import { positionAtEnd, positionsIn } from '../../placement/siblings.operation.ts';
import { defaultSection, ensureDefaultSection } from '../defaults.operation.ts';
import { pathFor } from '../paths.ts';
import { MAX_SITE_ITEMS } from '../sites.operation.ts';
import { keepEarlierPath } from './earlier-path.operation.ts';
import { createSiteSpace, type NewSiteSpace, pathTaken } from './site-spaces.operation.ts';
import { readSections, requireSection, type SectionRow, sectionSiblings } from './structure.query.ts';
import { childrenOf } from './structure.ts';

/** The maximum depth of groups in groups: responses are validated and serialized recursively. */
const MAX_GROUP_DEPTH = 100;

/** The title of a section for a space, whose own title may be too short for a section. */
export const sectionTitle = (space: string): string =>
  space.trim().length < 2 ? `Section ${space}`.trim() : space;

interface NewSection {
  title: string;
  icon?: string | null | undefined;
  draft?: boolean | undefined;
  space: NewSiteSpace;
}

/**
 * Adds a section with one space at the end of a locked site. If the site has no sections, its site spaces first move into a
 * section of their own, which keeps their URLs.
 */
export async function addSection(em: SqlEntityManager, site: string, given: NewSection): Promise<string> {
  const db = kyselyOf(em);
  requireItemLimit((await readSections(db, site)).length + 2);
  await moveSiteSpacesIntoSection(em, site);
  const section = await createSection(em, site, given);
  await createSiteSpace(em, site, section, given.space);
  return section;
}

function requireItemLimit(items: number): void {
  if (items > MAX_SITE_ITEMS)
    throw new DomainError('conflict', `A site can have at most ${MAX_SITE_ITEMS} sections and groups.`);
}

async function moveSiteSpacesIntoSection(em: SqlEntityManager, site: string): Promise<void> {
  const db = kyselyOf(em);
  const first = await db
    .selectFrom('site_space')
    .innerJoin('space', 'space.id', 'site_space.space_id')
    .select('space.title')
    .where('site_space.site_id', '=', site)
    .where('site_space.section_id', 'is', null)
    .orderBy(sql`space.deleted_at is not null`)
    .orderBy('site_space.is_default', 'desc')
    .orderBy('site_space.position')
    .limit(1)
    .executeTakeFirst();
  if (!first) return;
  const section = await createSection(em, site, { title: sectionTitle(first.title) });
  await db
    .updateTable('site_space')
    .set({ section_id: section })
    .where('site_id', '=', site)
    .where('section_id', 'is', null)
    .execute();
}

async function createSection(
  em: SqlEntityManager,
  site: string,
  { title, icon = null, draft = false }: Omit<NewSection, 'space'>,
): Promise<string> {
  const db = kyselyOf(em);
  const id = newId();
  const taken = await db.selectFrom('site_section').select('path').where('site_id', '=', site).execute();
  em.create(SiteSection, {
    id,
    site,
    title,
    icon,
    path: pathFor(
      title,
      taken.map(({ path }) => path),
    ),
    isDefault: (await defaultSection(db, site)) === null,
    draft,
    position: await positionAtEnd(db, sectionSiblings(site, null)),
  });
  await em.flush();
  return id;
}

/** Removes a section. @throws DomainError `not-found` for a section of another site */
export async function removeSection(db: Db, site: string, id: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('site_section')
    .where('id', '=', id)
    .where('site_id', '=', site)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound('section');
  await ensureDefaultSection(db, site);
}

interface SectionChanges {
  title?: string | undefined;
  path?: string | undefined;
  condition?: string | null | undefined;
  draft?: boolean | undefined;
  icon?: string | null | undefined;
  description?: string | null | undefined;
}

/** @throws DomainError `not-found` for a section of another site, `conflict` if another section has the path */
export async function updateSection(
  db: Db,
  site: string,
  id: string,
  changes: SectionChanges,
): Promise<void> {
  const section = await requireSection(db, site, id);
  if (changes.path !== undefined) {
    const taken = await db
      .selectFrom('site_section')
      .select('id')
      .where('site_id', '=', site)
      .where('path', '=', changes.path)
      .where('id', '<>', id)
      .executeTakeFirst();
    if (taken) throw pathTaken(changes.path);
    await keepEarlierPath(db, 'site_section', section, changes.path, sql`site_id = ${site}`);
  }
  await updateFields(db, 'site_section', id, changes);
}

/** @throws DomainError `not-found` for a group of another site */
export async function updateGroup(
  db: Db,
  site: string,
  id: string,
  changes: Pick<SectionChanges, 'icon' | 'title' | 'draft'>,
): Promise<void> {
  itemOf(await readSections(db, site), 'site-section-group', id);
  await updateFields(db, 'site_section_group', id, changes);
}

async function updateFields(
  db: Db,
  table: 'site_section' | 'site_section_group',
  id: string,
  changes: object,
): Promise<void> {
  if (Object.values(changes).every((value) => value === undefined)) return;
  await db.updateTable(table).set(changes).where('id', '=', id).execute();
}

/** The section or group with an id; @throws DomainError `not-found` if the site has none. */
export function itemOf(rows: readonly SectionRow[], type: SectionRow['type'], id: string): SectionRow {
  const found = rows.find((row) => row.type === type && row.id === id);
  if (!found) throw notFound(type === 'site-section' ? 'section' : 'section group');
  return found;
}

/** The groups above a section or group, innermost first. */
export function groupsAbove(rows: readonly SectionRow[], parent: string | null): SectionRow[] {
  const above: SectionRow[] = [];
  for (let id = parent; id !== null; id = above.at(-1)?.parent ?? null)
    above.push(itemOf(rows, 'site-section-group', id));
  return above;
}

/** The number of levels of groups in a group, including itself. */
export function heightOf(rows: readonly SectionRow[], group: string): number {
  const children = childrenOf(rows, ({ parent }) => parent);
  let height = 0;
  for (let level = [group]; level.length > 0; height++)
    level = level.flatMap((id) =>
      (children.get(id) ?? []).flatMap((child) => (child.type === 'site-section-group' ? child.id : [])),
    );
  return height;
}

/** @throws DomainError `invalid` if groups would be nested too deep */
export function requireDepth(depth: number): void {
  if (depth > MAX_GROUP_DEPTH)
    throw new DomainError('invalid', `Section groups can be nested at most ${MAX_GROUP_DEPTH} levels deep.`);
}

interface NewGroup {
  title: string;
  icon?: string | null | undefined;
  draft?: boolean | undefined;
  parent?: string | undefined;
  /** The sections to move into it, in this order. */
  sections?: readonly string[] | undefined;
}

/** Adds a group at the end of its parent on a locked site. */
export async function addGroup(em: SqlEntityManager, site: string, given: NewGroup): Promise<string> {
  const { title, icon = null, draft = false, parent = null, sections = [] } = given;
  const db = kyselyOf(em);
  const rows = await readSections(db, site);
  requireItemLimit(rows.length + 1);
  requireDepth(groupsAbove(rows, parent).length + 1);
  const members = [...new Set(sections)].map((id) => itemOf(rows, 'site-section', id).id);
  const id = newId();
  const position = await positionAtEnd(db, sectionSiblings(site, parent));
  em.create(SiteSectionGroup, { id, site, parent, title, icon, draft, position });
  await em.flush();
  await setPositions(db, 'site_section', members, {
    parent: id,
    positions: await positionsIn(db, sectionSiblings(site, id), undefined, members.length),
  });
  return id;
}

/** Moves sections, or groups, to positions in a parent. */
async function setPositions(
  db: Db,
  table: 'site_section' | 'site_section_group',
  ids: readonly string[],
  { parent, positions }: { parent: string | null; positions: readonly string[] },
): Promise<void> {
  if (ids.length === 0) return;
  const column = table === 'site_section' ? 'group_id' : 'parent_id';
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${parent}, position = placed.position
    from unnest(${ids}::text[], ${positions}::text[]) as placed (id, position)
    where ${sql.ref(`${table}.id`)} = placed.id`.execute(db);
}

/** Moves a section to the end of a group. @throws DomainError `conflict` if it is in it already */
export async function addToGroup(db: Db, site: string, group: string, section: string): Promise<void> {
  const rows = await readSections(db, site);
  itemOf(rows, 'site-section-group', group);
  if (itemOf(rows, 'site-section', section).parent === group)
    throw new DomainError('conflict', 'The section is in this group already.');
  const position = await positionAtEnd(db, sectionSiblings(site, group));
  await setPositions(db, 'site_section', [section], { parent: group, positions: [position] });
}

/** Moves a section out of a group, directly after it. @throws DomainError `not-found` if it is not in the group */
export async function removeFromGroup(db: Db, site: string, group: string, section: string): Promise<void> {
  const rows = await readSections(db, site);
  const left = itemOf(rows, 'site-section-group', group);
  if (itemOf(rows, 'site-section', section).parent !== group) throw notFound('section in this group');
  const positions = await positionsIn(
    db,
    sectionSiblings(site, left.parent),
    { side: 'after', child: left },
    1,
  );
  await setPositions(db, 'site_section', [section], { parent: left.parent, positions });
}

/** Removes a group; its contents take its place. */
export async function removeGroup(db: Db, site: string, id: string): Promise<void> {
  const rows = await readSections(db, site);
  const group = itemOf(rows, 'site-section-group', id);
  const members = childrenOf(rows, ({ parent }) => parent).get(id) ?? [];
  const anchor = { side: 'after' as const, child: group };
  const positions = await positionsIn(db, sectionSiblings(site, group.parent), anchor, members.length);
  for (const type of ['site-section', 'site-section-group'] as const) {
    const chosen = members.map((member, index) => ({ ...member, position: positions[index] as string }));
    const ofType = chosen.filter((member) => member.type === type);
    await setPositions(
      db,
      type === 'site-section' ? 'site_section' : 'site_section_group',
      ofType.map((member) => member.id),
      { parent: group.parent, positions: ofType.map((member) => member.position) },
    );
  }
  await db.deleteFrom('site_section_group').where('id', '=', id).execute();
}
