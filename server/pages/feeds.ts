/** Files of a site for programs: lists of its pages, and the pages as Markdown. */

import { runInTurns } from '../../routers/base/run-in-turns.ts';
import type { Steps } from '../../routers/engine/steps.ts';
import { type Html, html } from '../http/html.ts';
import { loadPageIndex } from './content.ts';
import { canonicalUrl, isSiteIndexable, publicRootUrl } from './head.ts';
import { firstDocument, type IndexedPage, isPageIndexable, type PageIndex } from './page-index.ts';
import { findPage } from './render-page.ts';
import { namesOf, type PlacedSpace } from './structure.ts';
import { pageHref, titleOf, type Visit } from './visit.ts';

/** Maximum number of URLs in a sitemap, as its standard defines. */
const MAX_ADDRESSES = 50_000;

/** Maximum number of entries in the Atom feed. */
const MAX_ENTRIES = 50;

/** Maximum length of `llms-full.txt`, in characters, and how many pages are read for it at a time. */
const MAX_FULL = 2_000_000;
const AT_A_TIME = 8;

export interface Feed {
  type: string;
  text: string;
  /** Whether search engines are asked not to index it, although they may index the site. */
  noIndex?: boolean;
  /** Whether it says that the page at the address no longer exists. */
  isGone?: boolean;
}

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** The text of an element without control characters, which XML cannot represent, not even escaped. */
const xml = ({ text }: Html): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '');

interface ListedPage {
  placed: PlacedSpace;
  index: PageIndex;
  indexed: IndexedPage;
}

/**
 * Passes the indexable pages of the site to `take`, section by section, until it returns false. There may be so many that other
 * requests are served in between.
 */
async function forEachPage(visit: Visit, take: (page: ListedPage) => unknown): Promise<void> {
  const spaces = await Promise.all(
    visit.spaces.map(async (placed) => ({ placed, index: await loadPageIndex(visit, placed) })),
  );
  function* takePages(): Steps<void> {
    for (const { placed, index } of spaces) {
      for (const indexed of index.order) {
        if (isPageIndexable(indexed) && take({ placed, index, indexed }) === false) return;
        yield;
      }
    }
  }
  await runInTurns(takePages());
}

const addressOf = (visit: Visit, { placed, index, indexed }: ListedPage): string =>
  canonicalUrl({ ...visit, place: placed }, indexed, index);

/** The pages that search engines may index; none if the site is not public. */
export async function sitemap(visit: Visit): Promise<Feed> {
  let urls = '';
  let count = 0;
  if (isSiteIndexable(visit))
    await forEachPage(visit, (entry) => {
      const { updatedAt } = entry.indexed.page;
      urls += xml(html`<url><loc>${addressOf(visit, entry)}</loc><lastmod>${updatedAt}</lastmod></url>\n`);
      return ++count < MAX_ADDRESSES;
    });
  return {
    type: 'application/xml',
    text: `${XML}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}</urlset>\n`,
  };
}

/** Tells search engines whether they may crawl the site. */
export function robots(visit: Visit): Feed {
  const lines = isSiteIndexable(visit)
    ? [
        'User-agent: *',
        'Allow: /',
        ...['search', 'pdf'].map((own) => `Disallow: ${new URL(publicRootUrl(visit)).pathname}~/${own}`),
        '',
        `Sitemap: ${publicRootUrl(visit)}sitemap.xml`,
      ]
    : ['User-agent: *', 'Disallow: /'];
  return { type: 'text/plain', text: `${lines.join('\n')}\n` };
}

/** The most recently changed pages, the latest first. */
async function latestPages(visit: Visit): Promise<ListedPage[]> {
  const timeOf = ({ indexed }: ListedPage) => indexed.page.updatedAt;
  const latest: ListedPage[] = [];
  const keepLatest = () => {
    latest.sort((a, b) => (timeOf(a) === timeOf(b) ? 0 : timeOf(a) < timeOf(b) ? 1 : -1));
    latest.length = Math.min(latest.length, MAX_ENTRIES);
  };
  await forEachPage(visit, (entry) => {
    if (latest.push(entry) === 2 * MAX_ENTRIES) keepLatest();
  });
  keepLatest();
  return latest;
}

