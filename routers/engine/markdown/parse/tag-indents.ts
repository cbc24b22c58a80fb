import type { MarkdownIt, StateBlock } from 'markdown-it';
import { templateTagName } from './block-rules.ts';

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
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;
const FENCE_END = /^[ \t]*(`{3,}|~{3,})[ \t]*$/;

/** In one pass: an end closes the nearest open tag of its name and drops those inside. */
function outdentEnds(state: StateBlock): void {
  const open: { name: string; column: number }[] = [];
  const counts = new Map<string, number>();
  let fence: string | undefined;
  /** The line above, if it was moved. */
  let moved: { from: number; to: number } | undefined;
  for (let line = 0; line < state.lineMax; line += 1) {
    const above = moved;
    moved = undefined;
    const text = state.src.slice(state.bMarks[line], state.eMarks[line]);
    if (fence !== undefined) {
      if (FENCE_END.exec(text)?.[1]?.startsWith(fence)) fence = undefined;
      continue;
    }
    const column = BEGINNING.exec(text)?.[0].length ?? 0;
    const content = text.slice(column);
    fence = FENCE.exec(content)?.[1];
    const tag = tagIn(content);
    if (tag === undefined) continue;
    const indent = state.sCount[line] ?? 0;
    if (!tag.startsWith('/')) {
      // What follows an end without a blank line is indented with it.
      if (above?.from === indent && column === state.tShift[line])
        moved = { from: indent, to: outdent(state, line, above.to) };
      open.push({ name: tag, column: moved?.to ?? (column === state.tShift[line] ? indent : column) });
      counts.set(tag, (counts.get(tag) ?? 0) + 1);
      continue;
    }
    const name = tag.slice(1);
    if (column !== state.tShift[line] || !counts.get(name)) continue;
    for (let entry = open.pop(); entry; entry = open.pop()) {
      counts.set(entry.name, (counts.get(entry.name) ?? 1) - 1);
      if (entry.name !== name) continue;
      if (entry.column < indent) moved = { from: indent, to: outdent(state, line, entry.column) };
      break;
    }
  }
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
