import type { MarkdownIt, StateBlock } from 'markdown-it';
import { readComponentTag } from '../component-tags.ts';
import { trimBlanks } from '../nodes.ts';
import { pipeRows } from '../tables/table-rule.ts';
import { mayGoOn, parseAttributes } from '../tag-attributes.ts';
import { endOfDividedTable } from './divided-tables.ts';

/** Maximum nesting of containers; deeper content is kept verbatim. A list takes two levels. */
export const MAX_LEVEL = 50;

export type BlockRule = Parameters<MarkdownIt['block']['ruler']['push']>[1];

/** Adds GitBook's extensions to CommonMark. Each rule emits flat tokens; pairing is done afterwards. */
export function installBlockRules(md: MarkdownIt): void {
  const { ruler } = md.block;
  const interrupts = ['paragraph', 'reference', 'blockquote', 'list'];
  const html = getRule(md, 'html_block');
  ruler.at('table', pipeRows, { alt: ['paragraph', 'reference'] });
  ruler.before('table', 'too_deep', tooDeep);
  ruler.before('fence', 'template_tag', templateTag, { alt: interrupts });
  ruler.before('fence', 'math_block', mathBlock, { alt: interrupts });
  ruler.before('reference', 'footnote', footnote, { alt: [] });
  ruler.before('html_block', 'details', details, { alt: interrupts });
  ruler.at('reference', keepSource(getRule(md, 'reference')));
  ruler.at('html_block', stopAtTags(html), { alt: ['paragraph', 'reference', 'blockquote'] });
}

function getRule(md: MarkdownIt, name: string): BlockRule {
  const rules = md.block.ruler.getRules('');
  const rule = rules.find((candidate) => candidate.name === name);
  if (!rule) throw new Error(`markdown-it has no block rule ${name}`);
  return rule;
}

export function lineText(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}

export function charAt(state: StateBlock, line: number): number {
  return state.src.charCodeAt((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0));
}

export function isIndentedCode(state: StateBlock, line: number): boolean {
  return (state.sCount[line] ?? 0) - state.blkIndent >= 4;
}

/** Whether a line lies outside the container in which a block begins; that block may be about to end another container. */
function isOutside(state: StateBlock, line: number, startLine: number): boolean {
  return (state.sCount[line] ?? 0) < Math.min(state.blkIndent, state.sCount[startLine] ?? 0);
}

/** Keeps the rest of a container verbatim once nesting passes the bound, so that nothing later recurses further. */
const tooDeep: BlockRule = (state, startLine, endLine, silent) => {
  if (state.level < MAX_LEVEL) return false;
  if (silent) return true;
  let line = startLine + 1;
  let last = line;
  for (; line < endLine; line += 1) {
    if (state.isEmpty(line)) continue;
    if (isOutside(state, line, startLine)) break;
    last = line + 1;
  }
  const token = state.push('verbatim', '', 0);
  token.content = state.getLines(startLine, last, state.blkIndent, false);
  token.map = [startLine, last];
  state.line = last;
  return true;
};

/** A tag's name, or `@integration/block`. */
export const TAG_NAME = /^(?:[a-zA-Z][\w-]*|@[\w-]+\/[\w-]+)/;

/** The name of the only template tag of a line, or undefined if the line is anything else. */
export function templateTagName(text: string): string | undefined {
  if (!text.startsWith('{%')) return undefined;
  const end = trimBlanks(text).length;
  const inner = text.slice(2, end - 2);
  if (end < 5 || !text.startsWith('%}', end - 2) || inner.includes('%}')) return undefined;
  return TAG_NAME.exec(inner.trimStart())?.[0];
}

const templateTag: BlockRule = (state, startLine, endLine, silent) => {
  if (charAt(state, startLine) !== 0x7b || isIndentedCode(state, startLine)) return false;
  const found = tagAt(state, startLine, endLine);
  if (!found) return false;
  if (silent) return true;
  const token = state.push('template_tag', '', 0);
  token.content = found.text;
  token.info = found.name;
  token.map = [startLine, found.end];
  state.line = found.end;
  return true;
};

