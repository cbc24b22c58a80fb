import { type ContentChange, diffSnapshots } from './diff.ts';
import { putEmptyRoot } from './edit.ts';
import { createObjectBuffer, type ObjectReader } from './objects.ts';
import type { PageRecord } from './records.ts';
import { openSnapshot } from './snapshot.ts';

/** Fields of pages and files that are not part of the API. */
const INTERNAL_FIELDS = new Set(['importKey', 'linkTitle', 'summaryTitle']);

export interface Changes {
  /** The first changes, up to the limit. */
  changes: ContentChange[];
  /** Number of changes beyond the limit. */
  more: number;
  /** The paths of the changed pages and of the parents of moved pages, before and after. */
  paths: { before: ReadonlyMap<string, string>; after: ReadonlyMap<string, string> };
  /** The parents of moved pages, before and after. */
  parents: { before: ReadonlyMap<string, PageRecord>; after: ReadonlyMap<string, PageRecord> };
}

/** Compares two roots, or empty content and a root. Does not read what both share. */
export async function readChanges(
  reader: ObjectReader,
  roots: { before: string | undefined; after: string },
  limit: number,
): Promise<Changes> {
  const buffer = createObjectBuffer(reader);
  const from = roots.before ?? putEmptyRoot(buffer);
  const [all, before, after] = await Promise.all([
    diffSnapshots(buffer, from, roots.after),
    openSnapshot(buffer, from),
    openSnapshot(buffer, roots.after),
  ]);
  const visible = all.flatMap(withoutInternals);
  const changes = visible.slice(0, limit);
  const moves = changes.filter((change) => change.type === 'page_moved');
  const left = moves.flatMap(({ parent }) => parent.before ?? []);
  const entered = moves.flatMap(({ parent }) => parent.after ?? []);
  const pages = changes.flatMap((change) => ('page' in change ? change.page.id : []));
  const [pathsBefore, pathsAfter, parentsBefore, parentsAfter] = await Promise.all([
    before.paths([...pages, ...left]),
    after.paths([...pages, ...entered]),
    before.pages(left),
    after.pages(entered),
  ]);
  return {
    changes,
    more: visible.length - changes.length,
    paths: { before: pathsBefore, after: pathsAfter },
    parents: { before: parentsBefore, after: parentsAfter },
  };
}

function withoutInternals(change: ContentChange): ContentChange[] {
  if (!('attributes' in change)) return [change];
  const shown = Object.entries(change.attributes).filter(([field]) => !INTERNAL_FIELDS.has(field));
  return shown.length > 0 ? [{ ...change, attributes: Object.fromEntries(shown) }] : [];
}
