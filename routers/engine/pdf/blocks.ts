import type { Block, BlockNode, Fragment } from '../document/document.ts';
import { plainText } from '../document/readers.ts';
import { asRef } from '../document/refs.ts';
import { layOutCode } from './code.ts';
import {
  type InlineOptions,
  inBold,
  inlineText,
  type Layout,
  layOutInlines,
  leadsTo,
  pictureOf,
  targetOf,
  titleOf,
} from './inlines.ts';
import type { Inline, Item, Node } from './nodes.ts';
import { layOutTable } from './tables.ts';
import { breakable, bytes, cleanLine, cleanText, cutText, turned } from './text.ts';

/** Levels of blocks in blocks that the typesetter takes with room to spare; deeper ones stand at this level. */
const MAX_DEPTH = 8;

const TOO_DEEP = 'What follows is nested too deeply to be shown as such.';

/** How blocks are laid out where they stand. */
export interface Place {
  depth: number;
  /** Longest word that fits. */
  whole?: number | undefined;
  isNote?: boolean;
}

export interface BlockLayout extends Layout {
  /** The anchor of a heading, as a place in the book; undefined if there is one already. */
  placeOf(anchor: string): string | undefined;
  /** The direction of the book. */
  direction: 'rtl' | 'ltr';
  /** Lays out the blocks in a cell. */
  layOutCell(nodes: readonly BlockNode[], place: Place): Node[];
}

/** Lays out blocks, and texts that stand among them. */
export function layOutBlocks(nodes: readonly BlockNode[], layout: BlockLayout, place: Place): Node[] {
  const result: Node[] = [];
  let inlines: BlockNode[] = [];
  const flush = () => {
    if (inlines.length > 0) for (const made of paragraph(inlines, layout, place)) result.push(made);
    inlines = [];
  };
  for (const node of nodes) {
    if (node.object !== 'block') inlines.push(node);
    else {
      flush();
      for (const made of layOutBlock(node, layout, place)) result.push(made);
    }
  }
  flush();
  return result;
}

const optionsIn = ({ whole, isNote }: Place): InlineOptions => ({ whole, ...(isNote && { isNote }) });

function paragraph(nodes: readonly BlockNode[], layout: BlockLayout, place: Place, align?: unknown): Node[] {
  const c = layOutInlines(nodes, layout, optionsIn(place));
  if (c.length === 0) return [];
  return [{ t: 'p', c, ...alignment(align), ...turned(inlineText(c), layout) }];
}

const alignment = (align: unknown) =>
  align === 'center' || align === 'right' || align === 'end'
    ? { align: align === 'end' ? 'right' : align }
    : {};

const fragmentOf = ({ fragments = [] }: Block, name: string): readonly BlockNode[] =>
  fragments.find(({ fragment, type }) => (fragment ?? type) === name)?.nodes ?? [];

/** What stands in a container; below the deepest level the content alone, in its place. */
function within(container: (c: Node[]) => Node, block: Block, layout: BlockLayout, place: Place): Node[] {
  const c = layOutBlocks(block.nodes ?? [], layout, { ...place, depth: place.depth + 1 });
  return place.depth >= MAX_DEPTH ? c : [container(c)];
}

