import { MAX_PAGE_DEPTH } from '../store/depth.ts';
import { sourceFileOf } from './computed-source.ts';
import {
  CONFIG_PATH,
  type ImportConfig,
  NO_CONFIG,
  parseSettings,
  settingsPathIn,
  VARIABLES_PATH,
} from './config.ts';
import { type EarlierFiles, type FileRole, NO_EARLIER_FILES } from './earlier-files.ts';
import { outlineOfFolders } from './folder-outline.ts';
import { listEntries } from './list-entries.ts';
import { type FileIndex, findFile, indexFiles } from './locate.ts';
import { collectFile, isReusablePath, type MarkdownFile, readMarkdown } from './markdown-files.ts';
import { findReadme, isPageFile, limitDepth, type OutlineNode, pathsOf } from './outline.ts';
import { isWithin, joinPath } from './paths.ts';
import { type ImportNote, quote, sortNotes } from './report.ts';
import { readRepository, type ScannedFile } from './repository.ts';
import {
  type DocsSource,
  IMPORT_LIMITS,
  ImportError,
  type ImportLimits,
  type SourceEntry,
} from './source.ts';
import { canImport, readSettingFile, type SourceFiles } from './source-files.ts';
import { parseSummary, type Summary } from './summary.ts';
import { outlineOfSummary } from './summary-outline.ts';
import type { ReadText } from './text.ts';
import { noteUnreadable } from './unreadable.ts';
import { noteUnusedFiles } from './unused.ts';
import { loadVariables } from './variables.ts';

