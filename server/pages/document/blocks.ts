import { withHints } from '../../../routers/engine/document/admonitions.ts';
import { columnWidths } from '../../../routers/engine/document/column-widths.ts';
import type { Block, BlockNode, Fragment } from '../../../routers/engine/document/document.ts';
import { hintStyleOf } from '../../../routers/engine/document/hints.ts';
import { shownIntegration } from '../../../routers/engine/document/integrations.ts';
import { formatBytes, formatDate } from '../../../routers/engine/document/localized.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { asRef } from '../../../routers/engine/document/refs.ts';
import { safeHref } from '../../../routers/engine/document/safe-href.ts';
import { shownText } from '../../../routers/engine/document/shown-text.ts';
import { updateHead } from '../../../routers/engine/document/update-head.ts';
import { truncate } from '../../../routers/engine/text.ts';
import { type Html, html } from '../../http/html.ts';
import { icon, uiIcon } from '../icons.ts';
import { unavailableApi } from './api.ts';
import { codeBlock, promptBlock } from './code.ts';
import { renderDiff } from './differences.ts';
import { renderInlines, renderProse, themedImage } from './inlines.ts';
import { isReservedId, ownId } from './own-ids.ts';
import { type RenderContext, safeSource } from './render-context.ts';
import { renderTable } from './tables.ts';
import { visibleContent } from './visible.ts';

/** Maximum depth of reusable contents within each other. */
const MAX_REUSE = 4;

/** What each reusable content counts in addition to its characters, so that empty ones are limited as well. */
const REUSE_COST = 1000;

/** Maximum displayed length of the description of a page that is referred to. */
const MAX_DESCRIPTION = 300;

/** Renders blocks in order. */
export const renderBlocks = (nodes: readonly BlockNode[] | undefined, context: RenderContext): Html[] =>
  renderShown(withHints(nodes ?? []), context);

const renderShown = (nodes: readonly BlockNode[], context: RenderContext): Html[] =>
  nodes.map((node) =>
    node.object === 'block' ? renderBlock(node, context) : html`${renderInlines([node], context)}`,
  );

type BlockRenderer = (block: Block, context: RenderContext) => Html;

const children: BlockRenderer = ({ nodes }, context) => html`${renderBlocks(nodes, context)}`;

/** Renders blocks whose headings do not belong to the outline. */
function renderOutsideOutline(nodes: readonly BlockNode[] | undefined, context: RenderContext): Html[] {
  const { isOutlined } = context;
  context.isOutlined = false;
  const rendered = renderBlocks(nodes, context);
  context.isOutlined = isOutlined;
  return rendered;
}

const RENDERERS: ReadonlyMap<string, BlockRenderer> = new Map<string, BlockRenderer>(
  Object.entries<BlockRenderer>({
    paragraph: ({ nodes, data }, context) => {
      const inner = html`${renderProse(nodes, context)}`;
      const isAnchor = inner.text.startsWith('<a name=') && !visibleContent(inner);
      return isAnchor ? html`${inner}\n` : html`<p${alignment(data?.align)}>${inner}</p>\n`;
    },
    'heading-1': (block, context) => heading(block, context, 2),
    'heading-2': (block, context) => heading(block, context, 3),
    'heading-3': (block, context) => heading(block, context, 4),
    'list-unordered': (block, context) => html`<ul>${items(block, context)}</ul>\n`,
    'list-ordered': (block, context) => {
      const start = block.data?.start;
      const other = typeof start === 'number' && Number.isInteger(start) && start !== 1;
      return html`<ol${other && html` start="${start}"`}>${items(block, context)}</ol>\n`;
    },
    'list-tasks': tasks,
    divider: () => html`<hr>\n`,
    blockquote: (block, context) =>
      html`<blockquote>${renderOutsideOutline(block.nodes, context)}</blockquote>\n`,
    hint,
    code: codeBlock,
    prompt: promptBlock,
    math: ({ data }, context) => {
      const tex = String(data?.formula ?? '');
      return html`<div class="math" tabindex="0">${context.formula(tex, true) ?? html`<code>${tex}</code>`}</div>\n`;
    },
    table: (block, context) => renderTable(block, context, renderOutsideOutline),
    if: children,
    images,
    image: (block, context) => figure(block, context),
    drawing: (block, context) => figure(block, context),
    file,
    embed,
    'content-ref': contentRef,
    'reusable-content': reusable,
    expandable,
    tabs,
    stepper,
    columns,
    column: children,
    updates: (block, context) => html`<div class="updates">${renderBlocks(block.nodes, context)}</div>\n`,
    update,
    swagger: api,
    'openapi-operation': api,
    'openapi-schemas': api,
    'openapi-webhook': api,
    integration,
    markdown: () => html``,
  }),
);

