import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { notFound } from '../engine/errors.ts';
import { requireSection, siteSpaceSiblings } from './structure/structure.query.ts';
import { childrenOf } from './structure/structure.ts';

/** Makes one row of a table the default among some: the old one is unset before, since two would not be allowed. */
async function choose(
  db: Db,
  table: 'site_section' | 'site_space',
  among: RawBuilder<unknown>,
  id: string,
): Promise<void> {
  await sql`update ${sql.table(table)} set is_default = false where ${among} and is_default`.execute(db);
  await sql`update ${sql.table(table)} set is_default = true where id = ${id}`.execute(db);
}

/** @throws DomainError `not-found` for a section of another site */
export async function chooseDefaultSection(db: Db, site: string, id: string): Promise<void> {
  await requireSection(db, site, id);
  await choose(db, 'site_section', sql`site_id = ${site}`, id);
}

/**
 * Makes a site space the default of its section, or of a site without sections.
 * @param section the section that it must be in; by default the default section
 * @throws DomainError `not-found` if it is not there, or its space is deleted
 */
export async function chooseDefaultSiteSpace(
  db: Db,
  site: string,
  id: string,
  section?: string,
): Promise<void> {
  const parent = section ?? (await defaultSection(db, site));
  const found = await db
    .selectFrom('site_space')
    .innerJoin('space', 'space.id', 'site_space.space_id')
    .select('site_space.id')
    .where('site_space.id', '=', id)
    .where('site_space.site_id', '=', site)
    .where('site_space.section_id', parent === null ? 'is' : '=', parent)
    .where('space.deleted_at', 'is', null)
    .executeTakeFirst();
  if (!found) throw notFound(parent === null ? 'site space on this site' : 'site space in this section');
  await choose(db, 'site_space', siteSpaceSiblings(site, parent).site_space, id);
}

/** The default section of a site; null if it has no sections. */
export async function defaultSection(db: Db, site: string): Promise<string | null> {
  const section = await db
    .selectFrom('site_section')
    .select('id')
    .where('site_id', '=', site)
    .where('is_default', '=', true)
    .executeTakeFirst();
  return section?.id ?? null;
}

/** Hands the default on to the first section in reading order, if none has it. */
export async function ensureDefaultSection(db: Db, site: string): Promise<void> {
  const sections = await db
    .selectFrom('site_section')
    .select(['id', 'group_id as parent', 'position', 'is_default as isDefault'])
    .where('site_id', '=', site)
    .execute();
  if (sections.length === 0 || sections.some(({ isDefault }) => isDefault)) return;
  const groups = await db
    .selectFrom('site_section_group')
    .select(['id', 'parent_id as parent', 'position'])
    .where('site_id', '=', site)
    .execute();
  const isSection = new Set(sections.map(({ id }) => id));
  const children = childrenOf([...sections, ...groups], ({ parent }) => parent);
  const open = (children.get(null) ?? []).toReversed();
  for (let next = open.pop(); next; next = open.pop()) {
    if (isSection.has(next.id)) return choose(db, 'site_section', sql`site_id = ${site}`, next.id);
    for (const child of (children.get(next.id) ?? []).toReversed()) open.push(child);
  }
}

/** The same for the site spaces of a section, or of a site without sections: the first that is not deleted. */
export async function settleDefaultSiteSpace(db: Db, site: string, section: string | null): Promise<void> {
  const siblings = siteSpaceSiblings(site, section).site_space;
  await sql`
    update site_space set is_default = true
    where id = (
      select site_space.id from site_space join space on space.id = site_space.space_id
      where ${siblings}
      order by space.deleted_at is not null, site_space.position, site_space.id limit 1)
    and not exists (select from site_space where ${siblings} and is_default)`.execute(db);
}
