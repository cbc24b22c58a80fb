import { type RawBuilder, sql } from 'kysely';
import { loadSite } from '../access/load.query.ts';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { DomainError } from '../engine/errors.ts';
import { awaitLock } from '../sql/lock-row.ts';

/**
 * Locks the sites that show spaces, before the spaces themselves: adding a space to a site locks in this order too.
 * @param spaces selects the ids of the spaces
 */
export async function lockSitesOf(db: Db, spaces: RawBuilder<unknown>): Promise<void> {
  const locking = sql`
    select from site
    where id in (select site_id from site_space where space_id in (${spaces}))
    order by id for no key update`.execute(db);
  await awaitLock('site', locking);
}

/**
 * Removes spaces that have just left their organization from its sites: deleted spaces silently, because they could be
 * restored there; any others must not be on a site. The sites that show them are locked. Runs after the rows of the spaces
 * are written, so that a concurrent addition to a site waits and then fails.
 * @param actor the caller: error messages do not name sites that they may not view
 * @param spaces selects the ids of the spaces
 * @throws DomainError `precondition` naming a site that shows a space that is not deleted
 */
export async function detachFromSites(db: Db, actor: Actor, spaces: RawBuilder<unknown>): Promise<void> {
  const { rows: shown } = await sql<{ organization: string; site: string; title: string; space: string }>`
    select site.organization_id as organization, site.id as site, site.title, space.title as space
    from site_space join site on site.id = site_space.site_id join space on space.id = site_space.space_id
    where site_space.space_id in (${spaces}) and space.deleted_at is null
    order by site_space.id limit 1`.execute(db);
  const [first] = shown;
  // guard: shown-space-transfer
  if (first) {
    // guard: shown-site-named
    const isVisible = (await loadSite(db, actor, first.organization, first.site)) !== undefined;
    const site = isVisible ? `the site "${first.title}"` : 'a site';
    const message = `The space "${first.space}" cannot leave its organization while it is on ${site}.`;
    throw new DomainError('precondition', message);
  }
  await removeFromSites(db, spaces);
}

/** Removes spaces from all sites, which are locked, and makes others the default where they were. */
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
