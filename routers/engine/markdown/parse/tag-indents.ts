import type { MarkdownIt, StateBlock } from 'markdown-it';
import { templateTagName } from './block-rules.ts';
import { contentLines, pairTags } from './tag-pairs.ts';

/**
 * Makes a parser read the end of a template tag or `<details>` where its beginning stands. Formatters of CommonMark take an
 * end below a list for text of the last item, and indent it.
 */
export function installTagIndents(md: MarkdownIt): void {
  md.block.State = class extends md.block.State {
    constructor(...args: ConstructorParameters<typeof StateBlock>) {
      super(...args);
      if (this.src.includes('{%') || this.src.includes('</details>')) outdentEnds(this);
    }
  };
}

/** The columns before the content of a line, with the markers of lists that begin on it. */
const BEGINNING = /^(?:[ \t]|[-+*][ \t]|\d{1,9}[.)][ \t])*/;

interface TagLine {
  line: number;
  name: string;
  isClose: boolean;
  /** The column at which the content of the line begins; of an opening tag, later the column to which it is moved. */
  column: number;
}

function outdentEnds(state: StateBlock): void {
  const tags = tagLines(state);
  const partners = pairTags(tags);
  /** The last line that was moved. */
  let moved: { line: number; from: number; to: number } | undefined;
  for (const tag of tags) {
    const { line } = tag;
    const indent = state.sCount[line] ?? 0;
    const isFirst = tag.column === state.tShift[line];
    if (!tag.isClose) {
      // What follows an end without a blank line is indented with it.
      if (isFirst && moved?.line === line - 1 && moved.from === indent)
        moved = { line, from: indent, to: outdent(state, line, moved.to) };
      if (isFirst) tag.column = moved?.line === line ? moved.to : indent;
      continue;
    }
    const column = partners.get(tag)?.column ?? indent;
    if (column < indent) moved = { line, from: indent, to: outdent(state, line, column) };
  }
}

/** The lines that hold a tag; not ends in the first line of a list item. */
function tagLines(state: StateBlock): TagLine[] {
  const tags: TagLine[] = [];
  for (const { number, line, column } of contentLines(state.src.split('\n'), BEGINNING)) {
    const tag = tagIn(line.slice(column));
    if (tag === undefined) continue;
    const isClose = tag.startsWith('/');
    if (isClose && column !== state.tShift[number]) continue;
    tags.push({ line: number, name: isClose ? tag.slice(1) : tag, isClose, column });
  }
  return tags;
}

/** The name of the tag that a line holds, after a slash if it is an end. */
function tagIn(content: string): string | undefined {
  if (content.startsWith('<')) {
    if (/^<\/details>[ \t]*$/.test(content)) return '/<details>';
    return /^<details[ >]/.test(content) ? '<details>' : undefined;
  }
  const name = templateTagName(content);
  return name?.startsWith('end') ? `/${name.slice('end'.length)}` : name;
}

function outdent(state: StateBlock, line: number, column: number): number {
  state.bMarks[line] = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0) - column;
  state.tShift[line] = column;
  state.sCount[line] = column;
  return column;
}