function layOutBlock(block: Block, layout: BlockLayout, place: Place): Node[] {
  const data = block.data ?? {};
  const nodes = block.nodes ?? [];
  const text = (name: string) => (typeof data[name] === 'string' ? cleanText(data[name]) : '');
  const line = (name: string) => breakable(cleanLine(text(name)), place.whole);
  switch (block.type) {
    case 'paragraph':
      return paragraph(nodes, layout, place, data.align);
    case 'heading-1':
    case 'heading-2':
    case 'heading-3':
      return heading(block, layout, place);
    case 'list-ordered':
    case 'list-unordered':
    case 'list-tasks':
      return list(block, layout, place);
    case 'blockquote':
      return within(
        (c) => ({ t: 'quote', c, ...turned(plainText(nodes).slice(0, 200), layout) }),
        block,
        layout,
        place,
      );
    case 'hint': {
      const style = ['info', 'warning', 'danger', 'success'].find((known) => known === data.style) ?? 'info';
      return within(
        (c) => ({ t: 'hint', style, c, ...turned(plainText(nodes).slice(0, 200), layout) }),
        block,
        layout,
        place,
      );
    }
    case 'code':
      return layOutCode(block);
    case 'math':
      return [{ t: 'math', f: text('formula') }];
    case 'table':
      return layOutTable(block, layout, place);
    case 'images':
      return nodes.flatMap((image) =>
        image.object === 'block' ? picture(image, layout, place, data.align) : [],
      );
    case 'image':
    case 'drawing':
      return picture(block, layout, place, data.align);
    case 'file': {
      const ref = asRef(data.ref);
      const { size } = (ref && targetOf(ref, layout)) ?? {};
      const caption = cleanLine(plainText(fragmentOf(block, 'caption')));
      return [
        {
          t: 'reference',
          icon: 'file',
          ...leadsTo(ref, layout),
          title: [titleOf(ref, layout)],
          detail: breakable([size === undefined ? '' : bytes(size), caption].filter(Boolean).join(' · ')),
        },
      ];
    }
    case 'embed': {
      const ref = { kind: 'url', url: text('url') } as const;
      const detail = cutText(cleanLine(ref.url), 300);
      const caption = cleanLine(plainText(fragmentOf(block, 'caption')));
      const title = layout.targets.get(`embed ${ref.url}`)?.title ?? caption;
      return [
        {
          t: 'reference',
          icon: 'link',
          ...leadsTo(ref, layout),
          title: [breakable(cleanLine(title) || detail)],
          detail: title ? breakable(detail) : '',
        },
      ];
    }
    case 'content-ref': {
      const ref = asRef(data.ref);
      const detail = ref?.kind === 'url' ? cutText(cleanLine(ref.url), 300) : '';
      return [
        {
          t: 'reference',
          icon: 'page',
          ...leadsTo(ref, layout),
          title: [titleOf(ref, layout)],
          detail: breakable(detail),
        },
      ];
    }
    case 'expandable':
      return section(block, layout, place, {
        kind: 'expandable',
        title: layOutInlines(inlinesOf(fragmentOf(block, 'expandable-title')), layout, optionsIn(place)),
        nodes: fragmentOf(block, 'expandable-body'),
      });
    case 'tabs-item':
      return section(block, layout, place, { kind: 'tab', title: [line('title')], nodes });
    case 'stepper':
      return nodes.flatMap((step, index) =>
        step.object === 'block'
          ? section(step, layout, place, {
              kind: 'step',
              title: [],
              nodes: step.nodes ?? [],
              number: index + 1,
            })
          : [],
      );
    case 'columns':
      return columns(block, layout, place);
    case 'update': {
      const tags = Array.isArray(data.tags)
        ? data.tags.filter((tag) => typeof tag === 'string').join(', ')
        : '';
      const title = [line('date').slice(0, 10), cleanLine(tags)].filter(Boolean).join(' · ');
      return section(block, layout, place, { kind: 'tab', title: [breakable(title)], nodes });
    }
    case 'openapi-operation':
    case 'openapi-webhook':
    case 'swagger':
      return [
        {
          t: 'operation',
          method: cutText(cleanLine(text('method')), 12).toUpperCase(),
          path: breakable(cutText(cleanLine(text('path') || text('name')), 500), 24),
          title: titleOf(asRef(data.ref), layout),
        },
      ];
    case 'openapi-schemas': {
      const names = Array.isArray(data.schemas)
        ? data.schemas.filter((name) => typeof name === 'string')
        : [];
      const title = titleOf(asRef(data.ref), layout);
      return names.map((name) => ({
        t: 'operation',
        method: 'SCHEMA',
        path: breakable(cleanLine(name), 24),
        title,
      }));
    }
    case 'integration':
      return [
        {
          t: 'note',
          s: breakable(`A block of the integration ${cleanLine(text('integration'))} is not shown here.`),
        },
      ];
    case 'divider':
      return [{ t: 'divider' }];
    case 'reusable-content':
    case 'markdown':
      return [];
    default:
      // Containers such as tabs, updates and conditions, and types of others: what they hold.
      return layOutBlocks(
        [...nodes, ...(block.fragments ?? []).flatMap((fragment: Fragment) => fragment.nodes)],
        layout,
        place,
      );
  }
}

const inlinesOf = (nodes: readonly BlockNode[]): BlockNode[] =>
  nodes.flatMap((node) => (node.object === 'block' ? inlinesOf(node.nodes ?? []) : [node]));

