/** Computed pages: made from an external source while content is read, in place of the page that refers to the source. */

import { hash } from 'node:crypto';
import { z } from 'zod';
import { ContentRef } from '../document/document.ts';
import { getDocument, putDocument } from '../store/documents.ts';
import { createObjectBuffer, type ObjectBuffer } from '../store/objects.ts';
import type { PageRecord } from '../store/records.ts';
import { slugify, uniqueSlug } from '../store/slug.ts';
import type { PageNode, Snapshot } from '../store/snapshot.ts';
import type { TemplatePage } from './outline.ts';

/**
 * The pages made from the OpenAPI specifications that references refer to, in one batch. Missing ones, those that the
 * caller may not view and other files are left out.
 */
export type ReadSources = (
  refs: readonly ContentRef[],
) => Promise<ReadonlyMap<ContentRef, readonly TemplatePage[]>>;

/** The part of a snapshot that shows pages. */
export type PageReader = Pick<Snapshot, 'pageTree' | 'subtree' | 'pageByPath' | 'document' | 'reader'>;

const OpenApiSource = z.object({
  type: z.literal('builtin:openapi'),
  props: z.object({ models: z.boolean().optional() }).optional(),
  dependencies: z.object({ spec: z.object({ ref: ContentRef }) }),
});

/** The source of a computed page; undefined if it has no known source. */
function sourceOf(page: PageRecord): { ref: ContentRef; models: boolean } | undefined {
  const parsed = OpenApiSource.safeParse(page.computed);
  if (page.type !== 'computed' || !parsed.success) return undefined;
  return { ref: parsed.data.dependencies.spec.ref, models: parsed.data.props?.models ?? true };
}

/**
 * The pages of a snapshot, with each computed page as a group of the pages made from its source, or as itself if the
 * source is not available. The generated pages have their own ids and paths, which are stable as long as their titles.
 */
export function computedPages(snapshot: Snapshot, readSources: ReadSources): PageReader {
  const buffer = createObjectBuffer(snapshot.reader);
  const madeById = new Map<string, PageNode>();

  const expand = async (nodes: readonly PageNode[]): Promise<PageNode[]> => {
    const sources = computedIn(nodes).flatMap(({ page }) => {
      const source = sourceOf(page);
      return source ? [{ page, ...source }] : [];
    });
    if (sources.length === 0) return [...nodes];
    const found = await readSources(sources.map(({ ref }) => ref));
    const made = new Map<string, readonly TemplatePage[]>();
    for (const { page, ref, models } of sources) {
      const pages = found.get(ref);
      if (pages) made.set(page.id, models ? pages : pages.filter((made) => !isOfModels(made)));
    }
    const expanded = nodes.map((node) => replace(node, made, buffer));
    for (const node of everyNode(expanded)) madeById.set(node.page.id, node);
    return expanded;
  };

  /** Looks for a page among the generated ones, which requires checking the sources of all pages. */
  const subtreeMade = async (id: string): Promise<PageNode | undefined> => {
    const known = madeById.get(id);
    if (known) return known;
    await expand(computedIn(await snapshot.pageTree()));
    return madeById.get(id);
  };

  return {
    pageTree: async () => expand(await snapshot.pageTree()),
    async subtree(id) {
      const node = await snapshot.subtree(id);
      return node ? (await expand([node]))[0] : subtreeMade(id);
    },
    async pageByPath(segments) {
      const page = await snapshot.pageByPath(segments);
      if (page) return page;
      const computed = await computedAbove(snapshot, segments);
      const node = computed && (await snapshot.subtree(computed.id));
      const path = segments.join('/');
      const made = node ? everyNode(await expand([node])) : [];
      return [...made].find((candidate) => candidate.path === path)?.page;
    },
    document: (address) => getDocument(buffer, address),
    reader: buffer,
  };
}

function* everyNode(nodes: readonly PageNode[]): Generator<PageNode> {
  for (const node of nodes) {
    yield node;
    yield* everyNode(node.pages);
  }
}

/** The computed pages among all of a tree, without a generator: most trees are large and have none. */
function computedIn(nodes: readonly PageNode[], found: PageNode[] = []): PageNode[] {
  for (const node of nodes) {
    if (node.page.type === 'computed') found.push(node);
    computedIn(node.pages, found);
  }
  return found;
}

/** Whether a tree has pages whose content is not in the snapshot alone. */
export const hasComputed = (nodes: readonly PageNode[]): boolean =>
  nodes.some(({ page, pages }) => page.type === 'computed' || hasComputed(pages));

/** The computed page whose path is a prefix of a path. */
async function computedAbove(
  snapshot: Snapshot,
  segments: readonly string[],
): Promise<PageRecord | undefined> {
  for (let length = segments.length - 1; length > 0; length--) {
    const page = await snapshot.pageByPath(segments.slice(0, length));
    if (page) return page.type === 'computed' ? page : undefined;
  }
  return undefined;
}

const isOfModels = ({ content }: TemplatePage): boolean =>
  content?.document?.nodes[0]?.type === 'openapi-schemas';

function replace(
  node: PageNode,
  made: ReadonlyMap<string, readonly TemplatePage[]>,
  buffer: ObjectBuffer,
): PageNode {
  const { page, path } = node;
  const pages = made.get(page.id);
  if (!pages) return { ...node, pages: node.pages.map((child) => replace(child, made, buffer)) };
  const group: PageRecord = { ...page, type: 'group' };
  return { page: group, path, pages: nodesOf(pages, { page: group, path }, buffer) };
}

function nodesOf(
  pages: readonly TemplatePage[],
  above: Pick<PageNode, 'page' | 'path'>,
  buffer: ObjectBuffer,
): PageNode[] {
  const slugs = new Set<string>();
  const suffixes = new Map<string, number>();
  return pages.map(({ title, type = 'document', description, content, pages: below = [] }, index) => {
    const wanted = slugify(title);
    const slug = uniqueSlug(wanted, (other) => slugs.has(other), suffixes.get(wanted));
    if (slug !== wanted) suffixes.set(wanted, Number(slug.slice(wanted.length + 1)) + 1);
    slugs.add(slug);
    const path = above.path === '' ? slug : `${above.path}/${slug}`;
    const page: PageRecord = {
      id: hash('sha256', `${above.page.id}/${slug}`, 'base64url').slice(0, 20),
      type,
      parent: above.page.id,
      position: String(index).padStart(6, '0'),
      title,
      slug,
      ...(description !== undefined && { description }),
      ...(content?.document && { document: putDocument(buffer, content.document) }),
      createdAt: above.page.createdAt,
      updatedAt: above.page.updatedAt,
    };
    return { page, path, pages: nodesOf(below, { page, path }, buffer) };
  });
}
