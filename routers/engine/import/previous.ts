import type { JsonObject } from '../store/canonical.ts';
import type { FileRecord, PageRecord, ReusableContentRecord } from '../store/records.ts';
import type { Snapshot } from '../store/snapshot.ts';
import type { ImportIds } from './plan.ts';
import { matchRenames } from './renames.ts';
import type { Scan } from './scan.ts';

/** What the last import of a source brought, by id, and the ids by where it came from. */
export interface Previous {
  pages: Map<string, PageRecord>;
  files: Map<string, FileRecord>;
  reusableContents: Map<string, ReusableContentRecord>;
  pageIds: Map<string, string>;
  fileIds: Map<string, string>;
  reusableIds: Map<string, string>;
  variables: JsonObject;
}

/** Before the first import. */
export const EMPTY_PREVIOUS: Previous = {
  pages: new Map(),
  files: new Map(),
  reusableContents: new Map(),
  pageIds: new Map(),
  fileIds: new Map(),
  reusableIds: new Map(),
  variables: {},
};

/** The key of a page in an import: its file, or a generated name. */
const keyOf = (page: PageRecord): string | undefined => page.git?.path ?? page.importKey;

export async function readPrevious(snapshot: Snapshot): Promise<Previous> {
  const [pages, files, reusableContents] = await Promise.all([
    snapshot.allPages(),
    snapshot.files(),
    snapshot.reusableContents(),
  ]);
  const idsByPath = (records: { id: string; git?: { path: string } }[]) =>
    new Map(records.flatMap(({ id, git }) => (git ? [[git.path, id]] : [])));
  return {
    pages: new Map(pages.map((page) => [page.id, page])),
    files: new Map(files.map((file) => [file.id, file])),
    reusableContents: new Map(reusableContents.map((content) => [content.id, content])),
    pageIds: new Map(
      pages.flatMap((page) => (keyOf(page) === undefined ? [] : [[keyOf(page) as string, page.id]])),
    ),
    fileIds: idsByPath(files),
    reusableIds: idsByPath(reusableContents),
    variables: snapshot.variables,
  };
}

/** Gives each page, file and reusable content the id it had, also where its Markdown file was renamed, or a new one. */
export function idsFrom(previous: Previous, scan: Scan, newId: () => string): ImportIds {
  const origins = [...previous.pages.values(), ...previous.reusableContents.values()];
  const renames = matchRenames(
    origins.flatMap(({ git }) => (git ? [git] : [])),
    [...scan.markdown.values()],
  );
  const known = (ids: Map<string, string>) => (key: string) =>
    ids.get(key) ?? ids.get(renames.get(key) ?? '') ?? newId();
  return {
    pageIdOf: known(previous.pageIds),
    fileIdOf: known(previous.fileIds),
    reusableIdOf: known(previous.reusableIds),
  };
}
