import type { Block, BlockNode, Fragment } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { asRef } from '../../../routers/engine/document/refs.ts';
import { safeHref } from '../../../routers/engine/document/safe-href.ts';
import { type Html, html } from '../../http/html.ts';
import { icon, uiIcon } from '../icons.ts';
import { codeBlock, promptBlock } from './code.ts';
import { drawInlines, link, themedImage } from './inlines.ts';
import { drawTable } from './tables.ts';
import { type Drawing, safeSource } from './view.ts';

/** How deep reusable contents may stand in each other. */
const MAX_REUSE = 4;

/** Draws blocks, one after the other. */
export const drawBlocks = (nodes: readonly BlockNode[] | undefined, drawing: Drawing): Html[] =>
  (nodes ?? []).map((node) =>
    node.object === 'block' ? drawBlock(node, drawing) : html`${drawInlines([node], drawing)}`,
  );

type Draw = (block: Block, drawing: Drawing) => Html;

const children: Draw = ({ nodes }, drawing) => html`${drawBlocks(nodes, drawing)}`;

/** The same where headings are not of the outline. */
function apart(nodes: readonly BlockNode[] | undefined, drawing: Drawing): Html[] {
  const { isOutlined } = drawing;
  drawing.isOutlined = false;
  const drawn = drawBlocks(nodes, drawing);
  drawing.isOutlined = isOutlined;
  return drawn;
}

const DRAW: ReadonlyMap<string, Draw> = new Map<string, Draw>(
  Object.entries<Draw>({
    paragraph: ({ nodes, data }, drawing) =>
      html`<p${alignment(data?.align)}>${drawInlines(nodes, drawing)}</p>\n`,
    'heading-1': (block, drawing) => heading(block, drawing, 2),
    'heading-2': (block, drawing) => heading(block, drawing, 3),
    'heading-3': (block, drawing) => heading(block, drawing, 4),
    'list-unordered': (block, drawing) => html`<ul>${items(block, drawing)}</ul>\n`,
    'list-ordered': (block, drawing) => {
      const start = block.data?.start;
      const other = typeof start === 'number' && Number.isInteger(start) && start !== 1;
      return html`<ol${other && html` start="${start}"`}>${items(block, drawing)}</ol>\n`;
    },
    'list-tasks': tasks,
    divider: () => html`<hr>\n`,
    blockquote: (block, drawing) => html`<blockquote>${apart(block.nodes, drawing)}</blockquote>\n`,
    hint,
    code: codeBlock,
    prompt: promptBlock,
    math: ({ data }, drawing) => {
      const tex = String(data?.formula ?? '');
      return html`<div class="math" tabindex="0">${drawing.formula(tex, true) ?? html`<code>${tex}</code>`}</div>\n`;
    },
    table: (block, drawing) => drawTable(block, drawing, apart),
    if: children,
    images,
    image: (block, drawing) => figure(block, drawing),
    drawing: (block, drawing) => figure(block, drawing),
    file,
    embed,
    'content-ref': contentRef,
    'reusable-content': reusable,
    expandable,
    tabs,
    stepper,
    columns,
    column: children,
    updates: (block, drawing) => html`<div class="updates">${drawBlocks(block.nodes, drawing)}</div>\n`,
    update,
    swagger: api,
    'openapi-operation': api,
    'openapi-schemas': api,
    'openapi-webhook': api,
    integration,
    markdown: () => html``,
  }),
);

function drawBlock(block: Block, drawing: Drawing): Html {
  const draw = DRAW.get(block.type);
  if (draw) return draw(block, drawing);
  // A type that is not known leaves what is in it.
  const inside = (block.fragments ?? []).flatMap((fragment) => fragment.nodes);
  return html`${drawBlocks([...(block.nodes ?? []), ...inside], drawing)}`;
}

const alignment = (align: unknown) =>
  (align === 'center' || align === 'end' || align === 'right') &&
  html` class="${align === 'center' ? 'centered' : 'at-end'}"`;