function renderBlock(block: Block, context: RenderContext): Html {
  const render = RENDERERS.get(block.type);
  if (render) return render(block, context);
  // Of an unknown type, only the content is shown.
  const inside = (block.fragments ?? []).flatMap((fragment) => fragment.nodes);
  return html`${renderBlocks([...(block.nodes ?? []), ...inside], context)}`;
}

const alignment = (align: unknown) =>
  (align === 'center' || align === 'end' || align === 'right') &&
  html` class="${align === 'center' ? 'centered' : 'at-end'}"`;

/** The anchor of a heading or an expandable; empty if it has none. */
function anchorOf({ meta }: Block): string {
  const given = String(meta?.id ?? '');
  return isReservedId(given) ? '' : given;
}

/** The anchor as an attribute, and the one by which links of GitBook know the title, which the script of the page looks for. */
function anchorAttributes(block: Block, title: string, context: RenderContext): Html {
  const anchor = anchorOf(block);
  const alias = context.gitbookAnchor(title);
  return html`${anchor !== '' && html` id="${anchor}"`}${anchor !== '' && alias !== undefined && html` data-alias="${alias}"`}`;
}

function heading(block: Block, context: RenderContext, level: 2 | 3 | 4): Html {
  const anchor = anchorOf(block);
  const title = shownText(block.nodes ?? []);
  if (context.isOutlined && level < 4 && title !== '' && anchor !== '')
    context.outline.push({ level: level === 2 ? 1 : 2, anchor, title });
  const content = html`${renderInlines(block.nodes, context)}`;
  // A heading of icons alone, as above the title of a card, would be announced, and listed, without a name.
  const hasName = visibleContent(content) === 'text';
  const inner = html`${content}${
    hasName &&
    anchor !== '' &&
    html`<a class="anchor" href="#${anchor}" aria-label="${context.texts.linkHere}: ${title}">${uiIcon('hash')}</a>`
  }`;
  const attributes = html`${anchorAttributes(block, title, context)}${!hasName && html` role="presentation"`}${alignment(block.data?.align)}`;
  if (level === 2) return html`<h2${attributes}>${inner}</h2>\n`;
  return level === 3 ? html`<h3${attributes}>${inner}</h3>\n` : html`<h4${attributes}>${inner}</h4>\n`;
}

/** Renders an item without `<p>` around its first paragraph. */
function renderTight(nodes: readonly BlockNode[] = [], context: RenderContext): Html {
  const shown = withHints(nodes);
  const [first, ...rest] = shown;
  const isText = first?.object === 'block' && first.type === 'paragraph';
  return isText
    ? html`${renderProse(first.nodes, context)}${renderShown(rest, context)}`
    : html`${renderShown(shown, context)}`;
}

const items = ({ nodes }: Block, context: RenderContext): Html[] =>
  (nodes ?? []).map((item) =>
    item.object === 'block'
      ? html`<li>${item.type === 'list-item' ? renderTight(item.nodes, context) : renderBlock(item, context)}</li>\n`
      : html``,
  );

function tasks({ nodes }: Block, context: RenderContext): Html {
  const rendered = (nodes ?? []).map((item) => {
    if (item.object !== 'block') return html``;
    const isDone = item.data?.checked === true;
    // Only of its own text: tasks can be deeply nested.
    const own = item.nodes?.find((node) => node.object === 'block' && node.type === 'paragraph');
    const label = shownText(own ? [own] : []).slice(0, 100);
    return html`<li><input type="checkbox" disabled${isDone && html` checked`} aria-label="${label}"><div>${renderTight(item.nodes, context)}</div></li>\n`;
  });
  return html`<ul class="tasks">${rendered}</ul>\n`;
}

