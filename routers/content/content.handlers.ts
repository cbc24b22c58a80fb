import { z } from 'zod';
import { acceptPrebuilt } from '../../schema/json/accept-prebuilt.ts';
import { handlersFor } from '../base/mount.ts';
import { findPageAtEarlierPath } from '../earlier-paths/earlier-paths.query.ts';
import { byteLimit } from '../engine/byte-limit.ts';
import { Document } from '../engine/document/document.ts';
import { withTitle } from '../engine/edit/titled-markdown.ts';
import { notFound } from '../engine/errors.ts';
import { MAX_STEPS, MAX_TEXT } from '../engine/expressions/budget.ts';
import { SHOWN_SPEC_LIMIT } from '../engine/specs/limits.ts';
import type { FileRecord, PageRecord } from '../engine/store/records.ts';
import type { PageNode, Snapshot } from '../engine/store/snapshot.ts';
import { hasComputed, type PageReader } from '../engine/templates/computed-pages.ts';
import { PrebuiltResponse } from '../response/prebuilt-response.ts';
import { readShownDocument } from '../specs/shown-documents.query.ts';
import { listOf, paging, readKeyedPage } from '../sql/pagination.ts';
import { documentViewFor, type Evaluated } from './document-view.ts';
import { type ContentView, FileObject, presentFile } from './files.api.ts';
import { cachedPages } from './page-cache.ts';
import { writePageMarkdown } from './page-markdown.query.ts';
import { PageObject, PageWithContentObject, presentPage } from './pages.api.ts';
import { type ReadableContent, viewOf, visiblePagesOf } from './readable-content.query.ts';
import {
  presentReusableContent,
  presentRevision,
  ReusableContentObject,
  type RevisionObject,
} from './revisions.api.ts';
import { readVisibleParts } from './visible-parts.query.ts';

const handler = handlersFor<ReadableContent>();

/** Input fields that include or omit parts of content. */
export const contentOptions = {
  metadata: z.boolean().default(true).describe('Whether to include the metadata from Git.'),
  computed: z.boolean().default(true).describe('Whether to include computed pages.'),
};
export const evaluated = {
  evaluated: z
    .union([z.boolean(), z.literal('deterministic-only')])
    .default(false)
    .describe(
      'Evaluates variables and conditions; `deterministic-only` evaluates only those that depend on content alone. ' +
        `Expressions that fail produce no output, and neither do those beyond ${MAX_STEPS} steps or ${MAX_TEXT} characters ` +
        'of output for all expressions of a document together. For visitors of a site, everything is always evaluated.',
    ),
};
const contentInput = {
  format: z
    .enum(['markdown', 'document'])
    .default('markdown')
    .describe('Markdown begins with the title of the page, `# Title`; a document does not include it.'),
  ...evaluated,
};

/** Reads and presents a revision, without the change request whose merge created it, which `change-requests` adds. */
export async function readRevision(
  content: ReadableContent,
  input: { metadata: boolean; computed: boolean },
): Promise<z.input<typeof RevisionObject>> {
  const { snapshot, revision } = content;
  const [pages, parts] = await Promise.all([visiblePagesOf(content, input).pageTree(), readPartsOf(content)]);
  const all = { pages, ...parts, variables: snapshot.variables };
  return presentRevision(revision, all, viewOf(content, input));
}

/** The files and reusable contents that the caller may see. */
async function readPartsOf(content: ReadableContent) {
  const { snapshot, conditions } = content;
  // guard: shown-parts
  if (conditions) return readVisibleParts(content, conditions);
  const [files, reusableContents] = await Promise.all([
    snapshot.files({ reverse: true }),
    snapshot.reusableContents(),
  ]);
  return { files, reusableContents };
}

