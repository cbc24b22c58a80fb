import { type RawBuilder, sql } from 'kysely';
import { addressColumns } from '../addresses/address-columns.query.ts';
import { placeColumns } from '../addresses/places.query.ts';
import type { PublishedPlace } from '../addresses/places.ts';
import { isPublishedPlace } from './visibility-conditions.query.ts';

/**
 * The column `published`: the place of the row's space on the oldest published site that shows it, among the sites that a
 * condition on `site` selects; null if there is none. Members see a space on a site whatever its condition, but a draft is not
 * published.
 */
export const publishedPlace = (isSelected: RawBuilder<boolean>) =>
  // guard: place-on-published-site, place-of-draft
  placeWhere(sql`site.published and ${isPublishedPlace} and ${isSelected}`).as('published');

/** The column `place`: the place of the row's space on a site, published or not. */
export const placeOnSite = (site: RawBuilder<string>) => placeWhere(sql`site.id = ${site}`).as('place');

const placeWhere = (condition: RawBuilder<boolean>) =>
  sql<PublishedPlace | null>`(
    select to_json(shown) from (
      select site.id, site.basename, ${sql.join(addressColumns())},
        ${sql.join(placeColumns)}
      from site_space join site on site.id = site_space.site_id
        left join site_section on site_section.id = site_space.section_id
      where site_space.space_id = space.id and site.organization_id = space.organization_id and ${condition}
      order by site.id limit 1) as shown)`;
