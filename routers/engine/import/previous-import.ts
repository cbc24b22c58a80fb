import type { JsonObject } from '../store/canonical.ts';
import type { ObjectReader } from '../store/objects.ts';
import type { FileRecord, PageRecord, RepositoryFile, ReusableContentRecord } from '../store/records.ts';
import type { Snapshot } from '../store/snapshot.ts';
import { getTexts } from '../store/texts.ts';
import type { EarlierFiles, FileRole } from './earlier-files.ts';
import type { ImportIds } from './plan.ts';
import type { Scan } from './scan.ts';
import { decodeText, type TextFile } from './text.ts';

/** The content of the last import of a source by id, and the ids by path or key in the source. */
export interface PreviousImport {
  pages: Map<string, PageRecord>;
  files: Map<string, FileRecord>;
  reusableContents: Map<string, ReusableContentRecord>;
  pageIds: Map<string, string>;
  fileIds: Map<string, string>;
  reusableIds: Map<string, string>;
  variables: JsonObject;
  repository: readonly RepositoryFile[];
}

/** Used for the first import. */
export const NO_PREVIOUS_IMPORT: PreviousImport = {
  pages: new Map(),
  files: new Map(),
  reusableContents: new Map(),
  pageIds: new Map(),
  fileIds: new Map(),
  reusableIds: new Map(),
  variables: {},
  repository: [],
};

/** The key of a page in imports: the path of its file, or a generated key. */
const keyOf = (page: PageRecord): string | undefined => page.git?.path ?? page.importKey;

export async function readPreviousImport(snapshot: Snapshot): Promise<PreviousImport> {
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
    repository: snapshot.root.repository ?? [],
  };
}

/** The files of the last import; `reader` reads their texts. */
export function earlierFilesOf(previous: PreviousImport, reader: ObjectReader): EarlierFiles {
  const contents = [...previous.pages.values(), ...previous.reusableContents.values()];
  const markdown = contents.flatMap(({ git, title }) =>
    git ? [{ path: git.path, oid: git.oid, title }] : [],
  );
  const roles = new Map<string, FileRole>();
  const texts = new Map<string, string>();
  const add = (path: string, role: FileRole, text: string | undefined) => {
    if (text === undefined) return;
    roles.set(path, role);
    texts.set(path, text);
  };
  for (const { git } of previous.pages.values()) if (git) add(git.path, 'page', git.text);
  for (const { git } of previous.reusableContents.values())
    if (git) add(git.path, 'reusable-content', git.text);
  for (const { role, path, text } of previous.repository) if (role !== 'settings') add(path, role, text);
  for (const path of previous.fileIds.keys()) roles.set(path, 'file');
  return {
    markdown,
    roles,
    async *read(paths) {
      const files = paths.map((path) => ({ path, text: texts.get(path) }));
      for await (const [path, bytes] of readTexts(reader, files)) {
        const decoded = decodeText(bytes);
        if (decoded) yield [path, { ...decoded, bytes }] satisfies [string, TextFile];
      }
    },
  };
}

/**
 * Assigns existing ids to pages, files and reusable contents, even if their Markdown file was renamed, or renamed and
 * edited, and new ids to all others. What has the same path or key always gets the same id.
 */
export function createImportIds(
  previous: PreviousImport,
  { formerPaths }: Pick<Scan, 'formerPaths'>,
  newId: () => string,
): ImportIds {
  const known = (ids: Map<string, string>) => {
    const made = new Map<string, string>();
    return (key: string) => {
      const id = ids.get(key) ?? ids.get(formerPaths.get(key) ?? '') ?? made.get(key) ?? newId();
      made.set(key, id);
      return id;
    };
  };
  return {
    pageIdOf: known(previous.pageIds),
    fileIdOf: known(previous.fileIds),
    reusableIdOf: known(previous.reusableIds),
  };
}

/** Number of texts read at once. */
const BATCH = 50;

/** Reads the texts of files at the last import, if they were stored. */
async function* readTexts(
  reader: ObjectReader,
  files: readonly { path: string; text?: string | undefined }[],
): AsyncGenerator<[path: string, content: Uint8Array]> {
  for (let start = 0; start < files.length; start += BATCH) {
    const batch = files.slice(start, start + BATCH);
    const texts = await getTexts(
      reader,
      batch.flatMap(({ text }) => text ?? []),
    );
    for (const { path, text } of batch) {
      const stored = text === undefined ? undefined : texts.get(text);
      if (stored) yield [path, Buffer.from(stored.text)];
    }
  }
}
