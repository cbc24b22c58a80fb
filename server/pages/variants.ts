import { type Html, html } from '../http/html.ts';
import { loadPageIndex } from './content.ts';
import type { Frame } from './layout.ts';
import { firstDocument, type IndexedPage, type PageIndex } from './page-index.ts';
import type { PlacedSpace } from './structure.ts';
import { pageHref, type Redirect, type Visit } from './visit.ts';

/** The query parameter with the id of the page from which a reader switches to another variant. */
const SWITCHED_FROM = 'switched-from';

/** A page that may exist in other variants: its path, and its id if it exists in this one. */
interface Origin {
  path: string;
  id?: string;
}

/** The page from which a reader switches; undefined for the first page, as the first pages of variants belong together. */
export const originOf = ({ page }: IndexedPage, { first }: PageIndex): Origin | undefined =>
  page.id === first?.page.id || page.path === undefined ? undefined : { path: page.path, id: page.id };

/** A menu of the site spaces in the same section, such as versions and languages. */
export function variantSwitch({ visit, language }: Frame, origin: Origin | undefined): Html | undefined {
  const { spaces, place } = visit;
  const variants = spaces.filter(({ section }) => section?.id === place.section?.id);
  if (variants.length < 2) return undefined;
  // Whether the page exists in a variant is found out when the reader switches: reading all variants for each page is too expensive.
  const query = origin && `?${SWITCHED_FROM}=${encodeURIComponent(origin.id ?? '')}`;
  return html`<details class="drop variants"><summary><span class="visually-hidden">${language.texts.variants}: </span>${place.siteSpace.title}</summary><ul>${variants.map(
    (variant) =>
      html`<li><a href="${pageHref(visit, variant, origin?.path)}${query}"${languageMark(variant, language)}${variant === place && html` aria-current="true"`}>${variant.siteSpace.title}</a></li>`,
  )}</ul></details>`;
}

/** Tells browsers that a variant is in another language than the page. */
const languageMark = ({ siteSpace }: PlacedSpace, { content }: Frame['language']): Html | undefined => {
  const { language } = siteSpace.space;
  return language && language !== content ? html` hreflang="${language}"` : undefined;
};

/** The id of the page from which a reader switches; empty if it does not exist, undefined if they do not switch. */
export function switchedFrom(query: unknown): string | undefined {
  const { [SWITCHED_FROM]: id } = query as Record<string, unknown>;
  return typeof id === 'string' ? id : undefined;
}

/**
 * Where a reader gets who switches to the variant of a visit: to the same page, as copies and translations keep the ids of pages, or
 * else to the page with the same path, or the nearest one above it.
 */
export async function switchedTo(visit: Visit, pageId: string): Promise<Redirect> {
  const index = await loadPageIndex(visit, visit.place);
  const found = index.byId.get(pageId) ?? nearestPage(visit.pathname, index);
  const document = found && firstDocument(found, index);
  const path = document === index.first ? undefined : document?.page.path;
  return { redirect: pageHref(visit, visit.place, path) };
}

function nearestPage(pathname: string, { byPath }: PageIndex): IndexedPage | undefined {
  for (let path = pathname; path !== ''; path = path.slice(0, Math.max(path.lastIndexOf('/'), 0))) {
    const found = byPath.get(path);
    if (found) return found;
  }
  return undefined;
}
