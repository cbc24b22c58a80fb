import type { PageRecord } from '../engine/store/records.ts';
import type { MarkdownOutput, SiteMarkdownOptions } from '../engine/tasks/tasks.ts';
import { computedPages, type PageReader } from '../engine/templates/computed-pages.ts';
import { documentViewFor, type Evaluated } from './document-view.ts';
import { cachedMarkdown } from './markdown-cache.ts';
import type { ReadableContent } from './readable-content.query.ts';
import { readSiteMarkdownOptions } from './site-markdown.query.ts';
import { apiSourcesOf } from './sources.query.ts';

/**
 * The Markdown of the document of a page, with labels, and whether it depends on OpenAPI specs, which change without a new
 * revision. From the cache if possible.
 */
export async function writePageMarkdown(
  content: ReadableContent,
  pages: PageReader,
  page: PageRecord & { document: string },
  input: Evaluated,
): Promise<{ markdown: string; isLive: boolean }> {
  const { root } = content.revision;
  const view = documentViewFor(content, page.document, page, input);
  const site = await siteMarkdownOptionsOf(content, page, pages.reader, input);
  const claims = content.conditions?.claims;
  const run = (titles?: ReadonlyMap<string, string>) =>
    content.engine.run('markdown', { ...view, root, claims, site, titles }, pages.reader);
  let isLive = false;
  const write = async (): Promise<MarkdownOutput & { isLive: boolean }> => {
    const output = await run();
    const titles = await readGeneratedTitles(content, pages, output.untitled);
    isLive = titles.size > 0;
    return { ...(isLive ? await run(titles) : output), isLive };
  };
  const markdown = view.evaluation
    ? (await write()).markdown
    : await cachedMarkdown(view.document, root, write);
  return { markdown, isLive };
}

/** The titles of those of some pages that are generated, as far as the caller may see them. */
async function readGeneratedTitles(
  content: ReadableContent,
  pages: PageReader,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const made = await computedPages(content.snapshot, apiSourcesOf(content)).generatedPages(ids);
  const titles = new Map<string, string>();
  for (const [id, { page }] of made) {
    // guard: label-generated-shown
    if (content.conditions && !(await pages.subtree(id))) continue;
    titles.set(id, page.title);
  }
  return titles;
}

/** The links and reusable contents that the Markdown of a page needs for a visitor; undefined for members. */
async function siteMarkdownOptionsOf(
  content: ReadableContent,
  { id, document }: PageRecord,
  reader: PageReader['reader'],
  input: Evaluated,
): Promise<SiteMarkdownOptions | undefined> {
  const { conditions, visitor } = content;
  if (!conditions || !visitor || document === undefined) return undefined;
  // A computed page is stored, but its document is generated if there is nothing to compute pages from.
  const isStored = (await content.snapshot.page(id))?.document === document;
  const { evaluation } = documentViewFor(content, document, undefined, input);
  return readSiteMarkdownOptions(
    { ...content, conditions, visitor, generated: isStored ? undefined : reader },
    document,
    evaluation,
  );
}
