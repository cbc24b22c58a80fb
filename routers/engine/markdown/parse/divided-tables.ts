/**
 * HTML tables with blank lines in them. To CommonMark, HTML ends at a blank line, and what follows is the next block; but as long
 * as that is HTML, too, browsers show one table.
 */

import type { StateBlock } from 'markdown-it';
import { contentLines, LINE_BEGINNING, pairTags } from './tag-pairs.ts';

const TABLE_TAG = /<(\/?)table(?=[\s>])/gi;
const CODE_TAG = /<(\/?)pre(?=[\s>])/gi;
const BEGINS_HTML = /^[ \t]*<[a-zA-Z/!]/;

interface TableTag {
  name: 'table';
  isClose: boolean;
  line: number;
}

/** By the line on which a table begins, the later one on which it ends; not the tables in tables. */
const tablesByState = new WeakMap<StateBlock, ReadonlyMap<number, number>>();

function tablesIn(state: StateBlock): ReadonlyMap<number, number> {
  let tables = tablesByState.get(state);
  if (!tables) {
    tables = findTables(state.src);
    tablesByState.set(state, tables);
  }
  return tables;
}

function findTables(source: string): Map<number, number> {
  const tables = new Map<number, number>();
  if (!/<\/table[\s>]/i.test(source)) return tables;
  const tags = [...contentLines(source.split('\n'), LINE_BEGINNING)].flatMap(({ number, line }) =>
    Array.from(
      line.matchAll(TABLE_TAG),
      ([, slash]): TableTag => ({ name: 'table', isClose: slash !== '', line: number }),
    ),
  );
  const partners = pairTags(tags);
  let last: TableTag | undefined;
  for (const tag of tags) {
    if (tag === last) last = undefined;
    if (last || tag.isClose) continue;
    last = partners.get(tag);
    if (last && last.line > tag.line) tables.set(tag.line, last.line);
  }
  return tables;
}

/**
 * The line after a table that begins on a line and goes on after a blank one; undefined if none does.
 * @param isContent whether a line that is not blank may be part of a block of HTML
 */
export function endOfDividedTable(
  state: StateBlock,
  startLine: number,
  isContent: (line: number) => boolean,
): number | undefined {
  const last = tablesIn(state).get(startLine);
  if (last === undefined || last >= state.lineMax) return undefined;
  let [isDivided, isInCode] = [false, false];
  for (let line = startLine; line <= last; line += 1) {
    if (state.isEmpty(line)) {
      isDivided = true;
      continue;
    }
    if (line > startLine && !isContent(line)) return undefined;
    const text = state.src.slice(state.bMarks[line], state.eMarks[line]);
    const isFirst = line > startLine && state.isEmpty(line - 1);
    // Markdown in a cell is read as what it is, between two pieces of HTML.
    if (isFirst && !isInCode && !BEGINS_HTML.test(text)) return undefined;
    for (const [, slash] of text.matchAll(CODE_TAG)) isInCode = slash === '';
  }
  return isDivided ? last + 1 : undefined;
}
