import { z } from 'zod';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { handlersFor } from '../base/mount.ts';
import type { Visitor } from '../base/principal.ts';
import { Document } from '../engine/document/document.ts';
import { withTitle } from '../engine/edit/titled-markdown.ts';
import { notFound } from '../engine/errors.ts';
import { MAX_STEPS, MAX_TEXT } from '../engine/expressions/budget.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import type { FileRecord, PageRecord } from '../engine/store/records.ts';
import type { PageNode, Snapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import type { SiteWriting } from '../engine/tasks/tasks.ts';
import { computedPages, hasComputed, type PageReader } from '../engine/templates/computed.ts';
import { downloadPath } from '../response/downloads.ts';
import { type ListContext, listOf, paging, readKeyedPage } from '../sql/pagination.ts';
import { type ContentView, FileObject, presentFile } from './files.api.ts';
import { cachedPages } from './page-cache.ts';
import { PageObject, PageWithContentObject, presentPage } from './pages.api.ts';
import {
  presentReusableContent,
  presentRevision,
  ReusableContentObject,
  type RevisionObject,
  type RevisionRow,
} from './revisions.api.ts';
import { type Evaluated, shownDocument } from './shown-document.ts';
import { shownPages } from './shown-pages.ts';
import { readShownParts } from './shown-parts.query.ts';
import { readSiteWriting } from './site-writing.query.ts';
import { sourcesIn } from './sources.query.ts';
import { writtenMarkdown } from './written-markdown.ts';

/**
 * Content that a caller may view: of a space, of one of its revisions, or of a change request. Visitors of a site see of
 * it what is for their claims.
 */
export interface ReadableContent extends ListContext {
  db: Db;
  space: { id: string; organization: string };
  revision: RevisionRow;
  snapshot: Snapshot;
  services: Services;
  engine: Engine;
  /** For a visitor; undefined for members, who see everything. */
  conditions?: ConditionEvaluator | undefined;
  visitor?: Visitor | undefined;
  /** The cache tags of what is read. */
  dependencies?: Set<string>;
}

/** The part of it that its pages are read from. */
type PagedContent = Pick<
  ReadableContent,
  'db' | 'space' | 'snapshot' | 'services' | 'engine' | 'conditions' | 'dependencies'
>;

/** All pages of the content, with what computed pages are made of if the caller wants it. */
export const allPagesOf = (content: PagedContent, { computed }: { computed: boolean }): PageReader =>
  computed ? computedPages(content.snapshot, sourcesIn(content)) : content.snapshot;

/** The same for what the caller is shown of them. */
export function pagesOf(content: PagedContent, options: { computed: boolean }): PageReader {
  const pages = allPagesOf(content, options);
  return content.conditions ? shownPages(content.snapshot, pages, content.conditions) : pages;
}

const handler = handlersFor<ReadableContent>();

/** Input options for the metadata and computed parts of content. */
export const shown = {
  metadata: z.boolean().default(true).describe('False omits git metadata.'),
  computed: z.boolean().default(true).describe('False omits computed pages.'),
};
const evaluated = {
  evaluated: z
    .union([z.boolean(), z.literal('deterministic-only')])
    .default(false)
    .describe(
      'Evaluates variables and conditions; `deterministic-only` evaluates only those that depend on content alone. ' +
        `Expressions that fail show nothing, and so do those beyond ${MAX_STEPS} steps or ${MAX_TEXT} characters ` +
        'of output for all expressions of one document together. Visitors of a site always get everything evaluated.',
    ),
};
const contentInput = {
  format: z
    .enum(['markdown', 'document'])
    .default('markdown')
    .describe('Markdown begins with the title of the page, `# Title`; a document does not have it.'),
  ...evaluated,
};

/** The revision itself; the change requests feature adds the change request whose merge created it. */
export async function readRevision(
  content: ReadableContent,
  input: { metadata: boolean; computed: boolean },
): Promise<z.input<typeof RevisionObject>> {
  const { snapshot, revision } = content;
  const [pages, parts] = await Promise.all([pagesOf(content, input).pageTree(), readPartsOf(content)]);
  const all = { pages, ...parts, variables: snapshot.variables };
  return presentRevision(revision, all, viewOf(content, input));
}

/** All files and reusable contents, as far as the caller is shown them. */
async function readPartsOf(content: ReadableContent) {
  const { snapshot, conditions } = content;
  if (conditions) return readShownParts(content, conditions);
  const [files, reusableContents] = await Promise.all([
    snapshot.files({ reverse: true }),
    snapshot.reusableContents(),
  ]);
  return { files, reusableContents };
}

const readPages = handler.query({
  input: z.object(shown),
  output: z.object({
    pages: z.array(PageObject).describe('The pages at the top of the space, each with the pages below it.'),
  }),
  async resolve(content, input) {
    const view = viewOf(content, input);
    const present = (nodes: readonly PageNode[]) => ({ pages: nodes.map((node) => presentPage(node, view)) });
    // What a visitor is shown depends on their claims: it is never kept, nor taken from what is kept for members.
    if (content.conditions) return present(await pagesOf(content, input).pageTree());
    const kept = cachedPages<{ pages: PageObject[] }>(presentedIn(content, view, input));
    const known = kept.get();
    if (known) return known;
    const stored = await content.snapshot.pageTree();
    const isStored = !input.computed || !hasComputed(stored);
    const list = present(isStored ? stored : await pagesOf(content, input).pageTree());
    if (isStored) kept.keep(list);
    return list;
  },
});

const readPage = handler.query({
  input: z.object({
    pageId: z.string().describe('The id of the page; it stays the same when the page is renamed or moved.'),
    ...contentInput,
    ...shown,
  }),
  output: PageWithContentObject,
  resolve: (content, input) => readPageWithContent(content, pagesOf(content, input), input.pageId, input),
});

const readPageByPath = handler.query({
  input: z.object({
    pagePath: z
      .string()
      .max(4096)
      .describe('The slugs from the top of the space down to the page, joined by `/`.'),
    ...contentInput,
    ...shown,
  }),
  output: PageWithContentObject,
  async resolve(content, input) {
    const segments = input.pagePath.split('/').filter((segment) => segment !== '');
    const pages = pagesOf(content, input);
    const page = await pages.pageByPath(segments);
    if (!page) throw notFound('page');
    return readPageWithContent(content, pages, page.id, input);
  },
});

/** All files of a snapshot, last created first, as `readKeyedPage` reads them. */
const allFiles = (snapshot: Snapshot) => ({
  read: (after: string | undefined, limit: number) =>
    snapshot.files({ reverse: true, limit, ...(after !== undefined && { to: after }) }),
  count: () => snapshot.fileCount(),
});

/** The same for some that are in this order. */
const theseFiles = (files: readonly FileRecord[]) => ({
  read: async (after: string | undefined, limit: number) =>
    files.filter(({ id }) => after === undefined || id < after).slice(0, limit),
  count: async () => files.length,
});

const readFiles = handler.query({
  input: z.object({ ...paging, ...shown }),
  output: listOf(FileObject),
  async resolve(content, input) {
    const { conditions } = content;
    const listed = conditions
      ? theseFiles((await readShownParts(content, conditions)).files)
      : allFiles(content.snapshot);
    const page = await readKeyedPage(content, input, { ...listed, keyOf: (file) => file.id });
    const view = viewOf(content, input);
    return { ...page, items: page.items.map((file) => presentFile(file, view)) };
  },
});

const readFile = handler.query({
  input: z.object({ fileId: z.string().describe('The id of the file.'), ...shown }),
  output: FileObject,
  async resolve(content, input) {
    const file = await content.snapshot.file(input.fileId);
    if (!file) throw notFound('file');
    return presentFile(file, viewOf(content, input));
  },
});

const readReusableContent = handler.query({
  input: z.object({ reusableContentId: z.string().describe('The id of the reusable content.'), ...shown }),
  output: ReusableContentObject,
  async resolve(content, input) {
    const reusable = await content.snapshot.reusableContent(input.reusableContentId);
    if (!reusable) throw notFound('reusable content');
    return presentReusableContent(reusable, viewOf(content, input));
  },
});

const readPageDocument = handler.query({
  input: z.object({
    pageId: z.string().describe('The id of the page; it stays the same when the page is renamed or moved.'),
    ...evaluated,
  }),
  output: Document,
  async resolve(content, input) {
    const pages = pagesOf(content, { computed: true });
    const stored = content.conditions ? undefined : await content.snapshot.page(input.pageId);
    const page = stored ?? (await pages.subtree(input.pageId))?.page;
    if (page?.document === undefined) throw notFound('document');
    return content.engine.run('document', shownDocument(content, page.document, page, input), pages.reader);
  },
});

const readReusableContentDocument = handler.query({
  input: z.object({
    reusableContentId: z.string().describe('The id of the reusable content.'),
    ...evaluated,
  }),
  output: Document,
  async resolve(content, input) {
    const reusable = await content.snapshot.reusableContent(input.reusableContentId);
    if (!reusable) throw notFound('reusable content');
    const shown = shownDocument(content, reusable.document, undefined, input);
    return content.engine.run('document', shown, content.snapshot.reader);
  },
});

/** Reads of the content of a space, a revision or a change request. */
export const contentHandlers = {
  pages: readPages,
  page: readPage,
  pageByPath: readPageByPath,
  files: readFiles,
  file: readFile,
  reusableContent: readReusableContent,
};

/** The same for immutable content, with reads of single documents. */
export const revisionHandlers = {
  ...contentHandlers,
  pageDocument: readPageDocument,
  reusableContentDocument: readReusableContentDocument,
};

/** How the content of a space is presented to this caller. */
export function viewOf(
  { services, space, conditions }: Pick<ReadableContent, 'services' | 'space' | 'conditions'>,
  { metadata }: { metadata: boolean },
): ContentView {
  const { urls, signer } = services;
  const now = Date.now();
  return {
    urls,
    space: space.id,
    downloadURL: (file) => urls.absolute(downloadPath(signer, file, now)),
    metadata,
    conditions: !conditions,
  };
}

/** What decides how pages are presented, apart from those made from sources. */
const presentedIn = (
  { space, revision }: ReadableContent,
  { urls }: ContentView,
  { metadata, computed }: Shown,
) => ({ space: urls.app('spaces', space.id), root: revision.root, metadata, computed });

/** A page with its content in the requested format. What depends on stored content alone is kept, for members. */
async function readPageWithContent(
  content: ReadableContent,
  pages: PageReader,
  id: string,
  input: ContentInput,
): Promise<PageWithContent> {
  const view = viewOf(content, input);
  const present = async (node: PageNode | undefined): Promise<PageWithContent> => {
    if (!node) throw notFound('page');
    return { ...presentPage(node, view), ...(await readPageContent(content, pages, node, input)) };
  };
  const { format, evaluated } = input;
  if (content.conditions || evaluated !== false) return present(await pages.subtree(id));
  const kept = cachedPages<PageWithContent>({ ...presentedIn(content, view, input), page: { id, format } });
  const known = kept.get();
  if (known) return known;
  const stored = await content.snapshot.subtree(id);
  const isStored = stored !== undefined && (!input.computed || !hasComputed([stored]));
  const page = await present(isStored ? stored : await pages.subtree(id));
  if (isStored) kept.keep(page);
  return page;
}

/** The content of a page; only pages of type document have any. */
async function readPageContent(
  content: ReadableContent,
  { reader }: PageReader,
  { page }: PageNode,
  input: ContentInput,
): Promise<Pick<PageWithContent, 'markdown' | 'document'>> {
  if (page.document === undefined) return {};
  const shown = shownDocument(content, page.document, page, input);
  if (input.format === 'document') return { document: await content.engine.run('document', shown, reader) };
  const { root } = content.revision;
  const site = await siteWritingOf(content, page, reader, input);
  const claims = content.conditions?.claims;
  const write = () => content.engine.run('markdown', { ...shown, root, claims, site }, reader);
  const body = shown.evaluation
    ? (await write()).markdown
    : await writtenMarkdown(page.document, root, write);
  return { markdown: withTitle(page.title, body) };
}

/** What a page is written with for a visitor. */
async function siteWritingOf(
  content: ReadableContent,
  { id, document }: PageRecord,
  reader: PageReader['reader'],
  input: ContentInput,
): Promise<SiteWriting | undefined> {
  const { conditions, visitor } = content;
  if (!conditions || !visitor || document === undefined) return undefined;
  const generated = (await content.snapshot.page(id)) ? undefined : reader;
  const { evaluation } = shownDocument(content, document, undefined, input);
  return readSiteWriting({ ...content, conditions, visitor, generated }, document, evaluation);
}

type PageWithContent = z.input<typeof PageWithContentObject>;

interface Shown {
  metadata: boolean;
  computed: boolean;
}

interface ContentInput extends Shown, Evaluated {
  format: 'markdown' | 'document';
}
