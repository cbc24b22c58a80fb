/** Computed pages: they are generated from a source when content is read, and replace the page that refers to the source. */

import { labelOfKey } from '../document/api-part.ts';
import type { ContentRef } from '../document/document.ts';
import type { Steps } from '../steps.ts';
import type { JsonObject } from '../store/canonical.ts';
import { computedSourceOf, generatedPageId } from '../store/computed-source.ts';
import { getDocument } from '../store/documents.ts';
import type { ObjectReader, StoredObject } from '../store/objects.ts';
import type { PageRecord } from '../store/records.ts';
import type { PageNode, Snapshot } from '../store/snapshot.ts';
import { type ApiOutline, type ApiPage, noticeDocument, pagesFor, walkApiPages } from './api-outline.ts';
import {
  type GeneratedDocument,
  generateDocument,
  listDocumentsFor,
  partDocumentsFor,
} from './generated-documents.ts';

/** The OpenAPI document that a reference refers to. */
export interface ApiSource {
  /** Its name in a sentence, after an article. */
  name: string;
  /** Its outline, or why there is none, as a sentence. */
  outline: ApiOutline | { problem: string };
  /** The OpenAPI spec as the value of the page's dependency, null if it does not exist; absent for a file. */
  value?: JsonObject | null;
}

/** A page that a source had in the past, with its last title and its path below the computed page. */
export interface FormerPage {
  key: string;
  title: string;
  path: string;
}

/** Reads the OpenAPI documents that content refers to. */
export interface ApiSources {
  /** Reads the targets of references in one batch; those that the space has no access to count as missing. */
  read(refs: readonly ContentRef[]): Promise<ReadonlyMap<ContentRef, ApiSource>>;
  /** The pages that a source had in the past, or only the one at a path. */
  formerPages(ref: ContentRef, path?: string): Promise<readonly FormerPage[]>;
  /** Runs a computation so that others are served in between. */
  runInTurns<T>(steps: Steps<T>): Promise<T>;
}

/** The part of a snapshot for reading pages. */
export type PageReader = Pick<Snapshot, 'pageTree' | 'subtree' | 'pageByPath' | 'document' | 'reader'>;

/** Reads pages, including generated ones. */
export interface ComputedPages extends PageReader {
  /**
   * Those of these pages that are generated, including those shown in place of computed pages, except notices about parts
   * that no longer exist.
   * @param ids by default, all that are generated
   */
  generatedPages(ids?: readonly string[]): Promise<Map<string, PageNode>>;
  /** Finds the page with this document among those generated for these computed pages. */
  generatedPageWith(document: string, computed: readonly string[]): Promise<PageRecord | undefined>;
}

/** A computed page with its resolved source. */
interface ExpandedPage {
  computed: PageNode;
  ref: ContentRef;
  models: boolean;
  api: ApiSource;
}

/**
 * Reads the pages of a snapshot with those generated from the sources of computed pages. A computed page becomes a group with
 * the generated pages below it; below another page, a page that lists them; or, if its source is not available, a page that
 * says why. The ids of generated pages stay the same as long as they show the same part, and their paths follow their
 * titles. The id or path of a generated page that no longer exists leads to a page that says so.
 */
