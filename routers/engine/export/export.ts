/** Exports the content of a space as the files of a documentation repository: the inverse of an import. */

import type { Block, Document } from '../document/document.ts';
import { parseVariables } from '../import/front-matter.ts';
import { parseYaml } from '../import/yaml.ts';
import { getDocuments } from '../store/documents.ts';
import { createObjectBuffer, type ObjectReader } from '../store/objects.ts';
import type { FileRecord, PageRecord, RepositoryFile } from '../store/records.ts';
import { openSnapshot, type PageNode, type Snapshot } from '../store/snapshot.ts';
import { getTexts, type StoredText } from '../store/texts.ts';
import { type Layout, planLayout, walkPages } from './layout.ts';
import { normalizeLineEndings, withLineEndingsOf } from './line-endings.ts';
import { type ContentFile, writeContentFile } from './page-file.ts';
import { followsFolders, labelsIn, writeSummary } from './summary.ts';
import { editMapping, writeMapping } from './yaml-edit.ts';

/** A file of an export: text, or a stored file. Paths are relative, with `/`, and unique regardless of case. */
export type ExportedFile = { readonly path: string } & (
  | { readonly text: string }
  | { readonly file: FileRecord }
);

/** The plan of an export: plain data, so that it can be computed in any process. */
export interface ExportPlan {
  layout: Layout;
  /** The settings, table of contents and variables. */
  texts: { path: string; text: string }[];
  contents: ContentFile[];
  files: FileRecord[];
}

/**
 * Plans the export of the content under a root. Imported content keeps its files, unchanged where nobody has edited it;
 * content created in the service gets files in the same style.
 * @param generated the paths in the space of computed pages and of those generated in their place, by id
 */
export async function planExport(
  reader: ObjectReader,
  root: string,
  generated: ReadonlyMap<string, string> = new Map(),
): Promise<ExportPlan> {
  const snapshot = await openSnapshot(reader, root);
  const [tree, files, reusableContents, imported] = await Promise.all([
    snapshot.pageTree(),
    snapshot.files(),
    snapshot.reusableContents(),
    readRepository(snapshot),
  ]);
  const content = {
    tree,
    files,
    reusableContents,
    generated,
    blank: await blankPages(snapshot, tree),
    settings: imported.settings,
    summary: imported.summary?.path,
  };
  const sharesSummary = await isSummaryPageUnchanged(reader, content, imported.summary);
  const layout = planLayout({ ...content, sharesSummary });
  const contents = contentFiles(tree, layout, imported.summary).concat(
    reusableContents.map((content) => ({ content, path: layout.reusableContents.get(content.id) as string })),
  );
  return { layout, texts: repositoryTexts(snapshot, tree, layout, imported), contents, files };
}

/** Counts the files of an export. */
export const countExportFiles = ({ texts, contents, files }: ExportPlan): number =>
  texts.length + contents.length + files.length;

/** Number of pages whose objects are read together, small enough to hold little text in memory. */
const BATCH = 16;

/** Iterates over the files of an export; each is written when it is requested. */
export async function* exportFiles(
  reader: ObjectReader,
  { layout, texts, contents, files }: ExportPlan,
  write: typeof writeContentFile = writeContentFile,
): AsyncGenerator<ExportedFile, void, undefined> {
  yield* texts;
  for (let start = 0; start < contents.length; start += BATCH) {
    const batch = contents.slice(start, start + BATCH);
    const buffer = createObjectBuffer(reader);
    await buffer.read(batch.flatMap(objectsToWrite));
    for (const file of batch) yield { path: file.path, text: await write(buffer, { layout, file }) };
  }
  for (const file of files) yield { path: layout.files.get(file.id) as string, file };
}

type ImportedTexts = Partial<Record<RepositoryFile['role'], { path: string } & StoredText>>;

/** Reads the files of the imported repository that are not pages. */
async function readRepository({ root, reader }: Snapshot): Promise<ImportedTexts> {
  const { repository = [] } = root;
  const texts = await getTexts(
    reader,
    repository.map(({ text }) => text),
  );
  return Object.fromEntries(
    repository.map(({ role, path, text }) => [role, { path, ...(texts.get(text) as StoredText) }]),
  );
}

