/** Finds nodes that moved to another page, for references to nodes by page and key. */

import { nodeKeys } from '../document/find-node.ts';
import { type ContentChange, diffSnapshots } from './diff.ts';
import { getDocuments } from './documents.ts';
import type { ObjectReader } from './objects.ts';

/** A node by the id of its page and its own key. */
export interface PageNode {
  page: string;
  node: string;
}

/** Documents read at once. */
const BATCH = 50;

/** A page whose document changed, with the hashes of the documents; absent if the page did not or does not have one. */
interface ChangedDocument {
  page: string;
  before?: string | undefined;
  after?: string | undefined;
}

/**
 * Finds which of these nodes a change moved to another page, with the id of that page. Equal blocks on different pages may
 * have equal keys: a node that appeared on several pages is ignored.
 */
export async function movedNodes(
  reader: ObjectReader,
  { before, after, nodes }: { before: string; after: string; nodes: readonly PageNode[] },
): Promise<(PageNode & { to: string })[]> {
  const changed = (await diffSnapshots(reader, before, after)).flatMap(documentChange);
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
  if (lost.length === 0) return [];
  const gained = new Map(lost.map(({ node }) => [node, new Set<string>()]));
  await compareKeys(
    reader,
    changed.filter((change) => change.after !== undefined),
    ({ page }, old, current) => {
      // guard: comment-move-equal-block
      for (const node of current) if (!old.has(node)) gained.get(node)?.add(page);
    },
  );
  return lost.flatMap((one) => {
    const [to, ...others] = gained.get(one.node) ?? [];
    // guard: comment-move-several-pages
    return to === undefined || others.length > 0 ? [] : [{ ...one, to }];
  });
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