const readPages = handler.query({
  input: z.object(contentOptions),
  output: z.object({
    pages: z.array(PageObject).describe('The pages at the top of the space, each with the pages below it.'),
  }),
  async resolve(content, input) {
    const view = viewOf(content, input);
    const present = (nodes: readonly PageNode[]) => ({ pages: nodes.map((node) => presentPage(node, view)) });
    // What a visitor sees depends on their claims: it is never cached, nor read from the cache for members.
    if (content.conditions) return present(await visiblePagesOf(content, input).pageTree());
    const cached = cachedPages<{ pages: PageObject[] }>(pageCacheKey(content, view, input));
    const known = cached.get();
    if (known) return known;
    const stored = await content.snapshot.pageTree();
    const isStored = !input.computed || !hasComputed(stored);
    const list = present(isStored ? stored : await visiblePagesOf(content, input).pageTree());
    if (isStored) cached.set(list);
    return list;
  },
});

const readPage = handler.query({
  input: z.object({
    pageId: z.string().describe('The id of the page; it stays the same when the page is renamed or moved.'),
    ...contentInput,
    ...contentOptions,
  }),
  output: PageWithContentObject,
  resolve: (content, input) =>
    readPageWithContent(content, visiblePagesOf(content, input), input.pageId, input),
});

const readPageByPath = handler.query({
  input: z.object({
    pagePath: z
      .string()
      .max(4096)
      .describe(
        'The slugs from the top of the space down to the page, joined by `/`. A path that a page had before it was renamed or moved leads visitors of a site to the page, whose `path` is its present one.',
      ),
    ...contentInput,
    ...contentOptions,
  }),
  output: PageWithContentObject,
  async resolve(content, input) {
    const segments = input.pagePath.split('/').filter((segment) => segment !== '');
    const pages = visiblePagesOf(content, input);
    const page = (await pages.pageByPath(segments)) ?? (await pageAtEarlierPath(content, pages, segments));
    if (!page) throw notFound('page');
    return readPageWithContent(content, pages, page.id, input);
  },
});

/** For readers of a site, who follow links from elsewhere; members learn which paths exist now. */
const pageAtEarlierPath = async (
  { conditions, ...content }: ReadableContent,
  pages: PageReader,
  segments: readonly string[],
): Promise<PageRecord | undefined> =>
  conditions && findPageAtEarlierPath({ ...content, conditions }, pages, segments);

/** All files of a snapshot, last created first, for `readKeyedPage`. */
const allFiles = (snapshot: Snapshot) => ({
  read: (after: string | undefined, limit: number) =>
    snapshot.files({ reverse: true, limit, ...(after !== undefined && { to: after }) }),
  count: () => snapshot.fileCount(),
});

/** The same for a list of files in this order. */
const someFiles = (files: readonly FileRecord[]) => ({
  read: async (after: string | undefined, limit: number) =>
    files.filter(({ id }) => after === undefined || id < after).slice(0, limit),
  count: async () => files.length,
});

const readFiles = handler.query({
  input: z.object({ ...paging, ...contentOptions }),
  output: listOf(FileObject),
  async resolve(content, input) {
    const { conditions } = content;
    // guard: shown-files
    const listed = conditions
      ? someFiles((await readVisibleParts(content, conditions)).files)
      : allFiles(content.snapshot);
    const page = await readKeyedPage(content, input, { ...listed, keyOf: (file) => file.id });
    const view = viewOf(content, input);
    return { ...page, items: page.items.map((file) => presentFile(file, view)) };
  },
});

const readFile = handler.query({
  input: z.object({ fileId: z.string().describe('The id of the file.'), ...contentOptions }),
  output: FileObject,
  async resolve(content, input) {
    const file = await content.snapshot.file(input.fileId);
    if (!file) throw notFound('file');
    return presentFile(file, viewOf(content, input));
  },
});

