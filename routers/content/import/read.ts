import type { Document } from '../document/document.api.ts';
import { parseMarkdown } from '../document/markdown.ts';
import { createLinkResolver } from './links.ts';
import { describeMedia, type MediaFacts } from './media.ts';
import { readPageHead } from './page-head.ts';
import type { ImportPlan, PlannedFile, PlannedPage } from './plan.ts';
import type { ImportNote } from './report.ts';
import { readText } from './scan.ts';
import { ImportError } from './source.ts';
import { lineOf } from './text.ts';

/** Reads the body of a planned page or reusable content; `notes` are the links in it that lead nowhere. */
export async function readContent(
  plan: ImportPlan,
  { git }: Pick<PlannedPage, 'git'>,
): Promise<{ document: Document; notes: ImportNote[] }> {
  if (!git) return { document: parseMarkdown(''), notes: [] };
  const { source, limits } = plan.scan;
  const file = await readText(source, undefined, git.path, limits);
  if ('problem' in file) throw new ImportError('unreadable', `${git.path}: ${file.problem}`);
  const { text } = file;
  const isReusable = plan.targets.reusableContents.has(git.path);
  const { bodyStart } = readPageHead(text, isReusable ? 'content' : 'title');
  const notes: ImportNote[] = [];
  const resolve = createLinkResolver(plan.targets, git.path, (href, message) =>
    notes.push({ file: git.path, line: lineOf(text, href, bodyStart), severity: 'warning', message }),
  );
  return { document: parseMarkdown(text.slice(bodyStart), { resolve }), notes };
}

/** Reads a planned file: its bytes, and what is known from them. */
export async function readFile(
  plan: ImportPlan,
  file: PlannedFile,
): Promise<MediaFacts & { bytes: Uint8Array }> {
  const bytes = await plan.scan.source.read(file.path);
  if (bytes.byteLength > plan.scan.limits.fileBytes)
    throw new ImportError('too_large', `${file.path} has grown too large to be imported.`);
  return { bytes, ...describeMedia(bytes) };
}
