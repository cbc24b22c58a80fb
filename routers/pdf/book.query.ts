/** Reads the contents of a PDF: the pages that its audience may read, and everything that they refer to. */

import { createHash } from 'node:crypto';
import type { Pdf } from '../../schema/entities/pdf.ts';
import type { PdfScope } from '../../schema/json/pdf-scope.ts';
import type { Row } from '../../schema/rows.ts';
import { visitorOf } from '../access/visitor-token.ts';
import type { Context, Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import type { BookDraft, PrintedBook } from '../base/ports.ts';
import type { Visitor } from '../base/principal.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { loadVisitedContent } from '../content/content.query.ts';
import { documentViewFor, type Evaluated } from '../content/document-view.ts';
import { visiblePagesOf } from '../content/readable-content.query.ts';
import { DEAD_LINK, siteHrefResolver } from '../content/site-markdown.query.ts';
import type { ContentRef } from '../engine/document/document.ts';
import { formatDate } from '../engine/document/localized.ts';
import { notFound } from '../engine/errors.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import { type AnchorTitles, anchorTitles } from '../engine/links/anchor-titles.ts';
import type { SourcePage } from '../engine/pdf/chapter.ts';
import { textsIn } from '../engine/pdf/languages/index.ts';
import { refKey, type Target } from '../engine/pdf/targets.ts';
import type { FileRecord, PageRecord } from '../engine/store/records.ts';
import { openSnapshot, type PageNode, type Snapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import type { PrintedDocument } from '../engine/tasks/tasks.ts';
import { downloadPath } from '../response/downloads.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { addFiles } from './files.operation.ts';

/** The maximum of pages of content in one PDF. */
const MAX_PAGES = 10_000;

/** Documents whose anchors are read at once. */
const BATCH = 200;

type BookContext = Pick<Context, 'db' | 'services'>;

interface Content {
  db: Db;
  services: Services;
  engine: Engine;
  space: { id: string; organization: string };
  snapshot: Snapshot;
  conditions: ConditionEvaluator | undefined;
  visitor: Visitor | undefined;
}

/**
 * Writes the documents and pictures of a book into a draft.
 * @returns the rest of the book, and a digest that is the same only for the same book
 * @throws DomainError `not-found` if its content is gone, or its visitor may no longer read it
 */
export async function readBook(
  { db, services }: BookContext,
  { scope, space, organization, title }: Row<Pdf> & { title: string },
  draft: BookDraft,
): Promise<{ book: PrintedBook; digest: string }> {
  const metadata = await readMetadata(db, space);
  const content = await openContent({ db, services }, { scope, space, organization });
  const reader = visiblePagesOf(content, { computed: true });
  const pages = pagesIn(await treeOf(reader, scope)).slice(0, MAX_PAGES);
  const digest = createHash('sha256');
  const refs = new Map<string, ContentRef>();
  const titled = new Set<string>();
  const specFiles = new Set<string>();
  const pictureUrls = new Set<string>();
  const bookPages: (SourcePage & { document?: string })[] = [];
  for (const [index, { node, depth }] of pages.entries()) {
    const { page } = node;
    const entry = {
      id: page.id,
      depth,
      title: page.title,
      type: page.type === 'group' ? ('group' as const) : ('document' as const),
      ...(page.emoji !== undefined && { emoji: page.emoji }),
      ...(page.description !== undefined && { description: page.description }),
    };
    if (page.document === undefined) {
      bookPages.push(entry);
      continue;
    }
    const printed = await readDocument(content, page.document, page, reader.reader);
    const { json } = printed;
    const name = `document-${index}`;
    await draft.addDocument(name, json);
    digest.update(json).update('\0');
    for (const ref of printed.refs) refs.set(refKey(ref), ref);
    for (const { page: target } of printed.titled) if (target !== undefined) titled.add(target);
    for (const ref of printed.specFiles) specFiles.add(refKey(ref));
    for (const url of printed.pictures) pictureUrls.add(url);
    bookPages.push({ ...entry, document: name });
  }
  const targets = await readTargets(content, refs, {
    titles: new Map(pages.map(({ node }) => [node.page.id, node.page.title])),
    anchors: await readAnchorTitles(content, titled),
  });
  const { engine } = content;
  const texts = textsIn(metadata.language);
  const references = { refs, specFiles, targets, pictureUrls, texts };
  await addFiles({ db, services, organization, engine }, references, draft);
  const time = new Date(scope.time);
  const { changeRequest } = scope;
  const [first] = bookPages;
  const isSingle = bookPages.length === 1;
  const book: PrintedBook = {
    title: isSingle && first ? first.title : title,
    subtitle: changeRequest
      ? `${texts.changeRequest} #${changeRequest.number}${changeRequest.subject && `: ${changeRequest.subject}`}`
      : '',
    author: metadata.organization,
    description: isSingle ? (first?.description ?? '') : '',
    time,
    date: formatDate(time, metadata.language ?? 'en'),
    language: metadata.language,
    texts: { contents: texts.contents },
    isSingle,
    pages: bookPages,
    targets: [...targets],
  };
  return { book, digest: `${digest.digest('hex')} ${JSON.stringify(book)}` };
}

async function readMetadata(
  db: Db,
  space: string,
): Promise<{ language: string | null; organization: string }> {
  const row = await db
    .selectFrom('space')
    .innerJoin('organization', 'organization.id', 'space.organization_id')
    .select(['space.language', 'organization.title as organization'])
    .where('space.id', '=', space)
    .where('space.deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound('space');
  return row;
}

async function openContent(
  { db, services }: BookContext,
  { scope, space: id, organization }: Pick<Row<Pdf>, 'scope' | 'space' | 'organization'>,
): Promise<Content> {
  const space = { id, organization };
  const engine = services.background.for({ organization, user: organization });
  const snapshot = await openSnapshot(objectReader(db), scope.root);
  const content = { db, services, engine, space, snapshot };
  if (!scope.visitor) return { ...content, conditions: undefined, visitor: undefined };
  const visitor = visitorOf({ ...scope.visitor, organization });
  // Checks whether the site still shows the space to them; the content is that of the time of the request.
  // guard: pdf-visitor-conditions
  const { conditions } = await loadVisitedContent(db, visitor, id);
  return { ...content, conditions, visitor };
}

/** The page trees that the scope asks for. */
async function treeOf(
  reader: ReturnType<typeof visiblePagesOf>,
  { page, only }: PdfScope,
): Promise<readonly PageNode[]> {
  if (page === null) return reader.pageTree();
  const node = await reader.subtree(page);
  if (!node) throw notFound('page');
  return [only ? { ...node, pages: [] } : node];
}

/** The pages of some trees in reading order, as in the table of contents: without hidden ones, except a page asked for. */
function pagesIn(nodes: readonly PageNode[]): { node: PageNode; depth: number }[] {
  const found: { node: PageNode; depth: number }[] = [];
  const isOnlyRoot = nodes.length === 1;
  const stack = nodes.toReversed().map((node) => ({ node, depth: 0 }));
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, depth } = next;
    // guard: pdf-hidden-pages
    if (node.page.hidden && !(isOnlyRoot && depth === 0)) continue;
    if (node.page.type !== 'link') found.push(next);
    for (const child of node.pages.toReversed()) stack.push({ node: child, depth: depth + 1 });
  }
  return found;
}

const evaluatedFor = ({ visitor }: Content): Evaluated => ({
  evaluated: visitor ? true : 'deterministic-only',
});

/** A document for print: evaluated for a visitor, or for members as far as the result depends only on the content. */
async function readDocument(
  content: Content,
  document: string,
  page: PageNode['page'],
  reader: Snapshot['reader'],
): Promise<PrintedDocument> {
  const view = documentViewFor(content, document, page, evaluatedFor(content));
  const printed = await content.engine.run('printed', view, reader);
  if (!printed.refs.some(({ kind }) => kind === 'reusable-content')) return printed;
  const contents = await content.snapshot.reusableContents();
  const { evaluation } = view;
  const included = new Map(
    contents.map((one) => [one.id, { document: one.document, ...(evaluation && { evaluation }) }]),
  );
  return content.engine.run('printed', { ...view, included }, reader);
}

/** The targets of references, by the canonical JSON of the reference. */
async function readTargets(
  content: Content,
  refs: ReadonlyMap<string, ContentRef>,
  { titles, anchors }: { titles: ReadonlyMap<string, string>; anchors: ReadonlyMap<string, AnchorTitles> },
): Promise<Map<string, Target>> {
  const list = [...refs.values()];
  const isInSpace = (ref: ContentRef) =>
    !('space' in ref) || ref.space === undefined || ref.space === content.space.id;
  const idsOf = (idOf: (ref: ContentRef) => string | undefined) =>
    new Set(list.flatMap((ref) => (isInSpace(ref) ? (idOf(ref) ?? []) : [])));
  const [files, pages, names, hrefOf] = await Promise.all([
    content.snapshot.filesById(idsOf((ref) => (ref.kind === 'file' ? ref.file : undefined))),
    readTitles(
      content,
      idsOf((ref) => ('page' in ref && !titles.has(ref.page ?? '') ? ref.page : undefined)),
    ),
    readNames(content, list),
    hrefResolver(content, list),
  ]);
  return new Map(
    [...refs].map(([key, ref]): [string, Target] => {
      const href = hrefOf(ref);
      const target: Target = href === undefined || href === DEAD_LINK ? {} : { href };
      if (ref.kind === 'user') return [key, { ...target, ...withTitle(names.get(ref.user)) }];
      if (!isInSpace(ref)) return [key, target];
      if (ref.kind === 'file') {
        const file = files.get(ref.file);
        if (!file) return [key, {}];
        return [
          key,
          { href: fileAddress(content, file), title: file.name, file: file.sha256, size: file.size },
        ];
      }
      if ((ref.kind === 'page' || ref.kind === 'anchor') && ref.page !== undefined) {
        const title = titles.get(ref.page) ?? pages.get(ref.page);
        if (ref.kind === 'anchor') {
          const shown = anchors.get(ref.page)?.(ref.anchor) ?? title;
          return [key, { ...target, page: ref.page, anchor: ref.anchor, ...withTitle(shown) }];
        }
        return [key, { ...target, page: ref.page, ...withTitle(title) }];
      }
      return [key, target];
    }),
  );
}

const withTitle = (title: string | undefined) => (title === undefined ? {} : { title });

const fileAddress = ({ services: { urls, signer } }: Content, { sha256, name, contentType }: FileRecord) =>
  urls.absolute(downloadPath(signer, { sha256, name, contentType }, Date.now()));

/** The titles of the anchors on pages, by the ids of the pages; of generated pages and those a visitor may not see, none. */
async function readAnchorTitles(
  content: Content,
  ids: ReadonlySet<string>,
): Promise<Map<string, AnchorTitles>> {
  const { engine, snapshot } = content;
  const found = await readVisiblePages(content, ids);
  const pages = found.filter(({ document }) => document !== undefined);
  const titles = new Map<string, AnchorTitles>();
  for (let start = 0; start < pages.length; start += BATCH) {
    const batch = pages.slice(start, start + BATCH);
    const views = batch.map((page) =>
      documentViewFor(content, page.document as string, page, evaluatedFor(content)),
    );
    const anchors = await engine.run('titledAnchors', { views }, snapshot.reader);
    batch.forEach(({ id }, index) => {
      titles.set(id, anchorTitles(anchors[index] ?? []));
    });
  }
  return titles;
}

/** The titles of pages that are not in the book, without those that a visitor may not see. */
async function readTitles(content: Content, ids: ReadonlySet<string>): Promise<Map<string, string>> {
  const pages = await readVisiblePages(content, ids);
  return new Map(pages.map(({ id, title }) => [id, title]));
}

/** The stored pages among these ids, without those that a visitor may not see. */
async function readVisiblePages(
  { snapshot, conditions }: Content,
  ids: ReadonlySet<string>,
): Promise<PageRecord[]> {
  return [...(await snapshot.withAncestors(ids)).values()].flatMap((line) => {
    const page = line.at(-1);
    if (!page || line[0]?.parent !== null) return [];
    return !conditions || conditions.isShown(line.map(({ condition }) => condition)) ? page : [];
  });
}

/** The names of mentioned members; none for visitors. */
async function readNames(
  { db, space, visitor }: Content,
  refs: readonly ContentRef[],
): Promise<Map<string, string>> {
  const ids = refs.flatMap((ref) => (ref.kind === 'user' ? ref.user : []));
  if (visitor || ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('member')
    .innerJoin('user', 'user.id', 'member.user_id')
    .select(['user.id', 'user.display_name as name'])
    .where('member.organization_id', '=', space.organization)
    .where('user.id', '=', sqlAny(ids))
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Resolves references to URLs of what is not in the book: on the site for a visitor, in the app for members. */
async function hrefResolver(
  content: Content,
  refs: readonly ContentRef[],
): Promise<(ref: ContentRef) => string | undefined> {
  const { visitor, conditions, services, space } = content;
  if (visitor && conditions) return siteHrefResolver({ ...content, visitor, conditions }, refs);
  const { urls } = services;
  return (ref) => {
    switch (ref.kind) {
      case 'url':
        return ref.url;
      case 'page':
      case 'anchor':
        return ref.page === undefined
          ? undefined
          : urls.app('spaces', ref.space ?? space.id, 'pages', ref.page);
      case 'space':
        return urls.app('spaces', ref.space);
      default:
        return undefined;
    }
  };
}
