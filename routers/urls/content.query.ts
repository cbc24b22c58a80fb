import { type AppPlace, parseAppUrl } from '../addresses/app-path.ts';
import { parseAddress } from '../addresses/parse.ts';
import { resolveSitePath } from '../addresses/resolve-path.ts';
import type { Db } from '../base/db.ts';
import type { Urls } from '../base/ports.ts';
import { locateSite } from './locate.query.ts';
import { readAllPathOptions } from './structure.query.ts';

/** Content that an address names; a page by its path where its id is not in the address. */
export type ContentTarget = AppPlace | { kind: 'space'; space: string; path: readonly string[] };

/**
 * The content that an address of the web app or of a site names, whoever may see it.
 * @returns undefined if it names none
 */
export async function resolveContentUrl(db: Db, urls: Urls, text: string): Promise<ContentTarget | undefined> {
  const place = parseAppUrl(urls, text);
  if (place) return place;
  const address = parseAddress(urls, text);
  const located = address && (await locateSite(db, address));
  if (!located || located.isOrganization) return undefined;
  const { site, used } = located;
  const rest = address.segments.slice(site.visibility === 'share-link' ? used + 1 : used);
  const found = resolveSitePath(await readAllPathOptions(db, site.id), rest, true);
  return found && { kind: 'space', space: found.siteSpace.chosen.space, path: rest.slice(found.used) };
}