function heading(block: Block, drawing: Drawing, level: 2 | 3 | 4): Html {
  const anchor = String(block.meta?.id ?? '');
  const title = plainText(block.nodes ?? []);
  if (drawing.isOutlined && level < 4 && title !== '')
    drawing.outline.push({ level: level === 2 ? 1 : 2, anchor, title });
  const inner = html`${drawInlines(block.nodes, drawing)}${
    anchor !== '' &&
    html`<a class="anchor" href="#${anchor}" aria-label="${drawing.texts.linkHere}: ${title}">${uiIcon('hash')}</a>`
  }`;
  const attributes = html` id="${anchor}"${alignment(block.data?.align)}`;
  if (level === 2) return html`<h2${attributes}>${inner}</h2>\n`;
  return level === 3 ? html`<h3${attributes}>${inner}</h3>\n` : html`<h4${attributes}>${inner}</h4>\n`;
}

/** The paragraph of an item that has nothing else is drawn without one. */
function tight(nodes: readonly BlockNode[] = [], drawing: Drawing): Html {
  const [first, ...rest] = nodes;
  const isText = first?.object === 'block' && first.type === 'paragraph';
  return isText
    ? html`${drawInlines(first.nodes, drawing)}${drawBlocks(rest, drawing)}`
    : html`${drawBlocks(nodes, drawing)}`;
}

const items = ({ nodes }: Block, drawing: Drawing): Html[] =>
  (nodes ?? []).map((item) =>
    item.object === 'block'
      ? html`<li>${item.type === 'list-item' ? tight(item.nodes, drawing) : drawBlock(item, drawing)}</li>\n`
      : html``,
  );

function tasks({ nodes }: Block, drawing: Drawing): Html {
  const drawn = (nodes ?? []).map((item) => {
    if (item.object !== 'block') return html``;
    const isDone = item.data?.checked === true;
    const label = plainText(item.nodes ?? []).slice(0, 100);
    return html`<li><input type="checkbox" disabled${isDone && html` checked`} aria-label="${label}"><div>${tight(item.nodes, drawing)}</div></li>\n`;
  });
  return html`<ul class="tasks">${drawn}</ul>\n`;
}

const HINTS = ['info', 'warning', 'danger', 'success'] as const;

function hint({ data, nodes }: Block, drawing: Drawing): Html {
  const style = HINTS.find((known) => known === data?.style) ?? 'info';
  const own = typeof data?.icon === 'string' ? icon(data.icon) : undefined;
  return html`<div class="hint ${style}" role="note" aria-label="${drawing.texts.hints[style]}"><span class="hint-icon">${own ?? uiIcon(style)}</span><div>${apart(nodes, drawing)}</div></div>\n`;
}

const captionOf = (fragments: readonly Fragment[] = []) =>
  fragments.find((fragment) => (fragment.fragment ?? fragment.type) === 'caption') ?? fragments[0];

function caption({ fragments }: Block, drawing: Drawing): Html | undefined {
  const nodes = captionOf(fragments)?.nodes ?? [];
  if (plainText(nodes) === '') return undefined;
  return html`<figcaption>${nodes.map((node) => drawInlines(node.nodes, drawing))}</figcaption>`;
}

function figure(block: Block, drawing: Drawing): Html {
  const image = themedImage(block.data ?? {}, drawing);
  const alt = String(block.data?.alt ?? '');
  const width = block.data?.width;
  const share = typeof width === 'string' ? /^(\d{1,3})(?:\.\d+)?%$/.exec(width)?.[1] : undefined;
  if (share !== undefined) drawing.rules.add(`.w-${share} img{width:${share}%}`);
  return html`<figure${share !== undefined && html` class="w-${share}"`}>${image ?? html`<span class="lost">${alt}</span>`}${caption(block, drawing)}</figure>\n`;
}

