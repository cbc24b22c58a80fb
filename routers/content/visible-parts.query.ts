import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import type { ContentRef } from '../engine/document/document.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import { targetOf } from '../engine/links/document-links.ts';
import { documentsOf, linkSourceOfPage, linkSourceOfReusableContent } from '../engine/links/usages.ts';
import type { FileRecord, PageRecord, ReusableContentRecord } from '../engine/store/records.ts';
import type { PageNode, Snapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { indexContent } from './link-index.operation.ts';
import { accessiblePages } from './visible-pages.ts';

/** The parts of content that pages use besides their documents. */
interface VisibleParts {
  /** The last created first. */
  files: FileRecord[];
  reusableContents: ReusableContentRecord[];
}

/** What these are read from. */
interface Content {
  db: Db;
  engine: Engine;
  space: { id: string };
  snapshot: Snapshot;
}

/**
 * The files and reusable contents that are used, directly or through reusable contents, by pages that a visitor may see: the
 * others may belong to pages that the visitor must not see, or to none. One statement once the content is indexed.
 */
export async function readVisibleParts(
  content: Content,
  conditions: ConditionEvaluator,
): Promise<VisibleParts> {
  const { snapshot } = content;
  const [tree, contents] = await Promise.all([snapshot.pageTree(), snapshot.reusableContents()]);
  const byId = new Map(contents.map((one) => [one.id, linkSourceOfReusableContent(one)]));
  const all = [...pagesIn(tree).map(linkSourceOfPage), ...byId.values()];
  const partsOf = await readParts(content, documentsOf(all));

  const found = new Set<string>();
  // guard: shown-pages-parts
  const open = pagesIn(accessiblePages(conditions, tree)).map(linkSourceOfPage);
  for (let holder = open.pop(); holder; holder = open.pop()) {
    const own = holder.own.flatMap((ref) => partIn(ref, content.space.id) ?? []);
    for (const id of [...own, ...(partsOf.get(holder.document ?? '') ?? [])]) {
      if (found.has(id)) continue;
      found.add(id);
      const inside = byId.get(id);
      if (inside) open.push(inside);
    }
  }
  const files = await snapshot.filesById(found);
  return {
    files: [...files.values()].sort((one, other) => (one.id < other.id ? 1 : -1)),
    reusableContents: contents.filter(({ id }) => found.has(id)),
  };
}

function pagesIn(nodes: readonly PageNode[]): PageRecord[] {
  const found: PageRecord[] = [];
  const open = [...nodes];
  for (let node = open.pop(); node; node = open.pop()) {
    found.push(node.page);
    for (const child of node.pages) open.push(child);
  }
  return found;
}

/** The id of the file or reusable content of a space that a reference in it leads to. */
function partIn(ref: ContentRef, space: string): string | undefined {
  if (ref.kind !== 'file' && ref.kind !== 'reusable-content') return undefined;
  return ref.space === undefined || ref.space === space ? targetOf(ref) : undefined;
}

/** The ids of the files and reusable contents that each document of the content refers to. */
async function readParts(
  { db, engine, snapshot, space }: Content,
  documents: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  await indexContent(db, engine, snapshot.root, documents);
  const rows = await db
    .selectFrom('document_link')
    .select(['document', 'target'])
    .distinct()
    .where('document', '=', sqlAny(documents))
    .where(sql<boolean>`ref ->> 'kind' in ('file', 'reusable-content')`)
    .where(sql<boolean>`coalesce(ref ->> 'space', ${space.id}) = ${space.id}`)
    .execute();
  const parts = new Map<string, string[]>();
  for (const { document, target } of rows) {
    if (target === null) continue;
    const list = parts.get(document);
    if (list) list.push(target);
    else parts.set(document, [target]);
  }
  return parts;
}
