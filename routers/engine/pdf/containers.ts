import { columnWidths } from '../document/column-widths.ts';
import type { Block, BlockNode } from '../document/document.ts';
import { plainText } from '../document/readers.ts';
import { inlineText, toBold } from './inlines.ts';
import { type BlockContext, type BlockLayout, MAX_DEPTH } from './layout.ts';
import type { Inline, Item, Node } from './nodes.ts';
import { directionOverride } from './text.ts';

/** Lays out a list. */
export function list(block: Block, layout: BlockLayout, context: BlockContext): Node[] {
  const start = Number(block.data?.start ?? 1);
  const kind = block.type === 'list-ordered' ? 'numbers' : block.type === 'list-tasks' ? 'tasks' : 'bullets';
  const inside = { ...context, depth: context.depth + 1 };
  const parts = (block.nodes ?? []).filter((item): item is Block => item.object === 'block');
  // Beyond the maximum nesting, items become paragraphs, with one note.
  if (context.depth >= MAX_DEPTH) {
    const flat = parts.flatMap((item) => layout.layOut(item.nodes ?? [], inside));
    return context.depth === MAX_DEPTH ? [{ t: 'note', s: layout.notices.tooDeep }, ...flat] : flat;
  }
  const items = parts.map((item): Item => {
    const c = layout.layOut(item.nodes ?? [], inside);
    return kind === 'tasks' || item.data?.checked !== undefined
      ? { c, checked: item.data?.checked === true }
      : { c };
  });
  if (items.length === 0) return [];
  return [
    {
      t: 'list',
      kind,
      start: Number.isSafeInteger(start) && start >= 0 && start < 1e9 ? start : 1,
      items,
      ...directionOverride(plainText(parts.slice(0, 3)).slice(0, 200), layout),
    },
  ];
}

/** Lays out a section with a title or number: a tab, a step, or an expandable. */
export function section(
  block: Block,
  layout: BlockLayout,
  context: BlockContext,
  {
    kind,
    title,
    nodes,
    number = 0,
  }: { kind: 'expandable' | 'tab' | 'step'; title: Inline[]; nodes: readonly BlockNode[]; number?: number },
): Node[] {
  const c = layout.layOut(nodes, { ...context, depth: context.depth + 1 });
  if (context.depth >= MAX_DEPTH) return title.length > 0 ? [{ t: 'p', c: title.map(toBold) }, ...c] : c;
  return [
    {
      t: 'section',
      kind,
      number,
      title,
      c,
      ...directionOverride(`${inlineText(title)} ${plainText([block]).slice(0, 200)}`, layout),
    },
  ];
}

/** Lays out columns; if they would be too narrow, one below the other. */
export function columns(block: Block, layout: BlockLayout, context: BlockContext): Node[] {
  const parts = (block.nodes ?? []).filter((node): node is Block => node.object === 'block').slice(0, 12);
  if (parts.length === 0 || context.depth >= 2 || parts.length > 4)
    return layout.layOut(
      parts.flatMap((part) => part.nodes ?? []),
      context,
    );
  const widths = columnWidths(parts);
  const total = widths.reduce((sum, width) => sum + width, 0);
  const made = parts.map((part, index) => {
    const width = widths[index] as number;
    const maxWord = Math.max(4, Math.floor((40 * width) / total));
    return { width, c: layout.layOut(part.nodes ?? [], { ...context, depth: context.depth + 1, maxWord }) };
  });
  return [{ t: 'columns', columns: made }];
}