function images(block: Block, drawing: Drawing): Html {
  const { align, withFrame, fullWidth } = block.data ?? {};
  const count = block.nodes?.length ?? 0;
  const classes = [
    'images',
    align === 'left' || align === 'right' ? `to-${align}` : '',
    withFrame ? 'framed' : '',
    fullWidth ? 'wide' : '',
    count > 1 ? 'several' : '',
  ];
  return html`<div class="${classes.filter(Boolean).join(' ')}">${drawBlocks(block.nodes, drawing)}</div>\n`;
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

function sizeText(bytes: number, locale: string): string {
  const step = Math.min(3, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const unit = UNITS[step] as string;
  return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 1 }).format(
    bytes / 1000 ** step,
  );
}

function file(block: Block, drawing: Drawing): Html {
  const ref = asRef(block.data?.ref);
  const target = ref && drawing.target(ref);
  const href = target?.href === undefined ? undefined : safeSource(target.href);
  if (!target || href === undefined) return html``;
  const { contentType = '', size } = target.file ?? {};
  const player = contentType.startsWith('video/')
    ? html`<video controls preload="metadata" src="${href}"></video>`
    : contentType.startsWith('audio/')
      ? html`<audio controls preload="metadata" src="${href}"></audio>`
      : undefined;
  const card = html`<a class="card-link file" href="${href}" download>${uiIcon('file')}<span><strong>${target.title}</strong><small>${drawing.texts.download}${size !== undefined && ` · ${sizeText(size, drawing.locale)}`}</small></span></a>`;
  return html`<figure>${player ?? card}${caption(block, drawing)}</figure>\n`;
}

