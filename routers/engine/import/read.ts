import type { Document } from '../document/document.ts';
import { invalidConditions, invalidExpressions, isShownAsWritten } from '../expressions/problems.ts';
import { scriptUrlsIn } from '../links/script-urls.ts';
import { parseMarkdown } from '../markdown/markdown.ts';
import { stringIn } from '../markdown/nodes.ts';
import { publishedRawBlock } from '../markdown/published/published-raw.ts';
import { walkBlocks } from '../markdown/walk.ts';
import { LineFinder } from './line-finder.ts';
import { createLinkResolver } from './links.ts';
import { describeMedia, type MediaMetadata } from './media.ts';
import { readPageHead } from './page-head.ts';
import type { ImportPlan, PlannedFile, PlannedPage } from './plan.ts';
import { readText } from './read-text.ts';
import { type ImportNote, quote, scriptUrlMessage } from './report.ts';
import { ImportError } from './source.ts';
import { decodeVerbatim, type TextFile } from './text.ts';

/**
 * Reads and parses the body of a planned page or reusable content, from the text of the last import if its file can no longer
 * be read. `notes` reports broken links and conditions that cannot
 * be evaluated, without duplicates; `text` is the whole file verbatim.
 */
export async function readContent(
  plan: ImportPlan,
  { git }: Pick<PlannedPage, 'git'>,
  earlierText?: TextFile,
): Promise<{ document: Document; notes: ImportNote[]; text?: string }> {
  if (!git) return { document: parseMarkdown(''), notes: [] };
  const { source, limits } = plan.scan;
  const file = earlierText ?? (await readText(source, undefined, git.path, limits));
  if ('problem' in file) throw new ImportError('unreadable', `${git.path}: ${file.problem}`);
  const { text, usesCrlf } = file;
  // The head is the same as in the scan, unless the file has changed since.
  const isReusable = plan.targets.reusableContents.has(git.path);
  const bodyStart = text.startsWith(git.head)
    ? git.head.length
    : readPageHead(text, isReusable ? 'content' : 'title').bodyStart;
  const lineFinder = () => new LineFinder(text, bodyStart);
  const linkLines = lineFinder();
  const notes = new Map<string, ImportNote>();
  const resolve = createLinkResolver(plan.targets, git.path, (href, message) => {
    if (notes.has(href)) return;
    notes.set(href, {
      file: git.path,
      line: linkLines.lineOfLink(href),
      severity: 'warning',
      message,
    });
  });
  const body = text.slice(bodyStart);
  const document = parseMarkdown(usesCrlf ? body.replaceAll('\n', '\r\n') : body, { resolve });
  const conditionLines = lineFinder();
  const conditions = [...invalidConditions(document)].map(([expression, problem]): ImportNote => {
    const message = `The condition ${quote(expression)} cannot be evaluated, so its content is hidden from everybody. ${problem}`;
    return { file: git.path, line: conditionLines.lineOf(expression), severity: 'warning', message };
  });
  const expressionLines = lineFinder();
  const expressions = [...invalidExpressions(document)].map(([expression, problem]): ImportNote => {
    const isShown = isShownAsWritten(expression);
    const result = isShown ? 'it is shown as it is written' : 'nothing is shown for it';
    const message = `The expression ${quote(expression)} cannot be evaluated, so ${result}. ${problem}`;
    const line = expressionLines.lineOf(expression);
    return { file: git.path, line, severity: isShown ? 'info' : 'warning', message };
  });
  const tableLines = lineFinder();
  const tables = [...unreadableTables(document)].map((source): ImportNote => {
    const message = 'The table is shown as its source, since it cannot be shown as a table.';
    return { file: git.path, line: tableLines.lineOf(source), severity: 'warning', message };
  });
  const scriptLines = lineFinder();
  const scripts = [...scriptUrlsIn(document)].map((url): ImportNote => {
    const line = scriptLines.lineOfLink(url.slice(0, MAX_SEARCHED));
    return { file: git.path, line, severity: 'warning', message: scriptUrlMessage(url) };
  });
  return {
    document,
    notes: [...notes.values(), ...conditions, ...expressions, ...tables, ...scripts],
    text: decodeVerbatim(file.bytes),
  };
}

/** How many characters of a table or a URL are looked for in its file. */
const MAX_SEARCHED = 200;

/** The beginnings of the tables that readers get as their source, without duplicates. */
function unreadableTables({ nodes }: Document): Set<string> {
  const found = new Set<string>();
  walkBlocks(nodes, (node) => {
    const markdown = node.type === 'markdown' ? stringIn(node.data, 'markdown') : undefined;
    if (markdown === undefined || !/<table[\s>]/i.test(markdown)) return;
    if (publishedRawBlock(node).some(({ type }) => type === 'code'))
      found.add(markdown.slice(0, MAX_SEARCHED));
  });
  return found;
}

/** Reads the bytes of a planned file, with its metadata. */
export async function readFile(
  plan: ImportPlan,
  file: PlannedFile,
): Promise<MediaMetadata & { bytes: Uint8Array }> {
  const bytes = await plan.scan.source.read(file.path);
  if (bytes.byteLength > plan.scan.limits.fileBytes)
    throw new ImportError('too_large', `${file.path} has grown too large to be imported.`);
  return { bytes, ...describeMedia(bytes) };
}
