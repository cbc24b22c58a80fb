import { MAX_PAGE_DEPTH } from '../store/depth.ts';
import { sourceFileOf } from './computed-source.ts';
import { CONFIG_PATH, type ImportConfig, NO_CONFIG, parseConfig, VARIABLES_PATH } from './config.ts';
import { outlineOfFolders } from './folder-outline.ts';
import { type FrontMatter, parseVariables } from './front-matter.ts';
import { type FileIndex, findFile, indexFiles, isInRoot, locate } from './locate.ts';
import { findReadme, isPageFile, limitDepth, type OutlineNode, pathsOf } from './outline.ts';
import { readPageHead } from './page-head.ts';
import { isMarkdownPath, isWithin, joinPath } from './paths.ts';
import { scanReferences } from './references.ts';
import { type ImportNote, quote, sortNotes } from './report.ts';
import { readRepository, type ScannedFile } from './repository.ts';
import {
  type DocsSource,
  IMPORT_LIMITS,
  ImportError,
  type ImportLimits,
  type SourceEntry,
} from './source.ts';
import { parseSummary, type Summary } from './summary.ts';
import { outlineOfSummary } from './summary-outline.ts';
import { decodeText, gitBlobOid, type ReadText, type TextFile } from './text.ts';
import { noteUnusedFiles } from './unused.ts';
import { parseYaml } from './yaml.ts';

/** A Markdown file without its body, which is not needed for planning. */
export interface MarkdownFile {
  path: string;
  /** Git's SHA-1 of the file as a blob. */
  oid: string;
  /** Front matter and title heading, verbatim. */
  head: string;
  attributes: FrontMatter;
  heading?: string;
  laterHeading?: string;
}

/** The content of a documentation repository, independent of earlier imports. */
export interface Scan {
  source: DocsSource;
  limits: ImportLimits;
  config: ImportConfig;
  index: FileIndex;
  /** The table of contents, if there is one. */
  summary?: { path: string; title?: string };
  outline: OutlineNode[];
  markdown: Map<string, MarkdownFile>;
  reusableContents: string[];
  /** Files to import: all in the assets folder, and those that pages refer to. */
  files: SourceEntry[];
  variables: Record<string, string>;
  /** The text files that are neither pages nor reusable contents. */
  repository: ScannedFile[];
  notes: ImportNote[];
}

/** Number of Markdown files read concurrently: enough to keep a disk busy, but few enough to limit memory. */
const READERS = 8;

/**
 * Reads a documentation repository as far as needed to plan its import: lists its files, and reads its settings, its table of
 * contents, and the head of every page. Throws ImportError if there is nothing to import.
 */
export async function scanSource(source: DocsSource, limits: ImportLimits = IMPORT_LIMITS): Promise<Scan> {
  const notes: ImportNote[] = [];
  const entries = await listEntries(source, limits, notes);
  const read = (path: string) => readText(source, entries.get(path), path, limits);

  const config = await loadConfig(entries, read, notes);
  const index = indexFiles(entries.keys(), config.root);
  if (!index.folders.has(config.root))
    throw new ImportError(
      'root_not_found',
      `${CONFIG_PATH} names ${quote(config.root)} as root, but there is no such folder.`,
    );
  const reusableContents = [...entries.keys()].filter((path) => isReusablePath(index, path));
  const { outline, summary } = await loadOutline(index, config, read, notes);
  const variables = await loadVariables(index, read, notes);

  const markdown = new Map<string, MarkdownFile>();
  const referenced = new Set<string>();
  const pagePaths = pathsOf(outline);
  const contents = new Set([...pagePaths, ...reusableContents]);
  const pending = contents.values();
  const worker = async () => {
    for (const path of pending) {
      const entry = entries.get(path);
      const file = await read(path);
      if ('problem' in file) notes.push({ file: path, severity: 'error', message: file.problem });
      else if (entry) markdown.set(path, scanMarkdown(entry, file, index, referenced, notes));
    }
  };
  await Promise.all(Array.from({ length: READERS }, worker));
  if (pagePaths.length > 0 && markdown.size === 0 && reusableContents.length === 0)
    throw new ImportError('unreadable', `None of the pages can be read as Markdown.${firstProblem(notes)}`);
  for (const href of linkTargets(outline)) collectFile(index, href.from, href.href, referenced);

  const settings = new Set([CONFIG_PATH, summary?.path, joinPath(index.root, VARIABLES_PATH)]);
  // A Markdown file that is not in the table of contents is imported as a file if pages link to it.
  const wanted = [...entries.values()].filter(
    ({ path }) =>
      (isAsset(index, path) || referenced.has(path)) && !contents.has(path) && !settings.has(path),
  );
  const files = wanted.filter((entry) => hasFileSize(entry, limits, notes));
  const used = new Set([...wanted.map(({ path }) => path), ...contents, ...settings]);
  noteUnusedFiles(entries.keys(), used, index, notes);
  const pages = limitDepth(withoutUnreadable(outline, markdown), ({ path, key, line }) => {
    const place = line === undefined ? { file: path ?? key } : { file: summary?.path ?? key, line };
    const message = `This page is nested deeper than ${MAX_PAGE_DEPTH} levels; it follows the page it was nested in.`;
    notes.push({ ...place, severity: 'warning', message });
  });
  return {
    source,
    limits,
    config,
    index,
    summary,
    outline: pages,
    markdown,
    reusableContents: reusableContents.filter((path) => markdown.has(path)),
    files,
    variables,
    repository: await readRepository(read, index, summary?.path, pages),
    notes: sortNotes(notes),
  };
}