function heading(block: Block, layout: BlockLayout, place: Place): Node[] {
  const c = layOutInlines(block.nodes ?? [], layout, { ...optionsIn(place), isNote: true });
  if (inlineText(c).trim() === '') return [];
  // A heading in a box, or in a cell, is none of the page.
  if (place.depth > 0) return [{ t: 'p', c: [...c.map(inBold)], ...turned(inlineText(c), layout) }];
  const anchor = block.meta?.id;
  const id = typeof anchor === 'string' ? layout.placeOf(anchor) : undefined;
  const level = Number(block.type.at(-1));
  return [
    {
      t: 'heading',
      level,
      c,
      ...(id !== undefined && { id }),
      ...alignment(block.data?.align),
      ...turned(inlineText(c), layout),
    },
  ];
}

function list(block: Block, layout: BlockLayout, place: Place): Node[] {
  const start = Number(block.data?.start ?? 1);
  const kind = block.type === 'list-ordered' ? 'numbers' : block.type === 'list-tasks' ? 'tasks' : 'bullets';
  const inside = { ...place, depth: place.depth + 1 };
  const parts = (block.nodes ?? []).filter((item): item is Block => item.object === 'block');
  // The deepest level goes on as paragraphs in its place, which says so once.
  if (place.depth >= MAX_DEPTH) {
    const flat = parts.flatMap((item) => layOutBlocks(item.nodes ?? [], layout, inside));
    return place.depth === MAX_DEPTH ? [{ t: 'note', s: TOO_DEEP }, ...flat] : flat;
  }
  const items = parts.map((item): Item => {
    const c = layOutBlocks(item.nodes ?? [], layout, inside);
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
      ...turned(plainText(parts.slice(0, 3)).slice(0, 200), layout),
    },
  ];
}

function picture(block: Block, layout: BlockLayout, place: Place, align: unknown): Node[] {
  const data = block.data ?? {};
  const ref = asRef(data.ref);
  const file = pictureOf(ref, layout);
  const alt = typeof data.alt === 'string' ? cutText(cleanLine(data.alt), 500) : '';
  const caption = layOutBlocks(fragmentOf(block, 'caption'), layout, { ...place, depth: MAX_DEPTH + 1 });
  if (file === undefined) {
    const leads = leadsTo(ref, layout);
    const title = [alt || titleOf(ref, layout) || 'Picture'];
    const detail = ref?.kind === 'url' ? breakable(cutText(cleanLine(ref.url), 300)) : '';
    return [{ t: 'reference', icon: 'picture', ...leads, title, detail }, ...caption];
  }
  const width = typeof data.width === 'number' && data.width > 0 ? data.width : null;
  return [
    {
      t: 'figure',
      picture: file,
      alt,
      width,
      caption,
      align: align === 'left' || align === 'right' ? align : 'center',
    },
  ];
}

function section(
  block: Block,
  layout: BlockLayout,
  place: Place,
  {
    kind,
    title,
    nodes,
    number = 0,
  }: { kind: 'expandable' | 'tab' | 'step'; title: Inline[]; nodes: readonly BlockNode[]; number?: number },
): Node[] {
  const c = layOutBlocks(nodes, layout, { ...place, depth: place.depth + 1 });
  if (place.depth >= MAX_DEPTH) return title.length > 0 ? [{ t: 'p', c: title.map(inBold) }, ...c] : c;
  return [
    {
      t: 'section',
      kind,
      number,
      title,
      c,
      ...turned(`${inlineText(title)} ${plainText([block]).slice(0, 200)}`, layout),
    },
  ];
}

function columns(block: Block, layout: BlockLayout, place: Place): Node[] {
  const parts = (block.nodes ?? []).filter((node): node is Block => node.object === 'block').slice(0, 12);
  if (parts.length === 0 || place.depth >= 2 || parts.length > 4)
    return layOutBlocks(
      parts.flatMap((part) => part.nodes ?? []),
      layout,
      place,
    );
  const inside = { ...place, depth: place.depth + 1, whole: Math.floor(40 / parts.length) };
  const made = parts.map((part) => {
    const width = Number(part.data?.width);
    return {
      width: width > 0 && width < 1000 ? width : 0,
      c: layOutBlocks(part.nodes ?? [], layout, inside),
    };
  });
  const isKnown = made.every(({ width }) => width > 0);
  return [{ t: 'columns', columns: made.map(({ width, c }) => ({ width: isKnown ? width : 1, c })) }];
}
