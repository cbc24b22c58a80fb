import type { Block, BlockNode, Fragment } from '../document/document.ts';
import { plainText } from '../document/readers.ts';
import { asRef } from '../document/refs.ts';
import { layOutApi } from './api.ts';
import { layOutCode } from './code.ts';
import { columns, list, section } from './containers.ts';
import { inlineText, layOutInlines, linkTo, targetOf, titleOf, toBold } from './inlines.ts';
import { type BlockContext, type BlockLayout, fragmentNodes, inlineOptions, MAX_DEPTH } from './layout.ts';
import type { Node } from './nodes.ts';
import { picture } from './pictures.ts';
import { layOutTable } from './tables.ts';
import { breakable, cleanLine, cleanText, cutText, directionOverride, formatBytes } from './text.ts';

/** Lays out blocks, and inline nodes between them. */
export function layOutBlocks(
  nodes: readonly BlockNode[],
  layout: BlockLayout,
  context: BlockContext,
): Node[] {
  const result: Node[] = [];
  let inlines: BlockNode[] = [];
  const flush = () => {
    if (inlines.length > 0) for (const made of paragraph(inlines, layout, context)) result.push(made);
    inlines = [];
  };
  for (const node of nodes) {
    if (node.object !== 'block') inlines.push(node);
    else {
      flush();
      for (const made of layOutBlock(node, layout, context)) result.push(made);
    }
  }
  flush();
  return result;
}

const alignment = (align: unknown) =>
  align === 'center' || align === 'right' || align === 'end'
    ? { align: align === 'end' ? 'right' : align }
    : {};

function paragraph(
  nodes: readonly BlockNode[],
  layout: BlockLayout,
  context: BlockContext,
  align?: unknown,
): Node[] {
  const c = layOutInlines(nodes, layout, inlineOptions(context));
  if (c.length === 0) return [];
  return [{ t: 'p', c, ...alignment(align), ...directionOverride(inlineText(c), layout) }];
}

/** Lays out a block in a container; beyond the maximum nesting, only its content. */
function inContainer(
  container: (c: Node[]) => Node,
  block: Block,
  layout: BlockLayout,
  context: BlockContext,
): Node[] {
  const c = layOutBlocks(block.nodes ?? [], layout, { ...context, depth: context.depth + 1 });
  return context.depth >= MAX_DEPTH ? c : [container(c)];
}

function layOutBlock(block: Block, layout: BlockLayout, context: BlockContext): Node[] {
  const data = block.data ?? {};
  const nodes = block.nodes ?? [];
  const text = (name: string) => (typeof data[name] === 'string' ? cleanText(data[name]) : '');
  const line = (name: string) => breakable(cleanLine(text(name)), context.maxWord);
  switch (block.type) {
    case 'paragraph':
      return paragraph(nodes, layout, context, data.align);
    case 'heading-1':
    case 'heading-2':
    case 'heading-3':
      return heading(block, layout, context);
    case 'list-ordered':
    case 'list-unordered':
    case 'list-tasks':
      return list(block, layout, context);
    case 'blockquote':
      return inContainer(
        (c) => ({ t: 'quote', c, ...directionOverride(plainText(nodes).slice(0, 200), layout) }),
        block,
        layout,
        context,
      );
    case 'hint': {
      const style = ['info', 'warning', 'danger', 'success'].find((known) => known === data.style) ?? 'info';
      return inContainer(
        (c) => ({ t: 'hint', style, c, ...directionOverride(plainText(nodes).slice(0, 200), layout) }),
        block,
        layout,
        context,
      );
    }
    case 'code':
      return layOutCode(block);
    case 'math':
      return [{ t: 'math', f: text('formula') }];
    case 'table':
      return layOutTable(block, layout, context);
    case 'images':
      return nodes.flatMap((image) =>
        image.object === 'block' ? picture(image, layout, context, data.align) : [],
      );
    case 'image':
    case 'drawing':
      return picture(block, layout, context, data.align);
    case 'file': {
      const ref = asRef(data.ref);
      const { size } = (ref && targetOf(ref, layout)) ?? {};
      const caption = cleanLine(plainText(fragmentNodes(block, 'caption')));
      return [
        {
          t: 'reference',
          icon: 'file',
          ...linkTo(ref, layout),
          title: [titleOf(ref, layout)],
          detail: breakable(
            [size === undefined ? '' : formatBytes(size), caption].filter(Boolean).join(' · '),
          ),
        },
      ];
    }
    case 'embed': {
      const ref = { kind: 'url', url: text('url') } as const;
      const detail = cutText(cleanLine(ref.url), 300);
      const caption = cleanLine(plainText(fragmentNodes(block, 'caption')));
      const title = layout.targets.get(`embed ${ref.url}`)?.title ?? caption;
      return [
        {
          t: 'reference',
          icon: 'link',
          ...linkTo(ref, layout),
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
          ...linkTo(ref, layout),
          title: [titleOf(ref, layout)],
          detail: breakable(detail),
        },
      ];
    }
    case 'expandable':
      return section(block, layout, context, {
        kind: 'expandable',
        title: layOutInlines(
          inlinesOf(fragmentNodes(block, 'expandable-title')),
          layout,
          inlineOptions(context),
        ),
        nodes: fragmentNodes(block, 'expandable-body'),
      });
    case 'tabs-item':
      return section(block, layout, context, { kind: 'tab', title: [line('title')], nodes });
    case 'stepper':
      return nodes.flatMap((step, index) =>
        step.object === 'block'
          ? section(step, layout, context, {
              kind: 'step',
              title: [],
              nodes: step.nodes ?? [],
              number: index + 1,
            })
          : [],
      );
    case 'columns':
      return columns(block, layout, context);
    case 'update': {
      const tags = Array.isArray(data.tags)
        ? data.tags.filter((tag) => typeof tag === 'string').join(', ')
        : '';
      const title = [line('date').slice(0, 10), cleanLine(tags)].filter(Boolean).join(' · ');
      return section(block, layout, context, { kind: 'tab', title: [breakable(title)], nodes });
    }
    case 'openapi-operation':
    case 'openapi-webhook':
    case 'openapi-schemas':
    case 'swagger':
      return layOutApi(block, layout, context);
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
      // Containers such as tabs, updates and conditions, and unknown types: only their content.
      return layOutBlocks(
        [...nodes, ...(block.fragments ?? []).flatMap((fragment: Fragment) => fragment.nodes)],
        layout,
        context,
      );
  }
}

const inlinesOf = (nodes: readonly BlockNode[]): BlockNode[] =>
  nodes.flatMap((node) => (node.object === 'block' ? inlinesOf(node.nodes ?? []) : [node]));

function heading(block: Block, layout: BlockLayout, context: BlockContext): Node[] {
  const c = layOutInlines(block.nodes ?? [], layout, { ...inlineOptions(context), isNote: true });
  if (inlineText(c).trim() === '') return [];
  // A heading in a box or cell is not part of the outline of the page.
  if (context.depth > 0)
    return [{ t: 'p', c: [...c.map(toBold)], ...directionOverride(inlineText(c), layout) }];
  const anchor = block.meta?.id;
  const id = typeof anchor === 'string' ? layout.claimAnchor(anchor) : undefined;
  const level = Number(block.type.at(-1));
  return [
    {
      t: 'heading',
      level,
      c,
      ...(id !== undefined && { id }),
      ...alignment(block.data?.align),
      ...directionOverride(inlineText(c), layout),
    },
  ];
}
