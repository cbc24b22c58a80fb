import { sql } from 'kysely';
import { isPublishedPlace } from '../access/visibility-conditions.query.ts';
import { addressColumns } from '../addresses/address-columns.query.ts';
import { placeColumns } from '../addresses/places.query.ts';
import { placeOf } from '../addresses/places.ts';
import { publishedUrl, shareKeyOn } from '../addresses/published.ts';
import type { Db } from '../base/db.ts';
import type { Urls } from '../base/ports.ts';
import type { Actor, Visitor } from '../base/principal.ts';
import { notFound } from '../engine/errors.ts';

/**
 * The URL of a space that the reader may view, through a share link; undefined while the site is not published,
 * or the space is a draft there.
 * @throws DomainError `not-found` if the key is not that of an active share link of a site that shows them the space
 */
export async function readPublishedUrl(
  { db, urls, reader }: { db: Db; urls: Urls; reader: Actor | Visitor },
  space: { id: string; organization: string },
  shareKey: string,
): Promise<string | undefined> {
  let shared = db
    .selectFrom('share_link')
    .innerJoin('site', 'site.id', 'share_link.site_id')
    .innerJoin('site_space', 'site_space.site_id', 'site.id')
    .leftJoin('site_section', 'site_section.id', 'site_space.section_id')
    .select(['site.id', 'site.basename'])
    .select('site.visibility')
    .select(sql<boolean>`site.published and ${isPublishedPlace}`.as('isPublished'))
    .select(addressColumns)
    .select(placeColumns)
    .where('share_link.key', '=', shareKey)
    // guard: share-link-active
    .where('share_link.active', '=', true)
    // guard: share-key-of-space
    .where('site_space.space_id', '=', space.id)
    .where('site.organization_id', '=', space.organization);
  if (reader.kind === 'visitor') shared = shared.where('site.id', '=', reader.site);
  const site = await shared.executeTakeFirst();
  if (!site) throw notFound('space');
  return site.isPublished
    ? publishedUrl(urls, site, { ...placeOf(site), shareKey: shareKeyOn(site, shareKey) })
    : undefined;
}
