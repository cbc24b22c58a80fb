import { type AppPlace, parseAppUrl } from '../addresses/app-path.ts';
import { parseAddress } from '../addresses/parse.ts';
import { PREVIEW_KEY } from '../addresses/published.ts';
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
  const { site, used, candidates } = located;
  const options = (await readAllPathOptions(db, site.id)).options;
  const targetAt = (path: readonly string[]) => {
    const resolved = resolveSitePath(options, path, { fallsBackToFirst: true });
    return resolved && { ...resolved, path: path.slice(resolved.used) };
  };
  const path = address.segments.slice(used);
  // guard: content-url-key
  const hasKey = candidates.link !== null;
  const found = targetAt(hasKey ? path.slice(1) : path);
  // Members also get addresses without a key, in which a section or a site space may be named like a preview.
  const isPreview =
    site.visibility === 'share-link' && !hasKey && found?.used === 0 && path[0] === PREVIEW_KEY;
  const target = isPreview ? targetAt(path.slice(1)) : found;
  return target && { kind: 'space', space: target.siteSpace.chosen.space, path: target.path };
}