/** The most recently changed pages, as an Atom feed. */
export async function feed(visit: Visit): Promise<Feed> {
  const listed = await latestPages(visit);
  const root = publicRootUrl(visit);
  const updated = listed[0]?.indexed.page.updatedAt ?? visit.published?.site.createdAt ?? '';
  const entries = listed.map((entry) => {
    const { id, title, description, updatedAt } = entry.indexed.page;
    const address = addressOf(visit, entry);
    // Copies and translations on the same site have the ids of their pages in common.
    const { language } = entry.placed.siteSpace.space;
    return html`<entry${language !== undefined && html` xml:lang="${language}"`}><id>urn:page:${entry.placed.siteSpace.id}:${id}</id><title>${title}</title><link href="${address}"/><updated>${updatedAt}</updated><summary>${description ?? ''}</summary></entry>\n`;
  });
  return {
    type: 'application/atom+xml',
    text:
      XML +
      xml(
        html`<feed xmlns="http://www.w3.org/2005/Atom">\n<id>urn:site:${visit.published?.site.id ?? ''}</id><title>${titleOf(visit)}</title><link href="${root}"/><link rel="self" href="${root}feed.xml"/><updated>${updated}</updated><author><name>${titleOf(visit)}</name></author>\n${entries}</feed>\n`,
      ),
  };
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
const labelOf = (text: string) => oneLine(text).replace(/[[\]\\]/g, '\\$&');

const markdownHref = (visit: Visit, { placed, indexed }: ListedPage): string =>
  `${pageHref({ base: publicRootUrl(visit) }, placed, indexed.page.path)}.md`;

/** An overview of the site for language models: https://llmstxt.org */
export async function llms(visit: Visit): Promise<Feed> {
  const lines: string[] = [`# ${oneLine(titleOf(visit))}`];
  let heading: PlacedSpace | undefined;
  await forEachPage(visit, (entry) => {
    if (entry.placed !== heading) {
      heading = entry.placed;
      lines.push('', `## ${oneLine(namesOf(heading, visit.spaces).join(': '))}`, '');
    }
    const { title, description } = entry.indexed.page;
    const summary = description ? `: ${oneLine(description)}` : '';
    lines.push(`- [${labelOf(title)}](${markdownHref(visit, entry)})${summary}`);
  });
  return { type: 'text/plain', text: `${lines.join('\n')}\n` };
}

async function readMarkdown(visit: Visit, { siteSpace: { space } }: PlacedSpace, pageId: string) {
  const page = await visit.call.revisions.page({
    spaceId: space.id,
    revisionId: space.revision,
    pageId,
    format: 'markdown',
    evaluated: 'deterministic-only',
  });
  return page.markdown ?? '';
}

/** The text of all pages, one after the other, up to the maximum length. */
export async function llmsFull(visit: Visit): Promise<Feed> {
  const listed: ListedPage[] = [];
  await forEachPage(visit, (entry) => listed.push(entry));
  const parts: string[] = [];
  let remaining = MAX_FULL;
  for (let at = 0; at < listed.length && remaining > 0; at += AT_A_TIME) {
    const texts = await Promise.all(
      listed
        .slice(at, at + AT_A_TIME)
        .map(
          async (entry) =>
            `${await readMarkdown(visit, entry.placed, entry.indexed.page.id)}\n\nSource: ${addressOf(visit, entry)}\n`,
        ),
    );
    for (const text of texts) {
      remaining -= text.length;
      if (remaining > 0) parts.push(text);
    }
  }
  return { type: 'text/plain', text: parts.join('\n---\n\n') };
}

/**
 * The page whose own path ends like the address of a generated file or of Markdown; undefined if there is none. New pages do
 * not get such paths.
 */
export async function pageAtFile(visit: Visit, path: string): Promise<Visit | undefined> {
  const at = { ...visit, pathname: path };
  return findPage(at, await loadPageIndex(visit, visit.place)) && at;
}

/** The page at the address of a visit, as Markdown; undefined if there is none. */
export async function pageMarkdown(visit: Visit): Promise<Feed | undefined> {
  const index = await loadPageIndex(visit, visit.place);
  const found = findPage(visit, index);
  const document = found && firstDocument(found, index);
  if (!document) return undefined;
  const text = await readMarkdown(visit, visit.place, document.page.id);
  return { type: 'text/markdown', text, noIndex: !isPageIndexable(document) };
}

/** The Markdown that says why the page at an address no longer exists. */
export const goneMarkdown = (markdown: string): Feed => ({
  type: 'text/markdown',
  text: markdown,
  noIndex: true,
  isGone: true,
});
