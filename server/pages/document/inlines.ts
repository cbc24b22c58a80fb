import { partsOf } from '../../../routers/engine/document/bare-urls.ts';
import type { BlockNode, Inline, Leaf, Mark, Text } from '../../../routers/engine/document/document.ts';
import { anchorIn } from '../../../routers/engine/document/readers.ts';
import { asRef } from '../../../routers/engine/document/refs.ts';
import { safeHref } from '../../../routers/engine/document/safe-href.ts';
import { emojiCharacters } from '../../../routers/engine/emoji.ts';
import { type Html, html } from '../../http/html.ts';
import { icon } from '../icons.ts';
import type { Texts } from '../languages/texts.ts';
import { isReservedId, ownId } from './own-ids.ts';
import { type RenderContext, safeSource, type Target } from './render-context.ts';
import { visibleContent } from './visible.ts';

export const renderInlines = (nodes: readonly BlockNode[] | undefined, context: RenderContext): Html[] =>
  renderAll(nodes, context, renderLine);

/** Renders the inline nodes of running text, in which URLs are links. */
export const renderProse = (nodes: readonly BlockNode[] | undefined, context: RenderContext): Html[] =>
  renderAll(nodes, context, (line) =>
    partsOf(line).map(({ text, href }) =>
      href === undefined
        ? html`${text}`
        : link({ href, title: text, isExternal: true }, html`${text}`, context),
    ),
  );

type RenderLine = (line: string) => readonly Html[];

const renderLine: RenderLine = (line) => [html`${line}`];

const renderAll = (
  nodes: readonly BlockNode[] | undefined,
  context: RenderContext,
  render: RenderLine,
): Html[] =>
  (nodes ?? []).map((node) => {
    if (node.object === 'text') return renderText(node, render);
    return node.object === 'inline' ? renderInline(node, context) : html``;
  });

const renderText = ({ leaves }: Text, render: RenderLine): Html =>
  html`${leaves.map((leaf) => renderLeaf(leaf, render))}`;

function renderLeaf({ text, marks }: Leaf, render: RenderLine): Html {
  const isCode = marks.some(({ type }) => type === 'code' || type === 'keyboard');
  const lines = text.split('\n').map(isCode ? renderLine : render);
  const withBreaks = html`${lines.map((line, index) => (index === 0 ? html`${line}` : html`<br>${line}`))}`;
  return marks.reduceRight(applyMark, withBreaks);
}

const COLOR = /^\$?[a-z]+$/;

function applyMark(inner: Html, { type, data }: Mark): Html {
  switch (type) {
    case 'bold':
      return html`<strong>${inner}</strong>`;
    case 'italic':
      return html`<em>${inner}</em>`;
    case 'code':
      return html`<code>${inner}</code>`;
    case 'strikethrough':
      return html`<s>${inner}</s>`;
    case 'keyboard':
      return html`<kbd>${inner}</kbd>`;
    case 'superscript':
      return html`<sup>${inner}</sup>`;
    case 'subscript':
      return html`<sub>${inner}</sub>`;
    case 'color': {
      const classes = (['text', 'background'] as const).flatMap((name) => {
        const value = data?.[name];
        const isColor = typeof value === 'string' && value !== 'default' && COLOR.test(value);
        return isColor ? `${name === 'text' ? 'fg' : 'bg'}-${value.replace('$', '')}` : [];
      });
      return classes.length > 0 ? html`<span class="${classes.join(' ')}">${inner}</span>` : inner;
    }
  }
}

const textIn = (data: Inline['data'], name: string): string => {
  const value = data?.[name];
  return typeof value === 'string' ? value : '';
};

function renderInline(node: Inline, context: RenderContext): Html {
  const { type, data, nodes = [] } = node;
  const ref = asRef(data?.ref);
  switch (type) {
    case 'link':
      return link(ref && context.target(ref), html`${renderInlines(nodes, context)}`, context);
    case 'inline-image':
      return inlineImage(node, context);
    case 'emoji':
      return html`<span class="emoji">${emojiCharacters(textIn(data, 'code'))}</span>`;
    case 'icon':
      return html`<span class="inline-icon${colorClass(textIn(data, 'color'))}">${icon(textIn(data, 'icon'))}</span>`;
    case 'inline-math':
      return html`<span class="formula">${context.formula(textIn(data, 'formula'), false) ?? html`<code>${textIn(data, 'formula')}</code>`}</span>`;
    case 'annotation':
      return annotation(node, context);
    case 'mention': {
      const target = ref && context.target(ref);
      return link(target, html`${target?.icon}${target?.title ?? ''}`, context);
    }
    case 'button':
      return button(node, context);
    case 'markdown':
      return namedAnchor(textIn(data, 'markdown'));
    case 'expression':
      return html``;
    default:
      return html`${renderInlines(nodes, context)}`;
  }
}

/** An anchor in the text as a name, which need not be unique, and gives way to the id of a heading. */
function namedAnchor(markdown: string): Html {
  const name = anchorIn(markdown);
  return name === undefined || isReservedId(name) ? html`` : html`<a name="${name}"></a>`;
}

const colorClass = (color: string) =>
  color !== '' && color !== 'default' && COLOR.test(color) && ` fg-${color.replace('$', '')}`;