/** Of the frame that a provider offers, its address and title: its styles are ours. */
const FRAME = /<iframe src="([^"]*)" title="([^"]*)"/;

function embed(block: Block, drawing: Drawing): Html {
  const url = String(block.data?.url ?? '');
  const href = safeHref(url);
  if (href === undefined) return html``;
  const known = drawing.embed(url);
  const [, source, title = ''] = known?.type === 'rich' ? (FRAME.exec(known.html) ?? []) : [];
  if (source !== undefined)
    return html`<figure><iframe class="frame" src="${decoded(source)}" title="${decoded(title)}" loading="lazy" allowfullscreen allow="fullscreen; encrypted-media; picture-in-picture; clipboard-write" referrerpolicy="strict-origin-when-cross-origin"></iframe>${caption(block, drawing)}</figure>\n`;
  return html`<figure><a class="card-link" href="${href}">${uiIcon('out')}<span><strong>${known?.title ?? url}</strong>${known?.site && html`<small>${known.site}</small>`}</span></a>${caption(block, drawing)}</figure>\n`;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const decoded = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] as string);

function contentRef({ data }: Block, drawing: Drawing): Html {
  const ref = asRef(data?.ref);
  const target = ref && drawing.target(ref);
  if (!target) return html``;
  const inner = html`${target.icon ?? uiIcon(target.isExternal ? 'out' : 'file')}<span><strong>${target.title}</strong>${target.description && html`<small>${target.description}</small>`}</span>${uiIcon('next')}`;
  const href = target.href === undefined ? undefined : safeHref(target.href);
  if (href === undefined) return html`<p class="card-link off">${inner}</p>\n`;
  return html`<a class="card-link" href="${href}">${inner}</a>\n`;
}

function reusable({ data }: Block, drawing: Drawing): Html {
  const ref = asRef(data?.ref);
  const nodes = ref && drawing.depth < MAX_REUSE ? drawing.reusable(ref) : undefined;
  if (!nodes) return html``;
  drawing.depth += 1;
  const drawn = drawBlocks(nodes, drawing);
  drawing.depth -= 1;
  return html`${drawn}`;
}

const fragmentOf = (fragments: readonly Fragment[] = [], name: string): readonly Block[] =>
  fragments.find((fragment) => (fragment.fragment ?? fragment.type) === name)?.nodes ?? [];

function expandable({ fragments }: Block, drawing: Drawing): Html {
  const title = fragmentOf(fragments, 'expandable-title').map((node) => drawInlines(node.nodes, drawing));
  const body = apart(fragmentOf(fragments, 'expandable-body'), drawing);
  return html`<details class="expandable"><summary>${uiIcon('next')}<span>${title}</span></summary><div>${body}</div></details>\n`;
}

/** Without a script, all tabs stand below each other under their titles. */
function tabs({ nodes = [] }: Block, drawing: Drawing): Html {
  const panels = nodes.flatMap((node) => {
    if (node.object !== 'block') return [];
    const title = String(node.data?.title ?? '');
    const named = typeof node.data?.icon === 'string' ? icon(node.data.icon) : undefined;
    drawing.count += 1;
    const id = `tab-${drawing.count}`;
    return html`<section class="tab" id="${id}" data-title="${title}"><p class="tab-title">${named}${title}</p>${apart(node.nodes, drawing)}</section>\n`;
  });
  return html`<div class="tabs">${panels}</div>\n`;
}

function stepper({ nodes = [] }: Block, drawing: Drawing): Html {
  const steps = nodes.map((node) => {
    if (node.object !== 'block') return html``;
    const named = typeof node.data?.icon === 'string' ? icon(node.data.icon) : undefined;
    return html`<li><span class="step" aria-hidden="true">${named}</span><div>${drawBlocks(node.nodes, drawing)}</div></li>\n`;
  });
  return html`<ol class="stepper">${steps}</ol>\n`;
}

function columns({ nodes = [] }: Block, drawing: Drawing): Html {
  const parts = nodes.filter((node) => node.object === 'block');
  const widths = parts.map(({ data }) => {
    const width = data?.width as { value?: unknown } | undefined;
    const share = typeof width === 'object' ? width?.value : width;
    return typeof share === 'number' && share > 0 && share <= 100 ? Math.round(share) : 0;
  });
  const name = widths.some((width) => width > 0) ? `cols-${widths.join('-')}` : `cols-${parts.length}`;
  const tracks = widths.map((width) => (width > 0 ? `minmax(0,${width}fr)` : 'minmax(0,1fr)')).join(' ');
  drawing.rules.add(`@media(min-width:44rem){.${name}{grid-template-columns:${tracks}}}`);
  return html`<div class="columns ${name}">${parts.map((part) => html`<div>${drawBlock(part, drawing)}</div>`)}</div>\n`;
}

function update({ data, nodes }: Block, drawing: Drawing): Html {
  const date = new Date(String(data?.date ?? ''));
  const isDate = !Number.isNaN(date.getTime());
  const shown = isDate
    ? new Intl.DateTimeFormat(drawing.locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
    : '';
  const tags = Array.isArray(data?.tags)
    ? data.tags.flatMap((tag: unknown) => {
        const name = (tag as { tag?: unknown } | null)?.tag;
        return typeof name === 'string' ? html`<span class="tag">${name}</span>` : [];
      })
    : [];
  return html`<section class="update"><div class="update-when">${isDate && html`<time datetime="${date.toISOString().slice(0, 10)}">${shown}</time>`}${tags}</div><div>${drawBlocks(nodes, drawing)}</div></section>\n`;
}

function api(block: Block, drawing: Drawing): Html {
  return (
    drawing.api(block, drawing.origins) ??
    html`<div class="hint warning" role="note"><span class="hint-icon">${uiIcon('warning')}</span><div><p>${drawing.texts.specMissing}</p></div></div>\n`
  );
}

function integration({ data }: Block, drawing: Drawing): Html {
  const url = typeof data?.url === 'string' ? data.url : undefined;
  if (url === undefined) return html``;
  return html`<p>${link({ href: url, title: url, isExternal: true }, html`${url}`, drawing)}</p>\n`;
}