async function listEntries(source: DocsSource, limits: ImportLimits, notes: ImportNote[]) {
  const entries = new Map<string, SourceEntry>();
  for await (const entry of source.list()) {
    if (entry.problem !== undefined) {
      notes.push({ file: entry.path || '/', severity: 'warning', message: entry.problem });
    } else if (isTooDeep(entry.path, limits)) {
      const message = `This file is below more than ${limits.segments - 1} folders and was not imported.`;
      notes.push({ file: entry.path, severity: 'error', message });
    } else if (isMarkdownPath(entry.path) || hasFileSize(entry, limits, notes)) {
      entries.set(entry.path, entry);
      if (entries.size > limits.files)
        throw new ImportError(
          'too_many_files',
          `There are more than ${limits.files} files; import a smaller folder.`,
        );
    }
  }
  if (![...entries.keys()].some(isMarkdownPath))
    throw new ImportError('empty', `There are no Markdown files to import.${firstProblem(notes)}`);
  return entries;
}

/** The first problem with a Markdown file, as the reason why there is nothing to import. */
function firstProblem(notes: readonly ImportNote[]): string {
  const note = notes.find(({ file }) => isMarkdownPath(file));
  return note ? ` ${shortened(note.file)}: ${note.message}` : '';
}

const MAX_SHOWN_PATH = 200;

const shortened = (path: string): string =>
  path.length > MAX_SHOWN_PATH ? `${path.slice(0, MAX_SHOWN_PATH)}…` : path;

// guard: import-depth
const isTooDeep = (path: string, { segments }: ImportLimits): boolean => path.split('/').length > segments;

/** Whether a file is small enough to be imported as a file; adds a note if not. */
function hasFileSize({ path, size }: SourceEntry, { fileBytes }: ImportLimits, notes: ImportNote[]): boolean {
  if (size <= fileBytes) return true;
  const message = `This file is larger than ${megabytes(fileBytes)} and was not imported.`;
  notes.push({ file: path, severity: 'error', message });
  return false;
}

/** Reads and decodes a text file of a source, or returns why it cannot be read, as a sentence. */
export async function readText(
  source: DocsSource,
  entry: SourceEntry | undefined,
  path: string,
  limits: ImportLimits,
): Promise<TextFile | { problem: string }> {
  if (entry && entry.size > limits.textBytes)
    return { problem: `This file is larger than ${megabytes(limits.textBytes)} and was not read.` };
  let bytes: Uint8Array;
  try {
    bytes = await source.read(path);
  } catch (error) {
    // What else a damaged source contains cannot be trusted: pages could seem to have been deleted.
    if (error instanceof ImportError && error.reason !== 'damaged') return { problem: error.message };
    throw error;
  }
  if (bytes.byteLength > limits.textBytes)
    return { problem: `This file is larger than ${megabytes(limits.textBytes)} and was not read.` };
  const decoded = decodeText(bytes);
  if (decoded === undefined) return { problem: 'This file is not UTF-8 text and was not read.' };
  return { ...decoded, bytes };
}

async function loadConfig(
  entries: ReadonlyMap<string, SourceEntry>,
  read: ReadText,
  notes: ImportNote[],
): Promise<ImportConfig> {
  if (!entries.has(CONFIG_PATH)) return NO_CONFIG;
  const file = await read(CONFIG_PATH);
  if ('problem' in file) throw new ImportError('bad_configuration', `${CONFIG_PATH}: ${file.problem}`);
  const { config, notes: found } = parseConfig(file.text);
  for (const note of found) notes.push(note);
  return config;
}