/** Renders a link around HTML; only the HTML if there is no target or nothing visible. */
export function link(target: Target | undefined, inner: Html, { texts, linksOpen }: RenderContext): Html {
  const href = target?.href === undefined ? undefined : safeHref(target.href);
  const visible = visibleContent(inner);
  if (!target || href === undefined || !visible) return inner;
  const opensTab = target.isExternal && linksOpen === 'blank';
  return html`<a href="${href}"${visible === 'image' && labelOf(target)}${opensTab && html` target="_blank" rel="noopener"`}>${inner}${
    opensTab && newTabNote(texts)
  }</a>`;
}

/** For screen readers. */
const newTabNote = ({ opensNewTab }: Texts): Html =>
  html`<span class="visually-hidden"> (${opensNewTab})</span>`;

/** For screen readers, labels a link that contains only images without alternative text with its target. */
const labelOf = ({ title, href }: Target): Html => html` aria-label="${title || href}"`;

function inlineImage({ data }: Inline, context: RenderContext): Html {
  const size = textIn(data, 'size');
  return (
    themedImage(data ?? {}, context, size === 'line' ? 'line' : 'original') ?? html`${textIn(data, 'alt')}`
  );
}

/** Renders an image, and its dark variant if there is one; undefined if the image is missing. */
export function themedImage(
  data: Record<string, unknown>,
  context: RenderContext,
  className?: string,
  label?: string,
): Html | undefined {
  const alt = label ?? (typeof data.alt === 'string' ? data.alt : '');
  const one = (value: unknown, theme?: 'light' | 'dark'): Html | undefined => {
    const ref = asRef(value);
    const target = ref && context.target(ref);
    const source = target?.href === undefined ? undefined : safeSource(target.href);
    if (source === undefined) return undefined;
    const { width, height } = target?.file ?? {};
    const dimensions = sizeOf(data, width, height);
    const classes = [className, theme && `only-${theme}`].filter(Boolean).join(' ');
    const isFirst = theme !== 'dark' && isFirstImage(context);
    const timing = isFirst ? html` fetchpriority="high"` : html` loading="lazy"`;
    return html`<img src="${source}" alt="${alt}"${timing} decoding="async"${dimensions}${classes && html` class="${classes}"`}>`;
  };
  const dark = one(data.refDark, 'dark');
  const light = one(data.ref, dark && 'light');
  return light && html`${light}${dark}`;
}

/** Whether an image is the first of the page outside tabs and folded blocks, and so likely visible at once. */
function isFirstImage(context: RenderContext): boolean {
  if (context.hasImage || !context.isOutlined) return false;
  context.hasImage = true;
  return true;
}

const pixels = (value: unknown): number | undefined => {
  const found =
    typeof value === 'string' || typeof value === 'number' ? Number.parseFloat(String(value)) : NaN;
  return Number.isFinite(found) && found > 0 && found < 10_000 ? Math.round(found) : undefined;
};

/** The dimensions of an image, so that the layout does not shift when it loads. */
function sizeOf(
  { width, height }: Record<string, unknown>,
  ownWidth: number | undefined,
  ownHeight: number | undefined,
): Html {
  const isShare = typeof width === 'string' && width.endsWith('%');
  const across = isShare ? undefined : pixels(width);
  const down = pixels(height);
  if (across !== undefined && ownWidth && ownHeight)
    return html` width="${across}" height="${Math.round((across * ownHeight) / ownWidth)}"`;
  if (across !== undefined) return html` width="${across}"${down !== undefined && html` height="${down}"`}`;
  return ownWidth && ownHeight ? html` width="${ownWidth}" height="${ownHeight}"` : html``;
}

function annotation({ nodes = [], fragments = [] }: Inline, context: RenderContext): Html {
  const isOutlined = context.isOutlined;
  context.isOutlined = false;
  const body = html`${context.blocks(fragments.flatMap((fragment) => fragment.nodes))}`;
  context.isOutlined = isOutlined;
  if (!visibleContent(body)) return html`${renderInlines(nodes, context)}`;
  context.count += 1;
  const id = ownId(`note-${context.count}`);
  context.notes.push(html`<div class="note" id="${id}" popover>${body}</div>`);
  return html`<button type="button" class="annotated" popovertarget="${id}">${renderInlines(nodes, context)}</button>`;
}

function button({ data }: Inline, context: RenderContext): Html {
  const ref = asRef(data?.ref);
  const target = ref && context.target(ref);
  const href = target?.href === undefined ? undefined : safeHref(target.href);
  const named = textIn(data, 'icon');
  const own = html`${named !== '' && icon(named)}${textIn(data, 'label')}`;
  const label = visibleContent(own) ? own : html`${target?.title ?? ''}`;
  const visible = visibleContent(label);
  if (!visible) return html``;
  const kind = data?.kind === 'secondary' ? 'secondary' : 'primary';
  if (href === undefined) return html`<span class="button ${kind} off">${label}</span>`;
  const opensTab = target?.isExternal && context.linksOpen === 'blank';
  return html`<a class="button ${kind}" href="${href}"${target && visible === 'image' && labelOf(target)}${opensTab && html` target="_blank" rel="noopener"`}>${label}${opensTab && newTabNote(context.texts)}</a>`;
}
