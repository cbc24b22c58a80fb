import type { inferRouterOutputs } from '@trpc/server';
import { firstCharacters } from '../../routers/engine/text.ts';
import type { AppRouter } from '../../routers/index.ts';
import { type Html, html } from '../http/html.ts';
import { errorBody } from '../http/http-errors.ts';
import { loadPageIndex } from './content.ts';
import { loadFrame } from './frame.ts';
import { directionOf } from './languages/index.ts';
import { type RenderedPage, renderNotice, searchForm } from './render-page.ts';
import { namesOf } from './structure.ts';
import { pageHref, type Visit } from './visit.ts';

type FoundSpace = Pick<
  inferRouterOutputs<AppRouter>['search']['searchSite']['items'][number],
  'id' | 'pages'
>;

/** Maximum length of a query, in characters. */
const MAX_QUERY = 200;

/** Maximum numbers of pages in the results, and of sections of each. */
const MAX_PAGES = 20;
const MAX_SECTIONS = 3;

/** A piece of an excerpt, and whether it matches the query. */
type Piece = [text: string, isMarked: boolean];

export interface FoundPage {
  title: string;
  href: string;
  /** The language of its space, which may be another than that of the page with the results, and its direction. */
  language?: { lang: string; dir: 'ltr' | 'rtl' };
  /** The titles of its site space, if there are several, and of its ancestors. */
  above: string[];
  sections: { title: string; href: string; excerpt: Piece[] }[];
}

/** The query of a reader; undefined if it is empty or not valid text. */
export function queryOf(query: unknown): string | undefined {
  const { q } = (query ?? {}) as Record<string, unknown>;
  const given = typeof q === 'string' ? firstCharacters(q.replaceAll('\0', ' ').trim(), MAX_QUERY) : '';
  return given.isWellFormed() && given !== '' ? given : undefined;
}

/** The matching pages that the visitor can see, best first, with their addresses. */
export async function searchPages(visit: Visit, query: string): Promise<FoundPage[]> {
  let items: FoundSpace[];
  try {
    items = await search(visit, query);
  } catch (error) {
    // The query has no searchable words.
    if (errorBody(error).status === 400) return [];
    throw error;
  }
  return items
    .flatMap((space) => space.pages.map((page) => ({ space, page })))
    .sort((a, b) => a.page.rank - b.page.rank)
    .slice(0, MAX_PAGES)
    .flatMap(({ space, page }) => present(visit, space, page) ?? []);
}

async function search(visit: Visit, query: string): Promise<FoundSpace[]> {
  const { call, organization, published, place } = visit;
  if (published) {
    const { items } = await call.search.searchSite({
      organizationId: organization,
      siteId: published.site.id,
      query,
    });
    return items;
  }
  const { id, revision } = place.siteSpace.space;
  return [{ id, pages: (await call.search.searchSpace({ spaceId: id, revision, query })).items }];
}

function present(visit: Visit, space: FoundSpace, page: FoundSpace['pages'][number]): FoundPage | undefined {
  const { spaces, place } = visit;
  const hasSpace = (placed: (typeof spaces)[number]) => placed.siteSpace.space.id === space.id;
  const placed = hasSpace(place) ? place : spaces.find(hasSpace);
  if (!placed) return undefined;
  const href = pageHref(visit, placed, page.path);
  const { language } = placed.siteSpace.space;
  return {
    title: page.title,
    href,
    ...(language !== undefined && { language: { lang: language, dir: directionOf(language) } }),
    above: [
      ...(spaces.length > 1 ? namesOf(placed, spaces) : []),
      ...page.ancestors.map(({ title }) => title),
    ],
    sections: page.sections.slice(0, MAX_SECTIONS).map(({ title, anchor, body, highlights }) => ({
      title: anchor === undefined ? '' : title,
      href: anchor === undefined ? href : `${href}#${encodeURIComponent(anchor)}`,
      excerpt: pieces(body, highlights),
    })),
  };
}

function pieces(body: string, highlights: readonly { start: number; end: number }[]): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const { start, end } of highlights) {
    if (start < at) continue;
    found.push([body.slice(at, start), false], [body.slice(start, end), true]);
    at = end;
  }
  found.push([body.slice(at), false]);
  return found.filter(([text]) => text !== '');
}

/** Renders the search page, for readers without JavaScript and direct links. */
export async function renderSearch(visit: Visit, query: string | undefined): Promise<RenderedPage> {
  const [frame, index, found] = await Promise.all([
    loadFrame(visit),
    loadPageIndex(visit, visit.place),
    query === undefined ? [] : searchPages(visit, query),
  ]);
  const { texts, mark } = frame.language;
  const results: Html =
    found.length > 0
      ? html`<ol class="results">${found.map(renderFound)}</ol>`
      : html`${query !== undefined && html`<p class="lead" role="status" dir="auto">${texts.noResults}</p>`}`;
  return renderNotice(frame, index, {
    title: texts.search,
    main: html`<article${mark}><h1>${texts.search}</h1>${searchForm(visit, texts, query ?? '')}${results}</article>`,
  });
}

const renderFound = ({ title, href, language, above, sections }: FoundPage): Html =>
  html`<li${language && html` lang="${language.lang}" dir="${language.dir}"`}>${above.length > 0 && html`<small>${above.map((name, index) => html`${index > 0 && ' › '}<bdi>${name}</bdi>`)}</small>`}<a href="${href}">${title}</a>${sections.map(
    (section) =>
      html`<p>${section.title !== '' && html`<a href="${section.href}">${section.title}</a> `}${section.excerpt.map(([text, isMarked]) => (isMarked ? html`<mark>${text}</mark>` : text))}</p>`,
  )}</li>`;
