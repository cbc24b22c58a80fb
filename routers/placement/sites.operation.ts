import { type RawBuilder, sql } from 'kysely';
import { loadSite } from '../access/load.query.ts';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { DomainError } from '../engine/errors.ts';
import { awaitLock } from '../sql/lock-row.ts';

/**
 * Locks the sites that show spaces, before the spaces themselves: who puts a space on a site locks them in this order too.
 * @param spaces selects their ids
 */
export async function lockSitesOf(db: Db, spaces: RawBuilder<unknown>): Promise<void> {
  const locking = sql`
    select from site
    where id in (select site_id from site_space where space_id in (${spaces}))
    order by id for no key update`.execute(db);
  await awaitLock('site', locking);
}

/**
 * Takes spaces that have just left their organization off its sites: deleted ones silently, for they could come back
 * there. The sites that show them are locked. Runs after the rows of the spaces are written, so that whoever puts one on a
 * site waits and then fails.
 * @param actor who takes them away: sites that they may not view are not named
 * @param spaces selects their ids
 * @throws DomainError `precondition` naming the site that shows one of the others
 */
export async function detachFromSites(db: Db, actor: Actor, spaces: RawBuilder<unknown>): Promise<void> {
  const { rows: shown } = await sql<{ organization: string; site: string; title: string; space: string }>`
    select site.organization_id as organization, site.id as site, site.title, space.title as space
    from site_space join site on site.id = site_space.site_id join space on space.id = site_space.space_id
    where site_space.space_id in (${spaces}) and space.deleted_at is null
    order by site_space.id limit 1`.execute(db);
  const [first] = shown;
  if (first) {
    const isVisible = (await loadSite(db, actor, first.organization, first.site)) !== undefined;
    const site = isVisible ? `the site "${first.title}"` : 'a site';
    const message = `The space "${first.space}" cannot leave its organization while ${site} shows it.`;
    throw new DomainError('precondition', message);
  }
  await removeFromSites(db, spaces);
}

/** Takes spaces off all sites, which are locked, and hands on where they were the default. */
export async function removeFromSites(db: Db, spaces: RawBuilder<unknown>): Promise<void> {
  const { rows: left } = await sql<{ site: string }>`
    delete from site_space where space_id in (${spaces}) returning site_id as site`.execute(db);
  if (left.length === 0) return;
  const sites = left.map(({ site }) => site);
  await sql`
    update site_space set is_default = true
    where id in (
      select distinct on (site_id, section_id) one.id
      from site_space as one join space on space.id = one.space_id
      where one.site_id = any(${sites}) and not exists (
        select from site_space as other
        where other.site_id = one.site_id and other.section_id is not distinct from one.section_id
          and other.is_default)
      order by site_id, section_id, space.deleted_at is not null, one.position, one.id)`.execute(db);
}