/** The template tag that begins on a line, and the line after it. */
function tagAt(
  state: StateBlock,
  startLine: number,
  endLine: number,
): { text: string; name: string; end: number } | undefined {
  const first = lineText(state, startLine);
  const name = templateTagName(first);
  if (name !== undefined) return { text: trimBlanks(first), name, end: startLine + 1 };
  if (!beginsLongTag(first)) return undefined;
  // Each search ends where the next one may begin.
  for (let line = startLine + 1; line < endLine; line += 1) {
    const text = lineText(state, line);
    if (text.startsWith('{%') || (!state.isEmpty(line) && isOutside(state, line, startLine))) break;
    if (!text.includes('%}')) continue;
    const whole = trimBlanks(state.getLines(startLine, line + 1, state.blkIndent, false));
    const long = templateTagName(whole);
    const attributes = long && parseAttributes(whole.slice(2, -2).trimStart().slice(long.length));
    return attributes ? { text: whole, name: long, end: line + 1 } : undefined;
  }
  return undefined;
}

/** Whether a line may be the first of a tag whose attributes are on several lines. Conditions have no attributes. */
export function beginsLongTag(text: string): boolean {
  if (!text.startsWith('{%') || text.includes('%}')) return false;
  const inner = text.slice(2).trimStart();
  const name = TAG_NAME.exec(inner)?.[0];
  return name !== undefined && name !== 'if' && !name.startsWith('end') && mayGoOn(inner.slice(name.length));
}

const mathBlock: BlockRule = (state, startLine, endLine, silent) => {
  if (charAt(state, startLine) !== 0x24 || isIndentedCode(state, startLine)) return false;
  if (trimBlanks(lineText(state, startLine)) !== '$$') return false;
  let line = startLine + 1;
  while (line < endLine && !state.isEmpty(line) && !isOutside(state, line, startLine)) {
    if (trimBlanks(lineText(state, line)) === '$$') break;
    line += 1;
  }
  if (line >= endLine || line === startLine + 1 || trimBlanks(lineText(state, line)) !== '$$') return false;
  if (silent) return true;
  const token = state.push('math_block', '', 0);
  token.content = state.getLines(startLine + 1, line, state.blkIndent, false);
  token.map = [startLine, line + 1];
  state.line = line + 1;
  return true;
};

/** The label of a footnote; its text may be empty. */
const FOOTNOTE = /^\[\^([^\s\]]{1,200})\]:(?:[ \t]+(?=\S)|[ \t]*$)/;

const footnote: BlockRule = (state, startLine, endLine, silent) => {
  if (state.level > 0 || silent || charAt(state, startLine) !== 0x5b) return false;
  if (isIndentedCode(state, startLine)) return false;
  const text = lineText(state, startLine);
  const match = FOOTNOTE.exec(text);
  if (!match?.[1]) return false;
  let last = startLine + 1;
  for (let line = last; line < endLine; line += 1) {
    if (state.isEmpty(line)) continue;
    if ((state.sCount[line] ?? 0) < 4) break;
    last = line + 1;
  }
  const token = state.push('footnote', '', 0);
  const rest = state.getLines(startLine + 1, last, 4, false);
  token.content = text.slice(match[0].length) + (last > startLine + 1 ? `\n${rest}` : '');
  token.info = match[1];
  token.markup = state.getLines(startLine, last, 0, false);
  token.map = [startLine, last];
  const labels = state.env.footnotes;
  if (labels instanceof Set) labels.add(match[1]);
  state.line = last;
  return true;
};

const DETAILS = /^(<details(?:\s[^<>]*)?>)(<summary(?:\s[^<>]*)?>.*<\/summary>)?$/;
const SUMMARY = /^(<summary(?:\s[^<>]*)?>)(.*)<\/summary>$/;

