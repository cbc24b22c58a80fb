import type { MarkdownIt, StateBlock } from 'markdown-it';
import { INDENT, parseAdmonitionLine, parseTabLine } from '../mkdocs.ts';
import { type BlockRule, charAt, isIndentedCode, lineText } from './block-rules.ts';

/** Adds the admonitions and tabs of MkDocs to a parser. */
export function installMkdocsRules(md: MarkdownIt): void {
  const options = { alt: ['paragraph', 'reference', 'blockquote', 'list'] };
  md.block.ruler.before('fence', 'admonition', admonition, options);
  md.block.ruler.before('fence', 'content_tabs', contentTabs, options);
}

/** An admonition with content. */
const admonition: BlockRule = (state, startLine, endLine, silent) => {
  const char = charAt(state, startLine);
  if ((char !== 0x21 && char !== 0x3f) || isIndentedCode(state, startLine)) return false;
  const line = parseAdmonitionLine(lineText(state, startLine));
  const end = line && endOfContent(state, startLine, endLine);
  if (!line || end === undefined) return false;
  if (!silent) tokenizeIndented(state, 'admonition', startLine, end);
  return true;
};

/** Tabs with content, one after the other. */
const contentTabs: BlockRule = (state, startLine, endLine, silent) => {
  const tabAt = (line: number): number | undefined =>
    charAt(state, line) === 0x3d && parseTabLine(lineText(state, line)) !== undefined
      ? endOfContent(state, line, endLine)
      : undefined;
  if (isIndentedCode(state, startLine)) return false;
  let end = tabAt(startLine);
  if (end === undefined) return false;
  if (silent) return true;
  const open = state.push('content_tabs_open', '', 1);
  for (let line = startLine; end !== undefined; ) {
    tokenizeIndented(state, 'content_tab', line, end);
    open.map = [startLine, end];
    line = state.skipEmptyLines(end);
    const follows = line < endLine && state.sCount[line] === state.sCount[startLine];
    end = follows ? tabAt(line) : undefined;
  }
  state.push('content_tabs_close', '', -1);
  return true;
};

/** The line after the content that is indented below a line; undefined if there is none. */
function endOfContent(state: StateBlock, startLine: number, endLine: number): number | undefined {
  const indent = (state.sCount[startLine] ?? 0) + INDENT;
  let end: number | undefined;
  for (let line = startLine + 1; line < endLine; line += 1) {
    if (state.isEmpty(line)) continue;
    if ((state.sCount[line] ?? 0) < indent) break;
    end = line + 1;
  }
  return end;
}

/** Emits tokens for the blocks that are indented below a line, between those of their container. */
function tokenizeIndented(state: StateBlock, name: string, startLine: number, end: number): void {
  const { blkIndent, lineMax, parentType } = state;
  const open = state.push(`${name}_open`, '', 1);
  open.content = lineText(state, startLine);
  open.map = [startLine, end];
  state.blkIndent = (state.sCount[startLine] ?? 0) + INDENT;
  state.lineMax = end;
  state.parentType = 'blockquote';
  state.md.block.tokenize(state, startLine + 1, end);
  state.push(`${name}_close`, '', -1);
  Object.assign(state, { blkIndent, lineMax, parentType });
  state.line = end;
}
