import type { RepositoryFile } from '../store/records.ts';
import type { StoredText } from '../store/texts.ts';
import { VARIABLES_PATH } from './config.ts';
import type { FileIndex } from './locate.ts';
import type { OutlineNode } from './outline.ts';
import { joinPath } from './paths.ts';
import type { ReadText } from './text.ts';
import { decodeVerbatim } from './text.ts';

/** A text file of a source that is neither a page nor reusable content. */
export type ScannedFile = Pick<RepositoryFile, 'role' | 'path'> & StoredText;

/** Reads the settings, table of contents and variables of a source verbatim, so that an export can return them unchanged. */
export async function readRepository(
  read: ReadText,
  index: FileIndex,
  { settings, summary }: { settings: string; summary: string | undefined },
  outline: readonly OutlineNode[],
): Promise<ScannedFile[]> {
  const paths = {
    settings,
    summary,
    variables: joinPath(index.root, VARIABLES_PATH),
  };
  const found: ScannedFile[] = [];
  for (const role of ['settings', 'summary', 'variables'] as const) {
    const path = paths[role];
    if (path === undefined || !index.files.has(path)) continue;
    const file = await read(path);
    if ('problem' in file) continue;
    const text = decodeVerbatim(file.bytes);
    found.push({ role, path, text, ...(role === 'summary' && { entries: entriesOf(outline) }) });
  }
  return found;
}

/** Collects the lines of a table of contents that became pages, with the keys of the pages. */
function entriesOf(
  nodes: readonly OutlineNode[],
  into: (readonly [line: number, key: string])[] = [],
): (readonly [line: number, key: string])[] {
  for (const node of nodes) {
    if (node.line !== undefined) into.push([node.line, node.key]);
    entriesOf(node.children, into);
  }
  return into;
}
