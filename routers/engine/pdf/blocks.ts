import { withHints } from '../document/admonitions.ts';
import type { Block, BlockNode, Fragment } from '../document/document.ts';
import { hintStyleOf } from '../document/hints.ts';
import { shownIntegration } from '../document/integrations.ts';
import { formatDate } from '../document/localized.ts';
import { plainText } from '../document/readers.ts';
import { updateHead } from '../document/update-head.ts';
import { layOutApi } from './api.ts';
import { layOutCode } from './code.ts';
import { columns, list, section } from './containers.ts';
import { inlineText, layOutInlines, toBold } from './inlines.ts';
import { filledIn } from './languages/index.ts';
import { type BlockContext, type BlockLayout, fragmentNodes, inlineOptions, MAX_DEPTH } from './layout.ts';
import type { Node } from './nodes.ts';
import { picture } from './pictures.ts';
import { layOutContentRef, layOutEmbed, layOutFile } from './references.ts';
import { layOutTable } from './tables.ts';
import { breakable, cleanLine, cleanText, directionOverride } from './text.ts';

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
  for (const node of withHints(nodes)) {
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
  const c = layOutInlines(nodes, layout, { ...inlineOptions(context), isProse: true });
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

type LayOut = (block: Block, layout: BlockLayout, context: BlockContext) => Node[];

/** How blocks are laid out, by type. */
const LAYOUTS: ReadonlyMap<string, LayOut> = new Map<string, LayOut>(
  Object.entries<LayOut>({
    paragraph: ({ nodes = [], data }, layout, context) => paragraph(nodes, layout, context, data?.align),
    'heading-1': heading,
    'heading-2': heading,
    'heading-3': heading,
    'list-ordered': list,
    'list-unordered': list,
    'list-tasks': list,
    blockquote: (block, layout, context) =>
      inContainer((c) => ({ t: 'quote', c, ...directionOf(block, layout) }), block, layout, context),
    hint: (block, layout, context) => {
      const style = hintStyleOf(block);
      return inContainer(
        (c) => ({ t: 'hint', style, c, ...directionOf(block, layout) }),
        block,
        layout,
        context,
      );
    },
    code: layOutCode,
    math: (block) => [{ t: 'math', f: textOf(block, 'formula') }],
    table: layOutTable,
    images: ({ nodes = [], data }, layout, context) =>
      nodes.flatMap((image) =>
        image.object === 'block' ? picture(image, layout, context, data?.align) : [],
      ),
    image: (block, layout, context) => picture(block, layout, context, block.data?.align),
    drawing: (block, layout, context) => picture(block, layout, context, block.data?.align),
    file: layOutFile,
    embed: layOutEmbed,
    'content-ref': layOutContentRef,
    expandable: (block, layout, context) =>
      section(block, layout, context, {
        kind: 'expandable',
        title: layOutInlines(
          inlinesOf(fragmentNodes(block, 'expandable-title')),
          layout,
          inlineOptions(context),
        ),
        nodes: fragmentNodes(block, 'expandable-body'),
      }),
    'tabs-item': (block, layout, context) =>
      section(block, layout, context, {
        kind: 'tab',
        title: [lineOf(block, 'title', context)],
        nodes: block.nodes ?? [],
      }),
    stepper: ({ nodes = [] }, layout, context) =>
      nodes.flatMap((step, index) =>
        step.object === 'block'
          ? section(step, layout, context, {
              kind: 'step',
              title: [],
              nodes: step.nodes ?? [],
              number: index + 1,
            })
          : [],
      ),
    columns,
    update,
    'openapi-operation': layOutApi,
    'openapi-webhook': layOutApi,
    'openapi-schemas': layOutApi,
    swagger: layOutApi,
    integration,
    divider: () => [{ t: 'divider' }],
    'reusable-content': () => [],
    markdown: () => [],
  }),
);

/** Lays out a block; of containers such as tabs, updates and conditions, and of unknown types, only the content. */
function layOutBlock(block: Block, layout: BlockLayout, context: BlockContext): Node[] {
  const layOut = LAYOUTS.get(block.type);
  if (layOut) return layOut(block, layout, context);
  const inFragments = (block.fragments ?? []).flatMap((fragment: Fragment) => fragment.nodes);
  return layOutBlocks([...(block.nodes ?? []), ...inFragments], layout, context);
}

/** Lays out what is shown in place of a block of an integration; a note if nothing is. */
function integration(block: Block, layout: BlockLayout, context: BlockContext): Node[] {
  const shown = shownIntegration(block);
  if (shown) return layOutBlock(shown, layout, context);
  const name = cleanLine(textOf(block, 'integration'));
  return [{ t: 'note', s: breakable(filledIn(layout.notices.integration, name)) }];
}

/** A text in the data of a block; empty if there is none. */
const textOf = ({ data = {} }: Block, name: string): string =>
  typeof data[name] === 'string' ? cleanText(data[name]) : '';

const lineOf = (block: Block, name: string, { maxWord }: BlockContext): string =>
  breakable(cleanLine(textOf(block, name)), maxWord);

/** The direction of a block by its first characters, if it is not that of the book. */
const directionOf = ({ nodes = [] }: Block, layout: BlockLayout) =>
  directionOverride(plainText(nodes).slice(0, 200), layout);

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

/** Lays out an entry of a list of updates, with its date and tags as the title. */
function update(block: Block, layout: BlockLayout, context: BlockContext): Node[] {
  const { date, tags } = updateHead(block);
  const title = [date && formatDate(date, layout.locale), cleanLine(tags.join(', '))]
    .filter(Boolean)
    .join(' · ');
  return section(block, layout, context, {
    kind: 'tab',
    title: [breakable(title)],
    nodes: block.nodes ?? [],
  });
}
