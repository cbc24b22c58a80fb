/** Follows nodes that move to another page, and cells of tables that move to another row or column. */

import type { Block, Document } from '../document/document.ts';
import { findNode, type NodeTarget, nodeKeys } from '../document/find-node.ts';
import { type ContentChange, diffSnapshots } from '../store/diff.ts';
import { getDocuments } from '../store/documents.ts';
import type { ObjectReader } from '../store/objects.ts';
import { newNamesIn } from './table-rows.ts';

/** A node by the id of its page and its own key, or a cell of it. */
export interface PageNode extends NodeTarget {
  page: string;
}

/** Where a node or cell is now; without `tableCell` if it was a cell that no longer exists. */
export type MovedNode = PageNode & { to: Omit<PageNode, 'node'> };

/** Documents read at once. */
const BATCH = 50;

/** A page whose document changed, with the hashes of the documents; absent if the page did not or does not have one. */
interface ChangedDocument {
  page: string;
  before?: string | undefined;
  after?: string | undefined;
}

/**
 * Finds which of these nodes a change moved, with the id of their page and the names of their cells afterwards. Equal blocks
 * on different pages may have equal keys: a node that appeared on several pages is ignored.
 */
export async function movedNodes(
  reader: ObjectReader,
  { before, after, nodes }: { before: string; after: string; nodes: readonly PageNode[] },
): Promise<MovedNode[]> {
  const changed = (await diffSnapshots(reader, before, after)).flatMap(documentChange);
  const pages = await newPages(reader, changed, nodes);
  const placed = nodes.map((one): MovedNode => {
    const { page, tableCell } = one;
    return { ...one, to: { page: pages.get(one) ?? page, tableCell } };
  });
  await followCells(reader, changed, placed);
  return placed.filter(
    ({ page, tableCell, to }) =>
      page !== to.page ||
      tableCell?.record !== to.tableCell?.record ||
      tableCell?.definition !== to.tableCell?.definition,
  );
}

/** The pages to which nodes have moved from another. */
async function newPages(
  reader: ObjectReader,
  changed: readonly ChangedDocument[],
  nodes: readonly PageNode[],
): Promise<Map<PageNode, string>> {
  const wanted = Map.groupBy(nodes, ({ page }) => page);
  const lost: PageNode[] = [];
  await compareKeys(
    reader,
    changed.filter(({ page }) => wanted.has(page)),
    ({ page }, old, current) => {
      for (const one of wanted.get(page) ?? [])
        if (old.has(one.node) && !current.has(one.node)) lost.push(one);
    },
  );
  if (lost.length === 0) return new Map();
  const gained = new Map(lost.map(({ node }) => [node, new Set<string>()]));
  await compareKeys(
    reader,
    changed.filter((change) => change.after !== undefined),
    ({ page }, old, current) => {
      // guard: comment-move-equal-block
      for (const node of current) if (!old.has(node)) gained.get(node)?.add(page);
    },
  );
  return new Map(
    lost.flatMap((one) => {
      const [to, ...others] = gained.get(one.node) ?? [];
      // guard: comment-move-several-pages
      return to === undefined || others.length > 0 ? [] : [[one, to] as const];
    }),
  );
}

/** Renames cells like the rows and columns of their tables, or removes them if these are gone. */
async function followCells(
  reader: ObjectReader,
  changed: readonly ChangedDocument[],
  placed: readonly MovedNode[],
): Promise<void> {
  const changes = new Map(changed.map((change) => [change.page, change]));
  const tables = Map.groupBy(
    placed.filter(({ page, tableCell }) => tableCell && changes.has(page)),
    ({ page, node }) => JSON.stringify([page, node]),
  );
  for (const cells of tables.values()) {
    const [{ page, node, to }] = cells as [MovedNode];
    const hashes = [changes.get(page)?.before, changes.get(to.page)?.after];
    const documents = await getDocuments(
      reader,
      hashes.filter((hash) => hash !== undefined),
    );
    const [old, current] = hashes.map((hash) => tableIn(hash && documents.get(hash), node));
    const names = old && current && newNamesIn(old, current);
    if (!names) continue;
    for (const cell of cells) {
      const record = names.rows.get(cell.tableCell?.record ?? '');
      const definition = names.columns.get(cell.tableCell?.definition ?? '');
      const isKept = record !== undefined && definition !== undefined;
      cell.to.tableCell = isKept ? { record, definition } : undefined;
    }
  }
}

function tableIn(document: Document | undefined | '', key: string): Block | undefined {
  const node = document ? findNode(document, key) : undefined;
  return node?.object === 'block' && node.type === 'table' ? node : undefined;
}

function documentChange(change: ContentChange): ChangedDocument[] {
  switch (change.type) {
    case 'page_created':
      return [{ page: change.page.id, after: change.page.document }];
    case 'page_deleted':
      return [{ page: change.page.id, before: change.page.document }];
    case 'page_edited': {
      const { document } = change.attributes;
      const [before, after] = [document?.before, document?.after] as (string | undefined)[];
      return document ? [{ page: change.page.id, before, after }] : [];
    }
    default:
      return [];
  }
}

type Compare = (change: ChangedDocument, before: ReadonlySet<string>, after: ReadonlySet<string>) => void;

const NONE: ReadonlySet<string> = new Set();

async function compareKeys(
  reader: ObjectReader,
  changes: readonly ChangedDocument[],
  compare: Compare,
): Promise<void> {
  for (let start = 0; start < changes.length; start += BATCH) {
    const batch = changes.slice(start, start + BATCH);
    const hashes = batch.flatMap(({ before, after }) => [before, after]).filter((hash) => hash !== undefined);
    const documents = await getDocuments(reader, [...new Set(hashes)]);
    const keysOf = (hash: string | undefined) => {
      const document = hash === undefined ? undefined : documents.get(hash);
      return document ? nodeKeys(document) : NONE;
    };
    for (const change of batch) compare(change, keysOf(change.before), keysOf(change.after));
  }
}