/** The ids of pages that an import created without a file and that are still empty. */
async function blankPages({ reader }: Snapshot, tree: readonly PageNode[]): Promise<Set<string>> {
  const pages = [...walkPages(tree)].flatMap(({ page }) =>
    page.type === 'document' && page.importKey !== undefined && page.git === undefined ? [page] : [],
  );
  const documents = await getDocuments(
    reader,
    pages.flatMap(({ document }) => document ?? []),
  );
  const isBlank = ({ document }: PageRecord) => {
    const stored = document === undefined ? undefined : documents.get(document);
    return stored === undefined || isEmptyDocument(stored);
  };
  return new Set(pages.filter(isBlank).map(({ id }) => id));
}

const isEmptyDocument = ({ nodes }: Document): boolean =>
  nodes.every(
    (block: Block) =>
      block.type === 'paragraph' &&
      (block.nodes ?? []).every(
        (node) => node.object === 'text' && node.leaves.every(({ text }) => text === ''),
      ),
  );

/** Whether a page was imported from the table of contents itself, and its file would be exported as it was imported. */
async function isSummaryPageUnchanged(
  reader: ObjectReader,
  content: Parameters<typeof planLayout>[0],
  summary: ImportedTexts['summary'],
): Promise<boolean> {
  if (summary === undefined) return false;
  const found = [...walkPages(content.tree)].find(({ page }) => page.git?.path === summary.path);
  if (!found) return false;
  const layout = planLayout({ ...content, sharesSummary: true });
  const { page } = found;
  const label = labelsIn(summary).get(summary.path);
  const text = await writeContentFile(reader, { layout, file: { page, path: summary.path, label } });
  return text === summary.text;
}

function contentFiles(
  tree: readonly PageNode[],
  layout: Layout,
  summary: StoredText | undefined,
): ContentFile[] {
  const labels = summary && labelsIn(summary);
  return [...walkPages(tree)].flatMap(({ page }) => {
    const path = layout.pages.get(page.id);
    if (path === undefined || path === layout.summary) return [];
    return [{ page, path, label: labels?.get(page.git?.path ?? '') }];
  });
}

/** The hashes of the objects that are needed to write a page or reusable content. */
function objectsToWrite(file: ContentFile): string[] {
  const { git, document } = 'page' in file ? file.page : file.content;
  const isEdited = document !== git?.document || git?.text === undefined;
  return [git?.text, ...(isEdited ? [document, git?.text && git.document] : [])].filter(
    (hash) => hash !== undefined,
  );
}

function repositoryTexts(
  snapshot: Snapshot,
  tree: readonly PageNode[],
  layout: Layout,
  imported: ImportedTexts,
): { path: string; text: string }[] {
  const wasImported = snapshot.root.repository !== undefined;
  const settings = imported.settings?.text ?? (wasImported ? undefined : defaultSettings(layout));
  const needsSummary = imported.summary !== undefined || !wasImported || !followsFolders(tree, layout);
  const summary = needsSummary ? writeSummary(tree, layout, imported.summary) : undefined;
  const variables = writeVariables(snapshot.variables, imported.variables?.text);
  return [
    { path: layout.settings, text: settings },
    { path: layout.summary, text: summary },
    { path: layout.variables, text: variables },
  ].flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]));
}

/** The settings of content that was not imported; they state the defaults. */
const defaultSettings = ({ pages, summary }: Layout): string => {
  const readme = [...pages.values()].find((path) => path === 'README.md');
  return writeMapping({
    root: './',
    structure: { ...(readme && { readme }), summary },
  });
};

function writeVariables(variables: object, imported: string | undefined): string | undefined {
  const wanted = new Map<string, unknown>(Object.entries(variables));
  if (imported === undefined)
    return wanted.size === 0 ? undefined : writeMapping(variables as Record<string, unknown>);
  const text = normalizeLineEndings(imported);
  const read = parseYaml(text);
  const before = 'value' in read ? (parseVariables(read.value ?? {})?.variables ?? {}) : {};
  const changes = new Map([...wanted].filter(([name, value]) => before[name] !== value));
  for (const name of Object.keys(before)) if (!wanted.has(name)) changes.set(name, undefined);
  return changes.size === 0 ? imported : withLineEndingsOf(imported, editMapping(text, changes));
}