export function computedPages(snapshot: Snapshot, sources: ApiSources): ComputedPages {
  const generatedById = new Map<string, PageNode>();
  const documents = new Map<string, StoredObject>();
  const storeDocument: StoreDocument = ({ address, object }) => {
    documents.set(address, object);
    return address;
  };
  const reader: ObjectReader = {
    async read(hashes) {
      const stored = hashes.filter((address) => !documents.has(address));
      const found = new Map(stored.length > 0 ? await snapshot.reader.read(stored) : []);
      for (const address of hashes) {
        const object = documents.get(address);
        if (object) found.set(address, object);
      }
      return found;
    },
  };

  /** Expands the computed pages in page trees; returns the new trees and the expanded pages. */
  const expand = async (
    nodes: readonly PageNode[],
  ): Promise<{ nodes: readonly PageNode[]; expanded: ExpandedPage[] }> => {
    const computed = findComputed(nodes).flatMap((node) => {
      const source = computedSourceOf(node.page);
      return source ? [{ computed: node, ...source }] : [];
    });
    if (computed.length === 0) return { nodes, expanded: [] };
    const found = await sources.read(computed.map(({ ref }) => ref));
    const expanded = computed.flatMap((page) => {
      const api = found.get(page.ref);
      return api ? [{ ...page, api }] : [];
    });
    const made = new Map<string, PageNode>();
    // Each may generate thousands of pages.
    for (const page of expanded)
      made.set(page.computed.page.id, await sources.runInTurns(expandedNode(page, storeDocument)));
    for (const node of walkNodes([...made.values()])) generatedById.set(node.page.id, node);
    return { nodes: nodes.map((node) => replace(node, made)), expanded };
  };

  /** The current page for a former one, or a page that says that it no longer exists. */
  const currentPage = (expanded: ExpandedPage, former: FormerPage): PageNode | undefined => {
    const known = generatedById.get(idOf(expanded.computed.page, former.key));
    if (known) return known;
    const gone = removedPageNode(expanded, former, storeDocument);
    if (gone) generatedById.set(gone.page.id, gone);
    return gone;
  };

  /** Finds a page among the generated ones, which requires reading the sources of all computed pages. */
  const generatedSubtree = async (id: string): Promise<PageNode | undefined> => {
    const known = generatedById.get(id);
    if (known) return known;
    const { expanded } = await expand(findComputed(await snapshot.pageTree()));
    const made = generatedById.get(id);
    if (made) return made;
    for (const page of expanded) {
      const former = await sources.formerPages(page.ref);
      const found = former.find(({ key }) => idOf(page.computed.page, key) === id);
      if (found) return currentPage(page, found);
    }
    return undefined;
  };

  return {
    async generatedPages(ids) {
      if (ids?.length === 0) return new Map();
      const { expanded } = await expand(findComputed(await snapshot.pageTree()));
      if (!ids) {
        const made = expanded.map(({ computed }) => generatedById.get(computed.page.id) as PageNode);
        return new Map(Array.from(walkNodes(made), (node) => [node.page.id, node]));
      }
      return new Map(
        ids.flatMap((id) => (generatedById.has(id) ? [[id, generatedById.get(id) as PageNode]] : [])),
      );
    },
    async generatedPageWith(document, computed) {
      const nodes = await Promise.all(computed.map((id) => snapshot.subtree(id)));
      const { nodes: made } = await expand(nodes.filter((node) => node !== undefined));
      return walkNodes(made).find(({ page }) => page.document === document)?.page;
    },
    pageTree: async () => [...(await expand(await snapshot.pageTree())).nodes],
    async subtree(id) {
      const node = await snapshot.subtree(id);
      return node ? (await expand([node])).nodes[0] : generatedSubtree(id);
    },
    async pageByPath(segments) {
      const page = await snapshot.pageByPath(segments);
      if (page) return page;
      const above = await findComputedAncestor(snapshot, segments);
      const node = above && (await snapshot.subtree(above.page.id));
      const { nodes, expanded } = await expand(node ? [node] : []);
      const path = segments.join('/');
      const made = walkNodes(nodes).find((candidate) => candidate.path === path);
      if (made || !above || !expanded[0]) return made?.page;
      const below = segments.slice(above.depth).join('/');
      const [former] = await sources.formerPages(expanded[0].ref, below);
      return former && currentPage(expanded[0], former)?.page;
    },
    document: (address) => getDocument(reader, address),
    reader,
  };
}

function* walkNodes(nodes: readonly PageNode[]): Generator<PageNode> {
  for (const node of nodes) {
    yield node;
    yield* walkNodes(node.pages);
  }
}

/** The computed pages in page trees; without a generator, for speed, since most trees are large and have none. */
function findComputed(nodes: readonly PageNode[], found: PageNode[] = []): PageNode[] {
  for (const node of nodes) {
    if (node.page.type === 'computed') found.push(node);
    findComputed(node.pages, found);
  }
  return found;
}

/** Whether a tree has computed pages. */
export const hasComputed = (nodes: readonly PageNode[]): boolean =>
  nodes.some(({ page, pages }) => page.type === 'computed' || hasComputed(pages));

/** Whether readers may see a generated page instead of this stored one, which may not exist. */
export const isReplaced = (page: PageRecord | undefined): boolean =>
  page === undefined || page.type === 'computed';

/** Finds the computed page whose path is a prefix of this path, and the number of its segments. */
async function findComputedAncestor(
  snapshot: Snapshot,
  segments: readonly string[],
): Promise<{ page: PageRecord; depth: number } | undefined> {
  for (let depth = segments.length - 1; depth > 0; depth--) {
    const page = await snapshot.pageByPath(segments.slice(0, depth));
    if (page) return page.type === 'computed' ? { page, depth } : undefined;
  }
  return undefined;
}

