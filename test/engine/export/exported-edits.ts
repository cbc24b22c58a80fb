import type { Mutation } from '../../../routers/engine/store/edit.ts';
import type { PageRecord } from '../../../routers/engine/store/records.ts';
import { openSnapshot } from '../../../routers/engine/store/snapshot.ts';
import { memorySource } from '../import/memory-source.ts';
import { edit, exportRepository, type ImportedSpace, importRepository } from './repository.ts';

/** The pages of a space by title. */
async function pagesOf({ buffer, root }: ImportedSpace): Promise<Map<string, PageRecord>> {
  const pages = await (await openSnapshot(buffer, root)).allPages();
  return new Map(pages.map((page) => [page.title, page]));
}

/** The changed files of an export after edits of the imported files; deleted files are undefined. */
export async function changedBy(
  edits: (pages: (title: string) => PageRecord, space: ImportedSpace) => Promise<Mutation[]> | Mutation[],
  docs: Record<string, string>,
) {
  const space = await importRepository(memorySource(docs));
  const pages = await pagesOf(space);
  const mutations = await edits((title) => pages.get(title) as PageRecord, space);
  const exported = await exportRepository(await edit(space, ...mutations));
  const paths = new Set([...Object.keys(docs), ...Object.keys(exported)]);
  return Object.fromEntries(
    [...paths].filter((path) => exported[path] !== docs[path]).map((path) => [path, exported[path]]),
  );
}

export const patch = (page: PageRecord, fields: object, place: object = {}): Mutation => ({
  type: 'patch-page',
  id: page.id,
  fields,
  ...place,
});