/** The content of a documentation repository. */
export interface Scan {
  source: DocsSource;
  limits: ImportLimits;
  /** The last import, which has the content of the files in `kept`. */
  earlier: EarlierFiles;
  /** The files that can no longer be read, and are imported as before, by path. */
  kept: ReadonlyMap<string, FileRole>;
  /** The paths at the last import of the Markdown files that were renamed since, by path. */
  formerPaths: ReadonlyMap<string, string>;
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

/**
 * Reads a documentation repository as far as needed to plan its import: lists its files, and reads its settings, its table of
 * contents, and the head of every page. A file that cannot be read counts as unchanged if `earlier` has it. Throws ImportError
 * if there is nothing to import.
 */
export async function scanSource(
  source: DocsSource,
  limits: ImportLimits = IMPORT_LIMITS,
  earlier: EarlierFiles = NO_EARLIER_FILES,
): Promise<Scan> {
  const notes: ImportNote[] = [];
  const { entries, problems } = await listEntries(source, limits, earlier, notes);
  const files: SourceFiles = { source, limits, earlier, entries, problems, kept: new Map() };
  const readSetting: ReadText = (path) => readSettingFile(files, path);

  const settingsPath = settingsPathIn(entries) ?? CONFIG_PATH;
  const config = await loadConfig(files, settingsPath, readSetting, notes);
  const index = indexFiles(entries.keys(), config.root);
  if (!index.folders.has(config.root))
    throw new ImportError(
      'root_not_found',
      `${settingsPath} names ${quote(config.root)} as root, but there is no such folder.`,
    );
  const reusableContents = [...entries.keys()].filter((path) => isReusablePath(index, path));
  const { outline, summary } = await loadOutline(
    index,
    { ...config, path: settingsPath },
    readSetting,
    notes,
  );
  const variables = await loadVariables(files, joinPath(index.root, VARIABLES_PATH), notes);

  const { markdown, referenced, formerPaths } = await readMarkdown(
    files,
    index,
    { outline, reusableContents },
    notes,
  );
  for (const href of linkTargets(outline)) collectFile(index, href.from, href.href, referenced);

  // A file that was imported as one, and now is to be a page but cannot be read as Markdown, is not lost.
  const contents = new Set(
    [...pathsOf(outline), ...reusableContents].filter(
      (path) => markdown.has(path) || earlier.roles.get(path) !== 'file',
    ),
  );
  const settings = new Set([settingsPath, summary?.path, joinPath(index.root, VARIABLES_PATH)]);
  // A Markdown file that is not in the table of contents is imported as a file if pages link to it.
  const wanted = [...entries.values()].filter(
    ({ path }) =>
      (isAsset(index, path) || referenced.has(path)) && !contents.has(path) && !settings.has(path),
  );
  const imported = wanted.filter((entry) => canImport(files, entry));
  const used = new Set([...wanted.map(({ path }) => path), ...contents, ...settings]);
  const listed = [...entries.values()].flatMap(({ path, problem }) => (problem === undefined ? [path] : []));
  noteUnusedFiles(listed, used, index, notes);
  noteUnreadable(files, formerPaths, notes);
  const pages = limitDepth(withoutUnreadable(outline, markdown), ({ path, key, line }) => {
    const place = line === undefined ? { file: path ?? key } : { file: summary?.path ?? key, line };
    const message = `This page is nested deeper than ${MAX_PAGE_DEPTH} levels; it follows the page it was nested in.`;
    notes.push({ ...place, severity: 'warning', message });
  });
  return {
    source,
    limits,
    earlier,
    kept: files.kept,
    formerPaths,
    config,
    index,
    summary,
    outline: pages,
    markdown,
    reusableContents: reusableContents.filter((path) => markdown.has(path)),
    files: imported,
    variables,
    repository: await readRepository(
      readSetting,
      index,
      { settings: settingsPath, summary: summary?.path },
      pages,
    ),
    notes: sortNotes(notes),
  };
}

async function loadConfig(
  { entries, problems }: SourceFiles,
  path: string,
  read: ReadText,
  notes: ImportNote[],
): Promise<ImportConfig> {
  const problem = problems.get(path);
  if (problem) throw new ImportError('bad_configuration', `${path}: ${problem.message}`);
  if (!entries.has(path)) return NO_CONFIG;
  const file = await read(path);
  if ('problem' in file) throw new ImportError('bad_configuration', `${path}: ${file.problem}`);
  const { config, notes: found } = parseSettings(path, file.text);
  for (const note of found) notes.push(note);
  return config;
}

async function loadOutline(
  index: FileIndex,
  config: ImportConfig & { path: string },
  read: ReadText,
  notes: ImportNote[],
) {
  const readme = findReadme(index, config.readme);
  if (config.readme !== undefined && readme === undefined) {
    const message = `The file ${quote(config.readme)}, set as "structure.readme", does not exist.`;
    notes.push({ file: config.path, severity: 'error', message });
  }
  const path = findFile(index, config.summary ?? joinPath(index.root, 'SUMMARY.md'));
  if (config.summary !== undefined && path === undefined) {
    const message = `The file ${quote(config.summary)}, set as "structure.summary", does not exist; pages follow the folders instead.`;
    notes.push({ file: config.path, severity: 'error', message });
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

function* linkTargets(nodes: OutlineNode[]): Generator<{ from: string; href: string }> {
  for (const node of nodes) {
    const href = node.href ?? sourceFileOf(node.computed);
    if (href !== undefined && node.hrefFrom !== undefined) yield { from: node.hrefFrom, href };
    yield* linkTargets(node.children);
  }
}

/**
 * Removes pages whose file could not be read, and folders with only such pages; those with other pages below them stay as
 * empty pages.
 */
function withoutUnreadable(nodes: OutlineNode[], markdown: ReadonlyMap<string, MarkdownFile>): OutlineNode[] {
  return nodes.flatMap((node) => {
    const children = withoutUnreadable(node.children, markdown);
    const isFolder = node.path === undefined && node.line === undefined && node.children.length > 0;
    if (isFolder && children.length === 0) return [];
    if (node.path === undefined || markdown.has(node.path)) return [{ ...node, children }];
    return children.length > 0 ? [{ ...node, path: undefined, children }] : [];
  });
}

function isAsset(index: FileIndex, path: string): boolean {
  return isWithin(joinPath(index.root, '.gitbook/assets'), path);
}
