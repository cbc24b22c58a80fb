import { type RawBuilder, sql } from 'kysely';
import type { Urls } from '../ports.ts';
import { addressColumns } from './address-columns.query.ts';
import { placeColumns, placeOf } from './places.query.ts';
import { publishedUrl, type SiteAddress } from './published.ts';

/** Where a published site shows a space. */
export type PublishedPlace = SiteAddress & Parameters<typeof placeOf>[0];

/**
 * Where the oldest published site that shows the space of the same row is, among those of a condition on `site`: one
 * column, null if there is none. Members see a space on a site whatever its condition.
 */
export const publishedPlace = (sees: RawBuilder<boolean>) =>
  sql<PublishedPlace | null>`(
    select to_json(shown) from (
      select site.id, site.basename, ${sql.join(addressColumns())},
        ${sql.join(placeColumns)}
      from site_space join site on site.id = site_space.site_id
        left join site_section on site_section.id = site_space.section_id
      where site_space.space_id = space.id and site.organization_id = space.organization_id and site.published and ${sees}
      order by site.id limit 1) as shown)`.as('published');

/** The address of such a place. */
export const urlOf = (urls: Urls, place: PublishedPlace | null): string | undefined =>
  place ? publishedUrl(urls, place, placeOf(place)) : undefined;
