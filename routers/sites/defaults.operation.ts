import { type RawBuilder, sql } from 'kysely';
import type { SiteSpace } from '../../schema/entities/site-space.ts';
import type { Row } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';
import { notFound } from '../engine/errors.ts';
import { requireSection, siteSpaceSiblings } from './structure/structure.query.ts';
import { childrenOf } from './structure/structure.ts';

/** Makes one of the `siblings` the default. The old default is unset first, because there cannot be two. */
async function setDefault(
  db: Db,
  table: 'site_section' | 'site_space',
  siblings: RawBuilder<unknown>,
  id: string,
): Promise<void> {
  await sql`update ${sql.table(table)} set is_default = false where ${siblings} and is_default`.execute(db);
  await sql`update ${sql.table(table)} set is_default = true where id = ${id}`.execute(db);
}

/** Makes a section the default of its site. @throws DomainError `not-found` for a section of another site */
export async function setDefaultSection(db: Db, site: string, id: string): Promise<void> {
  await requireSection(db, site, id);
  await setDefault(db, 'site_section', sql`site_id = ${site}`, id);
}

/**
 * Makes a site space the default of its section, or of a site without sections.
 * @param section the section that it must be in; by default the default section
 * @throws DomainError `not-found` if it is not there
 */
export async function setDefaultSiteSpace(
  db: Db,
  { id, site, section }: Pick<Row<SiteSpace>, 'id' | 'site' | 'section'>,
  expected?: string,
): Promise<void> {
  const parent = expected ?? (await defaultSection(db, site));
  if (section !== parent)
    throw notFound(parent === null ? 'site space on this site' : 'site space in this section');
  await setDefault(db, 'site_space', siteSpaceSiblings(site, parent).site_space, id);
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

/** Makes the first section in reading order the default if no section is. */
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
  const stack = (children.get(null) ?? []).toReversed();
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (isSection.has(next.id)) return setDefault(db, 'site_section', sql`site_id = ${site}`, next.id);
    for (const child of (children.get(next.id) ?? []).toReversed()) stack.push(child);
  }
}

/** Makes the first site space of a section, or of a site without sections, the default if none is; deleted ones come last. */
export async function ensureDefaultSiteSpace(db: Db, site: string, section: string | null): Promise<void> {
  const siblings = siteSpaceSiblings(site, section).site_space;
  await sql`
    update site_space set is_default = true
    where id = (
      select site_space.id from site_space join space on space.id = site_space.space_id
      where ${siblings}
      order by space.deleted_at is not null, site_space.position, site_space.id limit 1)
    and not exists (select from site_space where ${siblings} and is_default)`.execute(db);
}