function replace(node: PageNode, made: ReadonlyMap<string, PageNode>): PageNode {
  return made.get(node.page.id) ?? { ...node, pages: node.pages.map((child) => replace(child, made)) };
}

/** Stores a generated document in memory for reading, and returns its address. */
type StoreDocument = (document: GeneratedDocument) => string;

/** The page that replaces a computed one. */
function* expandedNode(
  { computed: { page, path }, ref, models, api }: ExpandedPage,
  storeDocument: StoreDocument,
): Steps<PageNode> {
  const shown = { ...page, computed: resolvedSource(page, models, api) };
  if ('problem' in api.outline) {
    const document = storeDocument(generateDocument(noticeDocument(api.outline.problem)));
    return { page: { ...shown, type: 'document', document }, path, pages: [] };
  }
  const documentFor = partDocumentsFor(ref);
  const contentsFor = listDocumentsFor(page.id);
  function* nodesOf(
    pages: readonly ApiPage[],
    above: Pick<PageNode, 'page' | 'path'>,
  ): Steps<readonly PageNode[]> {
    const nodes: PageNode[] = [];
    for (const { key, title, slug, description, shows, pages: below = [] } of pages) {
      const made: PageRecord = {
        ...generatedRecord(page, key, title),
        type: 'document',
        parent: above.page.id,
        position: String(nodes.length).padStart(6, '0'),
        slug,
        ...(description !== undefined && { description }),
      };
      const path = above.path === '' ? slug : `${above.path}/${slug}`;
      const nodesBelow = yield* nodesOf(below, { page: made, path });
      const document = storeDocument(shows ? documentFor(shows) : contentsFor(below, nodesBelow));
      nodes.push({ page: { ...made, document }, path, pages: nodesBelow });
      yield;
    }
    return nodes;
  }
  const shownPages = pagesFor(api.outline, ref, { models });
  // Groups can only be at the top level.
  if (page.parent === null) {
    const group = { page: { ...shown, type: 'group' as const }, path };
    return { ...group, pages: yield* nodesOf(shownPages, group) };
  }
  const nodes = yield* nodesOf(shownPages, { page: shown, path });
  const document = storeDocument(contentsFor(api.outline.pages, nodes));
  return { page: { ...shown, type: 'document', document }, path, pages: nodes };
}

/** Adds the OpenAPI spec to the source of a computed page. */
function resolvedSource(page: PageRecord, models: boolean, { value }: ApiSource): JsonObject | undefined {
  const { computed } = page;
  if (!computed || value === undefined) return computed;
  const { spec, ...others } = computed.dependencies as { [name: string]: JsonObject };
  return { ...computed, props: { models }, dependencies: { ...others, spec: { ...spec, value } } };
}

/**
 * A hidden page that says that the part it showed no longer exists; undefined if the part exists, but is not shown.
 */
function removedPageNode(
  { computed, api }: ExpandedPage,
  former: FormerPage,
  storeDocument: StoreDocument,
): PageNode | undefined {
  const { outline, name } = api;
  if (!('problem' in outline) && (outline.isCut || hasPage(outline.pages, former.key))) return undefined;
  const reason =
    'problem' in outline ? outline.problem : `${labelOfKey(former.key)} is no longer in the ${name}.`;
  const page: PageRecord = {
    ...generatedRecord(computed.page, former.key, former.title),
    type: 'document',
    parent: computed.page.id,
    position: '',
    slug: former.path.slice(former.path.lastIndexOf('/') + 1),
    hidden: true,
    noIndex: true,
    document: storeDocument(generateDocument(noticeDocument(reason))),
  };
  return { page, path: `${computed.path}/${former.path}`, pages: [] };
}

const hasPage = (pages: readonly ApiPage[], key: string): boolean =>
  walkApiPages(pages).some(({ page }) => page.key === key);

const generatedRecord = (computed: PageRecord, key: string, title: string) => ({
  id: idOf(computed, key),
  title,
  createdAt: computed.createdAt,
  updatedAt: computed.updatedAt,
});

/** The id of a page generated for a computed page. */
const idOf = (computed: PageRecord, key: string): string => generatedPageId(computed.id, key);
