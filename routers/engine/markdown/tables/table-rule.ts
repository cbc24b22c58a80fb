import type { MarkdownIt, StateBlock } from 'markdown-it';
import { isAttributeList, isKramdownList } from '../../document/attribute-lists.ts';

/** What the token of a table holds: the Markdown of its cells. A row has one at least, and none that is not written. */
export type PipeRows = {
  /** 'left', 'center', 'right' or '' for each column. */
  aligns: string[];
  header: string[];
  rows: string[][];
};

type BlockRule = Parameters<MarkdownIt['block']['ruler']['push']>[1];

/**
 * Tables of pipes by the grammar of GitHub, as one token. The rule of markdown-it reads the same, but makes cells that
 * are missing at the end of rows, 65,536 a table: a kilobyte would become megabytes.
 */
export const pipeRows: BlockRule = (state, startLine, endLine, silent) => {
  if (startLine + 2 > endLine || !isInside(state, startLine + 1)) return false;
  const aligns = alignsOf(lineText(state, startLine + 1));
  if (!aligns || indentOf(state, startLine) >= 4) return false;
  const first = lineText(state, startLine).trim();
  if (!first.includes('|')) return false;
  const header = cellsOf(first);
  if (header.length === 0 || header.length !== aligns.length) return false;
  if (silent) return true;
  const rows: string[][] = [];
  const { parentType } = state;
  state.parentType = 'table';
  const endings = state.md.block.ruler.getRules('blockquote');
  let line = startLine + 2;
  for (; line < endLine && isInside(state, line); line += 1) {
    if (endings.some((rule) => rule(state, line, endLine, true))) break;
    const text = lineText(state, line).trim();
    if (text === '' || (isKramdownList(text) && isAttributeList(text))) break;
    const [only = '', ...others] = cellsOf(text).slice(0, header.length);
    // guard: decode-table-cells
    rows.push([only, ...others]);
  }
  state.parentType = parentType;
  const token = state.push('table', 'table', 0);
  token.map = [startLine, line];
  token.meta = { aligns, header, rows } satisfies PipeRows;
  state.line = line;
  return true;
};

const indentOf = (state: StateBlock, line: number): number => (state.sCount[line] ?? 0) - state.blkIndent;

/** Whether a line can belong to a table that has begun: it is neither outside its container nor indented code. */
function isInside(state: StateBlock, line: number): boolean {
  const indent = indentOf(state, line);
  return indent >= 0 && indent < 4;
}

function lineText(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}

/** The second character tells the row from an item of a list and from a heading of one dash. */
const DELIMITER = /^(?:[|:][-|: \t]|-[-|:])[-|: \t]*$/;

/** The alignments that a delimiter row gives; undefined if it is not one. */
function alignsOf(row: string): string[] | undefined {
  if (!DELIMITER.test(row)) return undefined;
  const cells = row.split('|').map((cell) => cell.trim());
  if (cells[0] === '') cells.shift();
  if (cells.at(-1) === '') cells.pop();
  if (!cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  return cells.map((cell) => {
    if (cell.endsWith(':')) return cell.startsWith(':') ? 'center' : 'right';
    return cell.startsWith(':') ? 'left' : '';
  });
}

/** The cells of a row, in which a pipe after a backslash is text. */
function cellsOf(row: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let start = 0;
  for (let pipe = row.indexOf('|'); pipe >= 0; pipe = row.indexOf('|', pipe + 1)) {
    const isEscaped = row[pipe - 1] === '\\';
    cell += row.slice(start, isEscaped ? pipe - 1 : pipe);
    start = isEscaped ? pipe : pipe + 1;
    if (isEscaped) continue;
    cells.push(cell);
    cell = '';
  }
  cells.push(cell + row.slice(start));
  if (cells[0] === '') cells.shift();
  if (cells.at(-1) === '') cells.pop();
  return cells.map((text) => text.trim());
}
