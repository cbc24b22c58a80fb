import type { Block, ContentRef } from '../../document/document.ts';
import { endsIndented } from '../mkdocs.ts';
import { blocksOf, formatOf, leafText, numberIn, stringIn } from '../nodes.ts';
import { syntaxIn, titleIn, withTitle } from '../parse/fence-info.ts';
import { ruleOfType, writeTag } from '../tags.ts';
import { clamp, isList, MAX_GAP } from './gaps.ts';

/** A code block, indented or fenced, in a `code` tag if it has properties that Markdown lacks. */
export function writeCode(
  block: Block,
  previous: Block | undefined,
  hrefOf: (ref: ContentRef) => string,
): string {
  const format = formatOf(block);
  const lines = blocksOf(block.nodes).map((line) => writeCodeLine(line));
  const syntax = stringIn(block.data, 'syntax') ?? '';
  const info = infoOf(block, syntax);
  const rule = ruleOfType('code');
  const isTitled = info !== undefined && titleIn(info) !== undefined;
  const data = isTitled ? { ...block.data, title: undefined } : (block.data ?? {});
  const tag = rule ? writeTag(rule, { ...block, data }, hrefOf, stringIn(format, 'tag')) : '';
  const isTagged = tag !== '{% code %}' || format.tag !== undefined;
  // It would belong to a list above it, to what is indented as in MkDocs, or to other code.
  const wouldJoin =
    previous !== undefined &&
    (isList(previous) ||
      endsIndented(previous) ||
      (previous.type === 'code' && formatOf(previous).indented === true));
  if (format.indented === true && !isTagged && isIndentable(lines) && syntax === '' && !wouldJoin)
    return lines.map((line) => (line === '' ? '' : `    ${line}`)).join('\n');
  const words = info ?? escapeInfo(syntax);
  const text = lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  const fence = fenceFor(text, words, stringIn(format, 'fence'));
  const code = `${fence}${words}\n${text}${fence}`;
  if (!isTagged) return code;
  const blanks = (name: string) => '\n'.repeat(clamp(numberIn(format, name) ?? 0, 0, MAX_GAP) + 1);
  return `${tag}${blanks('gap')}${code}${blanks('after')}{% endcode %}`;
}

/** What followed the fence, if it still gives the language, and with the title if it gave one; undefined otherwise. */
function infoOf({ data, format }: Block, syntax: string): string | undefined {
  const info = stringIn(format, 'info');
  if (info === undefined || info.includes('\n') || syntaxIn(info) !== syntax) return undefined;
  return titleIn(info) === undefined ? info : withTitle(info, stringIn(data, 'title'));
}

function isIndentable(lines: readonly string[]): boolean {
  return (
    /\S/.test(lines[0] ?? '') && /\S/.test(lines.at(-1) ?? '') && !lines.some((line) => line.includes('\n'))
  );
}

function escapeInfo(syntax: string): string {
  return syntax
    .replace(/\s/g, '')
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '\\\\')
    .replace(/&(?=#?[a-zA-Z0-9]+;)/g, '\\&');
}

function writeCodeLine(line: Block): string {
  let text = '';
  for (const node of line.nodes ?? []) {
    if (node.object === 'inline' && node.type === 'expression') {
      text += `<code class="expression">${stringIn(node.data, 'expression') ?? ''}</code>`;
    } else text += leafText([node]);
  }
  return text;
}

/** A fence that no line of the code closes. */
function fenceFor(text: string, info: string, written: string | undefined): string {
  const isValid = written !== undefined && /^(?:`{3,}|~{3,})$/.test(written) && written.length < 1000;
  const char = isValid ? written.charAt(0) : '`';
  const used = char === '`' && info.includes('`') ? '~' : char;
  let longest = 0;
  const closing = used === '`' ? /^ {0,3}`{3,}(?=[ \t]*$)/gm : /^ {0,3}~{3,}(?=[ \t]*$)/gm;
  for (const line of (text.includes(used) && text.match(closing)) || [])
    longest = Math.max(longest, line.trimStart().length);
  return used.repeat(Math.max(isValid ? written.length : 3, longest + (longest > 0 ? 1 : 0)));
}