function hint(block: Block, context: RenderContext): Html {
  const { data, nodes } = block;
  const style = hintStyleOf(block);
  const customIcon = typeof data?.icon === 'string' ? icon(data.icon) : undefined;
  return html`<div class="hint ${style}" role="note" aria-label="${context.texts.hints[style]}"><span class="hint-icon">${customIcon ?? uiIcon(style)}</span><div>${renderOutsideOutline(nodes, context)}</div></div>\n`;
}

const captionOf = (fragments: readonly Fragment[] = []) =>
  fragments.find((fragment) => (fragment.fragment ?? fragment.type) === 'caption') ?? fragments[0];

function caption({ fragments }: Block, context: RenderContext): Html | undefined {
  const nodes = captionOf(fragments)?.nodes ?? [];
  if (plainText(nodes) === '') return undefined;
  return html`<figcaption>${nodes.map((node) => renderInlines(node.nodes, context))}</figcaption>`;
}

function figure(block: Block, context: RenderContext): Html {
  const image = themedImage(block.data ?? {}, context);
  const alt = String(block.data?.alt ?? '');
  const width = block.data?.width;
  const share = typeof width === 'string' ? /^(\d{1,3})(?:\.\d+)?%$/.exec(width)?.[1] : undefined;
  if (share !== undefined) context.rules.add(`.w-${share} img{width:${share}%}`);
  return html`<figure${share !== undefined && html` class="w-${share}"`}>${image ?? html`<span class="missing-image">${alt}</span>`}${caption(block, context)}</figure>\n`;
}

function images(block: Block, context: RenderContext): Html {
  const { align, withFrame, fullWidth } = block.data ?? {};
  const count = block.nodes?.length ?? 0;
  const classes = [
    'images',
    align === 'left' || align === 'right' ? `to-${align}` : '',
    withFrame ? 'framed' : '',
    fullWidth ? 'wide' : '',
    count > 1 ? 'several' : '',
  ];
  return html`<div class="${classes.filter(Boolean).join(' ')}">${renderBlocks(block.nodes, context)}</div>\n`;
}

function file(block: Block, context: RenderContext): Html {
  const ref = asRef(block.data?.ref);
  const target = ref && context.target(ref);
  const href = target?.href === undefined ? undefined : safeSource(target.href);
  if (!target || href === undefined) return html``;
  const { contentType = '', size } = target.file ?? {};
  const player = contentType.startsWith('video/')
    ? html`<video controls preload="metadata" src="${href}"></video>`
    : contentType.startsWith('audio/')
      ? html`<audio controls preload="metadata" src="${href}"></audio>`
      : undefined;
  const card = html`<a class="card-link file" href="${href}" download>${uiIcon('file')}<span><strong>${target.title}</strong><small>${context.texts.download}${size !== undefined && ` · ${formatBytes(size, context.locale)}`}</small></span></a>`;
  return html`<figure>${player ?? card}${caption(block, context)}</figure>\n`;
}

