import type { FileRole } from './earlier-files.ts';
import { findFormerPaths } from './former-paths.ts';
import type { FrontMatter } from './front-matter.ts';
import { type FileIndex, isInRoot, locate } from './locate.ts';
import type { OutlineNode } from './outline.ts';
import { readPageHead } from './page-head.ts';
import { isMarkdownPath, isWithin } from './paths.ts';
import { scanReferences } from './references.ts';
import type { ImportNote } from './report.ts';
import { ImportError, type SourceEntry } from './source.ts';
import { noteMissing, readTextFile, type SourceFiles } from './source-files.ts';
import { gitBlobOid, type TextFile } from './text.ts';
import { firstProblem } from './unreadable.ts';

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

/** Number of Markdown files read concurrently: enough to keep a disk busy, but few enough to limit memory. */
const READERS = 8;

/** The pages and reusable contents of a source. */
interface MarkdownPaths {
  outline: readonly OutlineNode[];
  reusableContents: readonly string[];
}

interface ReadMarkdown {
  /** By path. */
  markdown: Map<string, MarkdownFile>;
  /** The paths of the files that they refer to. */
  referenced: Set<string>;
  /** The paths at the last import of those that were renamed since, by path. */
  formerPaths: Map<string, string>;
}

/**
 * Reads the heads of pages and reusable contents, and which files they refer to. Those that can no longer be read stay as they
 * were at the last import. Throws ImportError if no page can be read.
 */
export async function readMarkdown(
  files: SourceFiles,
  index: FileIndex,
  paths: MarkdownPaths,
  notes: ImportNote[],
): Promise<ReadMarkdown> {
  const { earlier, entries, kept, problems } = files;
  const markdown = new Map<string, MarkdownFile>();
  const referenced = new Set<string>();
  const titles = titlesOf(paths.outline);
  const roles = new Map<string, FileRole>();
  for (const path of titles.keys()) roles.set(path, 'page');
  for (const path of paths.reusableContents) roles.set(path, 'reusable-content');
  const unreadable: string[] = [];
  const pending = roles.keys();
  const worker = async () => {
    for (const path of pending) {
      const entry = entries.get(path);
      const file = await readTextFile(files, path);
      if ('problem' in file) unreadable.push(path);
      else if (entry)
        markdown.set(path, scanMarkdown(entry, file, titles.get(path), index, referenced, notes));
    }
  };
  await Promise.all(Array.from({ length: READERS }, worker));
  if (titles.size > 0 && markdown.size === 0 && paths.reusableContents.length === 0)
    throw new ImportError(
      'unreadable',
      `None of the pages can be read as Markdown.${firstProblem(problems)}`,
    );
  for (const path of unreadable) noteMissing(problems, path);

  /** Reads files as they were at the last import, each at its path there. */
  const keep = async (pathsByFormer: ReadonlyMap<string, string>) => {
    for await (const [former, file] of earlier.read([...pathsByFormer.keys()])) {
      const path = pathsByFormer.get(former) as string;
      kept.set(path, roles.get(path) as FileRole);
      // Without the blob id in the listing, which is that of the new version.
      markdown.set(path, scanMarkdown({ path }, file, titles.get(path), index, referenced, notes));
    }
  };
  const hasRole = (path: string, former: string) => earlier.roles.get(former) === roles.get(path);
  await keep(new Map(unreadable.flatMap((path) => (hasRole(path, path) ? [[path, path]] : []))));
  const lost = unreadable
    .filter((path) => !markdown.has(path))
    .map((path) => ({ path, title: titles.get(path) }));
  const formerPaths = await findFormerPaths(files, markdown, lost, hasRole);
  await keep(
    new Map(
      lost.flatMap(({ path }) => {
        const former = formerPaths.get(path);
        return former === undefined ? [] : [[former, path]];
      }),
    ),
  );
  return { markdown, referenced, formerPaths };
}

/** The paths of all pages of an outline, each with its title in the table of contents. */
function titlesOf(
  nodes: readonly OutlineNode[],
  into = new Map<string, string | undefined>(),
): Map<string, string | undefined> {
  for (const { path, title, children } of nodes) {
    if (path !== undefined) into.set(path, title);
    titlesOf(children, into);
  }
  return into;
}

function scanMarkdown(
  { path, oid }: Pick<SourceEntry, 'path' | 'oid'>,
  file: TextFile,
  label: string | undefined,
  index: FileIndex,
  referenced: Set<string>,
  notes: ImportNote[],
): MarkdownFile {
  const { problems, bodyStart, attributes, heading, laterHeading } = readPageHead(
    file.text,
    isReusablePath(index, path) ? 'content' : 'title',
    label,
  );
  for (const problem of problems) notes.push({ file: path, ...problem });
  for (const href of scanReferences(file.text)) collectFile(index, path, href, referenced);
  for (const href of [attributes.cover?.light, attributes.cover?.dark])
    if (href !== undefined) collectFile(index, path, href, referenced);
  // Copied, because a slice would keep the whole text in memory.
  const head = Buffer.from(file.text.slice(0, bodyStart)).toString();
  return { path, oid: oid ?? gitBlobOid(file.bytes), head, attributes, heading, laterHeading };
}

/** Adds the file that a link in the file `from` leads to. */
export function collectFile(index: FileIndex, from: string, href: string, into: Set<string>): void {
  const location = locate(index, from, href);
  if (location.kind === 'file') into.add(location.path);
}

/**
 * Whether a file is reusable content. It may be at any depth in the root folder, which may contain several
 * documentations.
 */
export function isReusablePath(index: FileIndex, path: string): boolean {
  if (!isMarkdownPath(path)) return false;
  return isInRoot(index, path)
    ? /(?:^|\/)\.gitbook\/includes\//.test(path)
    : isWithin('.gitbook/includes', path);
}
