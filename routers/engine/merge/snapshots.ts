/** Merges the content of revisions (three-way merge). */

import { getDocuments, putDocument } from '../store/documents.ts';
import type { ObjectBuffer } from '../store/objects.ts';
import { diffMaps } from '../store/ordered-map-diff.ts';
import { updateMap } from '../store/ordered-map-update.ts';
import { writePages } from '../store/page-index.ts';
import {
  type FileRecord,
  type PageRecord,
  type ReusableContentRecord,
  type Root,
  readRoot,
} from '../store/records.ts';
import {
  type Conflict,
  type ConflictResolver,
  createConflictResolver,
  type Resolutions,
  type Side,
  trivialMerge,
  type Versions,
} from './conflicts.ts';
import { createKeepSubtree } from './deleted-subtrees.ts';
import { repairPageTree, resolveSlugCollisions } from './page-structure.ts';
import {
  changedDocuments,
  mapVersions,
  mergeFile,
  mergePage,
  mergeRepository,
  mergeReusableContent,
  mergeVariables,
  type RecordMerger,
  sameContent,
} from './records.ts';

export type MergeResult = {
  /** Hash of the merged root, with our version wherever there is a conflict. */
  readonly root: string;
  /** The unresolved conflicts; empty if the merge is clean. */
  readonly conflicts: readonly Conflict[];
};

/**
 * Merges two roots with a common base; new objects are added to the buffer. The result is deterministic. Whether it is
 * clean, and then the root, does not depend on which side is ours. `resolutions` resolves conflicts of an earlier merge of
 * the same roots. The cost depends on the changes, not on the size of the content.
 */
export async function mergeSnapshots(
  buffer: ObjectBuffer,
  base: string,
  ours: string,
  theirs: string,
  { resolutions = new Map() }: { resolutions?: Resolutions } = {},
): Promise<MergeResult> {
  const clean = trivialMerge({ base, ours, theirs });
  if (clean) return { root: clean.value as string, conflicts: [] };
  const [baseRoot, oursRoot, theirsRoot] = await Promise.all(
    [base, ours, theirs].map((hash) => readRoot(buffer, hash)),
  );
  const roots = { base: baseRoot as Root, ours: oursRoot as Root, theirs: theirsRoot as Root };
  const conflicts: Conflict[] = [];
  const resolve = createConflictResolver(resolutions, conflicts);

  const pages = await collectVersions<PageRecord>(buffer, roots, 'pages');
  const files = await collectVersions<FileRecord>(buffer, roots, 'files');
  const contents = await collectVersions<ReusableContentRecord>(buffer, roots, 'reusableContents');
  const changed = [...pages.values(), ...contents.values()].flatMap(changedDocuments);
  const merger: RecordMerger = {
    resolve,
    documents: await getDocuments(buffer, changed),
    putDocument: (document) => putDocument(buffer, document),
  };

  const kept = new Map<string, Side>();
  const resolvePages: ConflictResolver = (place, versions) => {
    const side = resolve(place, versions);
    if (place.kind === 'page-deleted' && place.page && versions[side]) kept.set(place.page, side);
    return side;
  };
  const merged = mergeRecords(pages, resolvePages, 'page', (versions) => mergePage(merger, versions));
  const keepSubtree = createKeepSubtree(pages, merged);
  for (const [id, side] of kept) keepSubtree(id, side);
  const mergedPages = { versions: pages, merged, kept, keepSubtree };
  await repairPageTree(buffer, roots, mergedPages, resolvePages);
  await resolveSlugCollisions(buffer, roots, mergedPages);
  const withPages = await writePages(
    buffer,
    roots.ours,
    // Changes that only our side made are already in its root.
    [...merged]
      .map(([id, after]) => ({ before: pages.get(id)?.ours, after }))
      .filter(({ before, after }) => before !== after),
  );
  const root: Root = {
    ...withPages,
    files: await updateMap(
      buffer,
      roots.ours.files,
      mergeRecords(files, resolve, 'file', (versions) => mergeFile(merger, versions)),
    ),
    reusableContents: await updateMap(
      buffer,
      roots.ours.reusableContents,
      mergeRecords(contents, resolve, 'reusableContent', (versions) =>
        mergeReusableContent(merger, versions),
      ),
    ),
    variables: mergeVariables(
      resolve,
      mapVersions(roots, ({ variables }) => variables),
    ),
    ...mergeRepository(roots),
  };
  return { root: buffer.put('root', root), conflicts };
}

/** The three versions of every record that at least one side changed, by id, in the order of ids. */
async function collectVersions<T>(
  buffer: ObjectBuffer,
  roots: Readonly<Record<'base' | 'ours' | 'theirs', Root>>,
  map: 'pages' | 'files' | 'reusableContents',
): Promise<Map<string, Versions<T>>> {
  const [ours, theirs] = await Promise.all([
    diffMaps(buffer, roots.base[map], roots.ours[map]),
    diffMaps(buffer, roots.base[map], roots.theirs[map]),
  ]);
  const versions = new Map<string, Versions<T>>();
  for (const { key, before, after } of ours) {
    versions.set(key, { base: before, ours: after, theirs: before } as Versions<T>);
  }
  for (const { key, before, after } of theirs) {
    const changedByOurs = versions.get(key);
    versions.set(key, {
      base: before,
      ours: changedByOurs ? changedByOurs.ours : before,
      theirs: after,
    } as Versions<T>);
  }
  return new Map([...versions].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Merges records one by one: a change on one side is taken; a change on one side and a deletion on the other conflict. */
function mergeRecords<T extends object>(
  records: ReadonlyMap<string, Versions<T>>,
  resolve: ConflictResolver,
  noun: 'page' | 'file' | 'reusableContent',
  merge: (versions: Versions<T>) => T,
): Map<string, T | undefined> {
  const kinds = {
    page: 'page-deleted',
    file: 'file-deleted',
    reusableContent: 'reusable-content-deleted',
  } as const;
  const mergeOne = (id: string, versions: Versions<T>): T | undefined => {
    const clean = trivialMerge(versions);
    if (clean) return clean.value;
    if (versions.ours && versions.theirs) return merge(versions);
    // Only bookkeeping changed on the side that still has the record, so deleting it loses nothing.
    if (sameContent(versions.base, versions.ours ?? versions.theirs)) return undefined;
    return versions[resolve({ kind: kinds[noun], [noun]: id }, versions)];
  };
  return new Map([...records].map(([id, versions]) => [id, mergeOne(id, versions)]));
}