const readFileSpec = handler.query({
  input: z.object({ fileId: z.string().describe('The id of the file.') }),
  output: acceptPrebuilt(
    z
      .object({
        specification: z
          .looseObject({})
          .nullable()
          .describe(
            `The document, with references to other documents as they are; null if the file contains none, or one of more than ${byteLimit(SHOWN_SPEC_LIMIT)} as JSON.`,
          ),
      })
      .meta({ id: 'OpenAPIFileContent', description: 'The OpenAPI document in a file, parsed.' }),
    PrebuiltResponse,
  ),
  async resolve({ snapshot, services: { storage }, engine }, { fileId }) {
    const file = await snapshot.file(fileId);
    if (!file) throw notFound('file');
    const json = await readShownDocument({ storage, engine }, file.sha256);
    return new PrebuiltResponse(storage, {
      contentType: 'application/json; charset=utf-8',
      kind: 'json',
      tag: file.sha256,
      parts: [`{"specification":${json}}`],
    }) as unknown as { specification: null };
  },
});

const readReusableContent = handler.query({
  input: z.object({
    reusableContentId: z.string().describe('The id of the reusable content.'),
    ...contentOptions,
  }),
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
    const pages = visiblePagesOf(content, { computed: true });
    const stored = content.conditions ? undefined : await content.snapshot.page(input.pageId);
    const page = stored ?? (await pages.subtree(input.pageId))?.page;
    if (page?.document === undefined) throw notFound('document');
    return content.engine.run('document', documentViewFor(content, page.document, page, input), pages.reader);
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
    const view = documentViewFor(content, reusable.document, undefined, input);
    return content.engine.run('document', view, content.snapshot.reader);
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
  fileSpec: readFileSpec,
  pageDocument: readPageDocument,
  reusableContentDocument: readReusableContentDocument,
};

/** The key under which presented pages are cached, unless they are generated from API sources. */
const pageCacheKey = (
  { space, revision }: ReadableContent,
  { urls }: ContentView,
  { metadata, computed }: ContentOptions,
) => ({ space: urls.app('spaces', space.id), root: revision.root, metadata, computed });

/** A page with its content in the requested format. For members, what depends on stored content alone is cached. */
async function readPageWithContent(
  content: ReadableContent,
  pages: PageReader,
  id: string,
  input: ContentInput,
): Promise<PageWithContent> {
  const view = viewOf(content, input);
  const present = async (node: PageNode | undefined) => {
    if (!node) throw notFound('page');
    const { shown, isLive } = await readPageContent(content, pages, node, input);
    return { page: { ...presentPage(node, view), ...shown } satisfies PageWithContent, isLive };
  };
  const { format, evaluated } = input;
  if (content.conditions || evaluated !== false) return (await present(await pages.subtree(id))).page;
  const cached = cachedPages<PageWithContent>({
    ...pageCacheKey(content, view, input),
    page: { id, format },
  });
  const known = cached.get();
  if (known) return known;
  const stored = await content.snapshot.subtree(id);
  const isStored = stored !== undefined && (!input.computed || !hasComputed([stored]));
  const { page, isLive } = await present(isStored ? stored : await pages.subtree(id));
  if (isStored && !isLive) cached.set(page);
  return page;
}

/** The content of a page, and whether it depends on more than stored content; only pages of type document have any. */
async function readPageContent(
  content: ReadableContent,
  pages: PageReader,
  { page }: PageNode,
  input: ContentInput,
): Promise<{ shown: Pick<PageWithContent, 'markdown' | 'document'>; isLive: boolean }> {
  const { document } = page;
  if (document === undefined) return { shown: {}, isLive: false };
  if (input.format === 'document') {
    const view = documentViewFor(content, document, page, input);
    return { shown: { document: await content.engine.run('document', view, pages.reader) }, isLive: false };
  }
  const { markdown, isLive } = await writePageMarkdown(content, pages, { ...page, document }, input);
  return { shown: { markdown: withTitle(page.title, markdown) }, isLive };
}

type PageWithContent = z.input<typeof PageWithContentObject>;

interface ContentOptions {
  metadata: boolean;
  computed: boolean;
}

interface ContentInput extends ContentOptions, Evaluated {
  format: 'markdown' | 'document';
}