/** The address and title in a provider's frame; the styles are our own. */
const FRAME = /<iframe src="([^"]*)" title="([^"]*)"/;

function embed(block: Block, context: RenderContext): Html {
  const url = String(block.data?.url ?? '');
  const href = safeHref(url);
  if (href === undefined) return html``;
  const embedded = context.embed(url);
  const [, source, title = ''] = embedded?.type === 'rich' ? (FRAME.exec(embedded.html) ?? []) : [];
  if (source !== undefined)
    return html`<figure><iframe class="frame" src="${decoded(source)}" title="${decoded(title)}" loading="lazy" allowfullscreen allow="fullscreen; encrypted-media; picture-in-picture; clipboard-write" referrerpolicy="strict-origin-when-cross-origin"></iframe>${caption(block, context)}</figure>\n`;
  return html`<figure><a class="card-link" href="${href}">${uiIcon('out')}<span><strong>${embedded?.title ?? url}</strong>${embedded?.site && html`<small>${embedded.site}</small>`}</span></a>${caption(block, context)}</figure>\n`;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const decoded = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] as string);

function contentRef({ data }: Block, context: RenderContext): Html {
  const ref = asRef(data?.ref);
  const target = ref && context.target(ref);
  if (!target) return html``;
  const inner = html`${target.icon ?? uiIcon(target.isExternal ? 'out' : 'file')}<span><strong>${target.title}</strong>${target.description && html`<small>${truncate(target.description, MAX_DESCRIPTION)}</small>`}</span>${uiIcon('next')}`;
  const href = target.href === undefined ? undefined : safeHref(target.href);
  if (href === undefined) return html`<p class="card-link off">${inner}</p>\n`;
  return html`<a class="card-link" href="${href}">${inner}</a>\n`;
}

function reusable({ data }: Block, context: RenderContext): Html {
  const ref = asRef(data?.ref);
  // guard: page-included-html
  const isAllowed = context.depth < MAX_REUSE && context.remaining > 0;
  const blocks = ref && isAllowed ? context.reusable(ref) : undefined;
  if (!blocks) return html``;
  context.depth += 1;
  const rendered = html`${renderDiff(blocks, context)}`;
  context.depth -= 1;
  context.remaining -= rendered.text.length + REUSE_COST;
  return rendered;
}

const fragmentOf = (fragments: readonly Fragment[] = [], name: string): readonly Block[] =>
  fragments.find((fragment) => (fragment.fragment ?? fragment.type) === name)?.nodes ?? [];

function expandable(block: Block, context: RenderContext): Html {
  const { fragments } = block;
  const titleNodes = fragmentOf(fragments, 'expandable-title');
  const attributes = anchorAttributes(block, shownText(titleNodes), context);
  const title = titleNodes.map((node) => renderInlines(node.nodes, context));
  const body = renderOutsideOutline(fragmentOf(fragments, 'expandable-body'), context);
  return html`<details class="expandable"${attributes}><summary>${uiIcon('next')}<span>${title}</span></summary><div>${body}</div></details>\n`;
}

/** Without JavaScript, the tabs are shown one below the other, under their titles. */
function tabs({ nodes = [] }: Block, context: RenderContext): Html {
  const panels = nodes.flatMap((node) => {
    if (node.object !== 'block') return [];
    const title = String(node.data?.title ?? '');
    const named = typeof node.data?.icon === 'string' ? icon(node.data.icon) : undefined;
    context.count += 1;
    const id = ownId(`tab-${context.count}`);
    return html`<section class="tab" id="${id}" data-title="${title}"><p class="tab-title">${named}${title}</p>${renderOutsideOutline(node.nodes, context)}</section>\n`;
  });
  return html`<div class="tabs">${panels}</div>\n`;
}

function stepper({ nodes = [] }: Block, context: RenderContext): Html {
  const steps = nodes.map((node) => {
    if (node.object !== 'block') return html``;
    const named = typeof node.data?.icon === 'string' ? icon(node.data.icon) : undefined;
    return html`<li><span class="step" aria-hidden="true">${named}</span><div>${renderBlocks(node.nodes, context)}</div></li>\n`;
  });
  return html`<ol class="stepper">${steps}</ol>\n`;
}

function columns({ nodes = [] }: Block, context: RenderContext): Html {
  const parts = nodes.filter((node) => node.object === 'block');
  const widths = columnWidths(parts);
  const name = `cols-${widths.join('-')}`;
  const tracks = widths.map((width) => `minmax(0,${width}fr)`).join(' ');
  context.rules.add(`@media(min-width:44rem){.${name}{grid-template-columns:${tracks}}}`);
  return html`<div class="columns ${name}">${parts.map((part) => html`<div>${renderBlock(part, context)}</div>`)}</div>\n`;
}

function update(block: Block, context: RenderContext): Html {
  const { date, tags } = updateHead(block);
  const time =
    date &&
    html`<time datetime="${date.toISOString().slice(0, 10)}">${formatDate(date, context.locale)}</time>`;
  const labels = tags.map((tag) => html`<span class="tag">${tag}</span>`);
  return html`<section class="update"><div class="update-when">${time}${labels}</div><div>${renderBlocks(block.nodes, context)}</div></section>\n`;
}

function api(block: Block, context: RenderContext): Html {
  // guard: page-api-html
  const isBrief = context.remaining <= 0;
  const rendered = context.api(block, context.origins, isBrief) ?? unavailableApi(block, context.texts);
  context.remaining -= rendered.text.length;
  return rendered;
}

function integration(block: Block, context: RenderContext): Html {
  const shown = shownIntegration(block);
  return shown ? renderBlock(shown, context) : html``;
}
