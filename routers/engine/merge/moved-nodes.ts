/** Follows nodes that move to another page, and cells of tables that move to another row or column. */

import type { Block, Document } from '../document/document.ts';
import { type NodeTarget, nodeKeys, nodesWithKeys } from '../document/find-node.ts';
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
  const pages = Map.groupBy(
    placed.filter(({ page, tableCell }) => tableCell && changes.has(page)),
    ({ page, to }) => JSON.stringify([page, to.page]),
  );
  const withCells = [...pages.values()].map((cells) => {
    const [{ page, to }] = cells as [MovedNode];
    return { page, before: changes.get(page)?.before, after: changes.get(to.page)?.after, cells };
  });
  for await (const [{ cells }, before, after] of withDocuments(reader, withCells)) {
    const [old, current] = [tablesIn(before), tablesIn(after)];
    for (const [node, inTable] of Map.groupBy(cells, (cell) => cell.node))
      renameCells(inTable, old.get(node), current.get(node));
  }
}

/** Renames the cells of one table. */
function renameCells(cells: readonly MovedNode[], before: Block | undefined, after: Block | undefined): void {
  const names = before && after && newNamesIn(before, after);
  if (!names) return;
  for (const cell of cells) {
    const record = names.rows.get(cell.tableCell?.record ?? '');
    const definition = names.columns.get(cell.tableCell?.definition ?? '');
    const isKept = record !== undefined && definition !== undefined;
    cell.to.tableCell = isKept ? { record, definition } : undefined;
  }
}

/** The tables of a document, by their keys. */
const tablesIn = (document: Document | undefined): Map<string, Block> =>
  new Map(
    nodesWithKeys(document?.nodes ?? []).flatMap((node) =>
      node.object === 'block' && node.type === 'table' ? [[node.key, node] as const] : [],
    ),
  );

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
  const keysOf = (document: Document | undefined) => (document ? nodeKeys(document) : NONE);
  for await (const [change, before, after] of withDocuments(reader, changes))
    compare(change, keysOf(before), keysOf(after));
}

/** Reads the documents of changes before and after them, a batch at a time. */
async function* withDocuments<Change extends ChangedDocument>(
  reader: ObjectReader,
  changes: readonly Change[],
): AsyncGenerator<[Change, Document | undefined, Document | undefined]> {
  for (let start = 0; start < changes.length; start += BATCH) {
    const batch = changes.slice(start, start + BATCH);
    const hashes = batch.flatMap(({ before, after }) => [before, after]).filter((hash) => hash !== undefined);
    const documents = await getDocuments(reader, [...new Set(hashes)]);
    const documentOf = (hash: string | undefined) => (hash === undefined ? undefined : documents.get(hash));
    for (const change of batch) yield [change, documentOf(change.before), documentOf(change.after)];
  }
}