/** `<details>` with its summary, and `</details>`, laid out as GitBook and most authors do. */
const details: BlockRule = (state, startLine, endLine, silent) => {
  if (charAt(state, startLine) !== 0x3c || isIndentedCode(state, startLine)) return false;
  const text = trimBlanks(lineText(state, startLine));
  if (text === '</details>') {
    if (silent) return true;
    const token = state.push('details_close', '', 0);
    token.content = text;
    token.map = [startLine, startLine + 1];
    state.line = startLine + 1;
    return true;
  }
  const opening = DETAILS.exec(text);
  if (!opening) return false;
  let line = startLine;
  if (!opening[2]) {
    line = state.skipEmptyLines(startLine + 1);
    if (line >= endLine || isOutside(state, line, startLine)) return false;
  }
  const summary = SUMMARY.exec(opening[2] ?? trimBlanks(lineText(state, line)));
  if (!summary) return false;
  const next = line + 1;
  if (next < endLine && !state.isEmpty(next) && !isTagLine(lineText(state, next))) return false;
  if (silent) return true;
  const token = state.push('details_open', '', 0);
  token.content = state.getLines(startLine, next, state.blkIndent, false);
  token.info = summary[2] ?? '';
  token.meta = { details: opening[1], summary: summary[1], gap: line - startLine - 1 };
  token.map = [startLine, next];
  state.line = next;
  return true;
};

function isTagLine(text: string): boolean {
  return (text.startsWith('{%') && templateTagName(text) !== undefined) || trimBlanks(text) === '</details>';
}