async function loadOutline(index: FileIndex, config: ImportConfig, read: ReadText, notes: ImportNote[]) {
  const readme = findReadme(index, config.readme);
  if (config.readme !== undefined && readme === undefined) {
    const message = `The file ${quote(config.readme)}, set as "structure.readme", does not exist.`;
    notes.push({ file: CONFIG_PATH, severity: 'error', message });
  }
  const path = findFile(index, config.summary ?? joinPath(index.root, 'SUMMARY.md'));
  if (config.summary !== undefined && path === undefined) {
    const message = `The file ${quote(config.summary)}, set as "structure.summary", does not exist; pages follow the folders instead.`;
    notes.push({ file: CONFIG_PATH, severity: 'error', message });
  }
  const file = path === undefined ? undefined : await read(path);
  if (file && 'problem' in file)
    notes.push({
      file: path ?? '',
      severity: 'error',
      message: `${file.problem} Pages follow the folders instead.`,
    });

  if (path === undefined || !file || 'problem' in file) {
    const others = [...index.files].filter((other) => other !== path);
    return { outline: outlineOfFolders(others, index, readme), summary: undefined };
  }
  const parsed: { summary: Summary; notes: ImportNote[] } = parseSummary(file.text, path);
  const { nodes, notes: found } = outlineOfSummary(parsed.summary, path, index);
  for (const note of [...parsed.notes, ...found]) notes.push(note);
  if (readme !== undefined && isPageFile(index, readme) && !pathsOf(nodes).includes(readme)) {
    nodes.unshift({ key: readme, type: 'document', path: readme, children: [] });
    const message = 'This file is not listed in the table of contents; it became the first page.';
    notes.push({ file: readme, severity: 'info', message });
  }
  return { outline: nodes, summary: { path, title: parsed.summary.title } };
}

async function loadVariables(index: FileIndex, read: ReadText, notes: ImportNote[]) {
  const path = joinPath(index.root, VARIABLES_PATH);
  if (!index.files.has(path)) return {};
  const file = await read(path);
  const yaml = 'problem' in file ? { error: `cannot be read: ${file.problem}` } : parseYaml(file.text);
  const found = 'error' in yaml ? undefined : parseVariables(yaml.value ?? {});
  if (found === undefined) {
    const reason = 'error' in yaml ? yaml.error : 'is not a mapping of names to values';
    notes.push({ file: path, severity: 'error', message: `The file ${reason}; no variables were imported.` });
    return {};
  }
  for (const name of found.rejected) {
    const message = `The variable ${quote(name)} has no plain name or value and was left out.`;
    notes.push({ file: path, severity: 'warning', message });
  }
  return found.variables;
}

function scanMarkdown(
  { path, oid }: SourceEntry,
  file: TextFile,
  index: FileIndex,
  referenced: Set<string>,
  notes: ImportNote[],
): MarkdownFile {
  const { problems, bodyStart, attributes, heading, laterHeading } = readPageHead(
    file.text,
    isReusablePath(index, path) ? 'content' : 'title',
  );
  for (const problem of problems) notes.push({ file: path, ...problem });
  for (const href of scanReferences(file.text)) collectFile(index, path, href, referenced);
  for (const href of [attributes.cover?.light, attributes.cover?.dark])
    if (href !== undefined) collectFile(index, path, href, referenced);
  // Copied, because a slice would keep the whole text in memory.
  const head = Buffer.from(file.text.slice(0, bodyStart)).toString();
  return { path, oid: oid ?? gitBlobOid(file.bytes), head, attributes, heading, laterHeading };
}

function collectFile(index: FileIndex, from: string, href: string, into: Set<string>): void {
  const location = locate(index, from, href);
  if (location.kind === 'file') into.add(location.path);
}

function* linkTargets(nodes: OutlineNode[]): Generator<{ from: string; href: string }> {
  for (const node of nodes) {
    const href = node.href ?? sourceFileOf(node.computed);
    if (href !== undefined && node.hrefFrom !== undefined) yield { from: node.hrefFrom, href };
    yield* linkTargets(node.children);
  }
}

/** Removes pages whose file could not be read; those with children stay as empty pages. */
function withoutUnreadable(nodes: OutlineNode[], markdown: ReadonlyMap<string, MarkdownFile>): OutlineNode[] {
  return nodes.flatMap((node) => {
    const children = withoutUnreadable(node.children, markdown);
    if (node.path === undefined || markdown.has(node.path)) return [{ ...node, children }];
    return children.length > 0 ? [{ ...node, path: undefined, children }] : [];
  });
}

/**
 * Whether a file is reusable content. It may be at any depth in the root folder, which may contain several
 * documentations.
 */
function isReusablePath(index: FileIndex, path: string): boolean {
  if (!isMarkdownPath(path)) return false;
  return isInRoot(index, path)
    ? /(?:^|\/)\.gitbook\/includes\//.test(path)
    : isWithin('.gitbook/includes', path);
}

function isAsset(index: FileIndex, path: string): boolean {
  return isWithin(joinPath(index.root, '.gitbook/assets'), path);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
