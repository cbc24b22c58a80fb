import { type AppPlace, parseAppUrl } from '../addresses/app-path.ts';
import { parseAddress } from '../addresses/parse.ts';
import { resolveSitePath } from '../addresses/resolve-path.ts';
import type { Db } from '../base/db.ts';
import type { Urls } from '../base/ports.ts';
import { locateSite } from './locate.query.ts';
import { readAllPathOptions } from './structure.query.ts';

/** The content that a URL refers to; a page is given by its path if its id is not in the URL. */
export type ContentTarget = AppPlace | { kind: 'space'; space: string; path: readonly string[] };

/**
 * Resolves a URL of the web app or of a site to content, whether or not the caller may see it.
 * @returns undefined if there is no such content
 */
export async function resolveContentUrl(
  db: Db,
  urls: Urls,
  text: string,
): Promise<ContentTarget | undefined> {
  const place = parseAppUrl(urls, text);
  if (place) return place;
  const address = parseAddress(urls, text);
  const located = address && (await locateSite(db, address));
  if (!located || located.isOrganization) return undefined;
  const { site, used } = located;
  const rest = address.segments.slice(site.visibility === 'share-link' ? used + 1 : used);
  const resolved = resolveSitePath(await readAllPathOptions(db, site.id), rest, {
    fallsBackToFirst: true,
  });
  return (
    resolved && { kind: 'space', space: resolved.siteSpace.chosen.space, path: rest.slice(resolved.used) }
  );
}