const OWN_END = /^<(?:(?:script|pre|style|textarea)(?=\s|>|$)|!--|\?|![A-Za-z]|!\[CDATA\[)/i;

/** An inline element other than a drawing, which begins a paragraph even on a line of its own. */
const INLINE_TAG =
  /^<(?!img [^<>]*class="gitbook-drawing")(?:a|b|button|code|del|em|i|img|kbd|mark|picture|s|span|strong|sub|sup)(?=[\s>])/;

/** An HTML block that lasts until a blank line must not swallow `{% endtab %}` or `</details>` on its next line. */
function stopAtTags(original: BlockRule): BlockRule {
  return (state, startLine, endLine, silent) => {
    if (charAt(state, startLine) !== 0x3c || INLINE_TAG.test(lineText(state, startLine))) return false;
    if (silent || OWN_END.test(lineText(state, startLine)))
      return original(state, startLine, endLine, silent);
    // Its end is only looked for if the first line begins HTML at all: each line of a text could be a tag that does not.
    const isHtml = original(state, startLine, startLine + 1, false);
    if (isHtml) state.tokens.pop();
    const tagEnd = isHtml ? startLine + 1 : endOfComponentTag(state, startLine, endLine);
    if (tagEnd === undefined) return false;
    const end = endOfCompactDetails(state, startLine, endLine) ?? endOfHtml(state, tagEnd - 1, endLine);
    const token = state.push('html_block', '', 0);
    token.content = state.getLines(startLine, end, state.blkIndent, true);
    token.map = [startLine, end];
    state.line = end;
    return true;
  };
}

/** The line after the tag of a component of MDX, whose attributes HTML may not have, that has its lines to itself. */
function endOfComponentTag(state: StateBlock, startLine: number, endLine: number): number | undefined {
  const tag = readComponentTag(state.src, (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0));
  if (!tag) return undefined;
  let line = startLine;
  for (; line < endLine && (state.eMarks[line] ?? 0) < tag.end; line += 1)
    // What a condition hides must not be shown because its tag could be JavaScript.
    // guard: component-tag-conditions
    if (isTagLine(lineText(state, line + 1))) return undefined;
  const isAlone = line < endLine && state.src.slice(tag.end, state.eMarks[line]).trim() === '';
  return isAlone && !isOutside(state, line, startLine) ? line + 1 : undefined;
}

const MARKDOWN_ATTRIBUTE = /\smarkdown(?:=(?:"(?:1|block|span)"|'(?:1|block|span)'|1|block|span))?(?=[\s>])/;

/**
 * Whether a line is a start tag with the attribute by which Python-Markdown and kramdown read what is in the element as Markdown,
 * even without a blank line.
 */
function beginsMarkdown(line: string): boolean {
  const tag = trimBlanks(line);
  const isTag = /^<[a-zA-Z]/.test(tag) && tag.indexOf('>') === tag.length - 1 && tag.lastIndexOf('<') === 0;
  return isTag && MARKDOWN_ATTRIBUTE.test(tag);
}

/** The line after HTML that begins on a line, which does not go on after the container: every item of a list may begin with HTML. */
function endOfHtml(state: StateBlock, startLine: number, endLine: number): number {
  const isContent = (line: number) =>
    line < endLine && (state.sCount[line] ?? 0) >= state.blkIndent && !isTagLine(lineText(state, line));
  const next = (line: number) =>
    endOfDividedTable(state, line, isContent) ?? endOfStyles(state, line, isContent) ?? line + 1;
  let end = next(startLine);
  while (!beginsMarkdown(lineText(state, end - 1)) && isContent(end) && !state.isEmpty(end)) end = next(end);
  return end;
}

/** Whether a style sheet begins on a line and does not end there. */
function beginsStyles(line: string): boolean {
  const text = line.toLowerCase();
  const start = text.lastIndexOf('<style');
  return start >= 0 && /^<style(?:[\s>]|$)/.test(text.slice(start)) && !text.includes('</style>', start);
}

/**
 * The line after a style sheet that begins on a line, in other HTML, and goes on after a blank one, as in tables that pandas writes.
 * To CommonMark, what follows the blank line is the next block; but browsers show nothing of it.
 * @param isContent whether a line that is not blank may be part of a block of HTML
 */
function endOfStyles(
  state: StateBlock,
  startLine: number,
  isContent: (line: number) => boolean,
): number | undefined {
  if (!beginsStyles(lineText(state, startLine))) return undefined;
  for (let line = startLine + 1; line < startLine + MAX_SEARCHED_LINES; line += 1) {
    if (!isContent(line) && !state.isEmpty(line)) return undefined;
    if (/<\/style>/i.test(lineText(state, line))) return line + 1;
  }
  return undefined;
}

const DETAILS_TAG = /<(\/?)details(?=[\s>])/g;

/** Maximum number of lines that are searched for the end of `<details>` or `<style>`, since each of them may begin another. */
const MAX_SEARCHED_LINES = 100;

/** The line after `<details>` whose end no blank line separates from it; undefined if there are none, or a tag is between them. */
function endOfCompactDetails(state: StateBlock, startLine: number, endLine: number): number | undefined {
  if (!lineText(state, startLine).startsWith('<details')) return undefined;
  const last = Math.min(endLine, startLine + MAX_SEARCHED_LINES);
  let depth = 0;
  for (let line = startLine; line < last && !state.isEmpty(line); line += 1) {
    const text = lineText(state, line);
    if (text.startsWith('{%')) return undefined;
    if (text.includes('details'))
      for (const [, slash] of text.matchAll(DETAILS_TAG)) depth += slash === '' ? 1 : -1;
    if (depth <= 0) return line > startLine && depth === 0 ? line + 1 : undefined;
  }
  return undefined;
}

/** Gives the token of a link definition the text of the definition. */
function keepSource(original: BlockRule): BlockRule {
  return (state, startLine, endLine, silent) => {
    if (!original(state, startLine, endLine, silent)) return false;
    const token = state.tokens.at(-1);
    if (!silent && token?.type === 'reference_definition') {
      token.content = state.getLines(startLine, state.line, state.blkIndent, false);
    }
    return true;
  };
}
