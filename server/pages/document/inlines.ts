import type { BlockNode, Inline, Leaf, Mark, Text } from '../../../routers/engine/document/document.ts';
import { asRef } from '../../../routers/engine/document/refs.ts';
import { safeHref } from '../../../routers/engine/document/safe-href.ts';
import { type Html, html } from '../../http/html.ts';
import { icon } from '../icons.ts';
import { type Drawing, safeSource, type Target } from './view.ts';
import { shownIn } from './visible.ts';

export const drawInlines = (nodes: readonly BlockNode[] | undefined, drawing: Drawing): Html[] =>
  (nodes ?? []).map((node) => {
    if (node.object === 'text') return drawText(node);
    return node.object === 'inline' ? drawInline(node, drawing) : html``;
  });

const drawText = ({ leaves }: Text): Html => html`${leaves.map(drawLeaf)}`;

function drawLeaf({ text, marks }: Leaf): Html {
  const lines = text.split('\n');
  const written = html`${lines.map((line, index) => (index === 0 ? html`${line}` : html`<br>${line}`))}`;
  return marks.reduceRight(marked, written);
}

const COLOR = /^\$?[a-z]+$/;

function marked(inner: Html, { type, data }: Mark): Html {
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

function drawInline(node: Inline, drawing: Drawing): Html {
  const { type, data, nodes = [] } = node;
  const ref = asRef(data?.ref);
  switch (type) {
    case 'link':
      return link(ref && drawing.target(ref), html`${drawInlines(nodes, drawing)}`, drawing);
    case 'inline-image':
      return inlineImage(node, drawing);
    case 'emoji':
      return html`<span class="emoji">${emojiOf(textIn(data, 'code'))}</span>`;
    case 'icon':
      return html`<span class="inline-icon${colorClass(textIn(data, 'color'))}">${icon(textIn(data, 'icon'))}</span>`;
    case 'inline-math':
      return html`<span class="formula">${drawing.formula(textIn(data, 'formula'), false) ?? html`<code>${textIn(data, 'formula')}</code>`}</span>`;
    case 'annotation':
      return annotation(node, drawing);
    case 'mention': {
      const target = ref && drawing.target(ref);
      return link(target, html`${target?.icon}${target?.title ?? ''}`, drawing);
    }
    case 'button':
      return button(node, drawing);
    case 'expression':
    case 'markdown':
      return html``;
    default:
      return html`${drawInlines(nodes, drawing)}`;
  }
}

const colorClass = (color: string) =>
  color !== '' && color !== 'default' && COLOR.test(color) && ` fg-${color.replace('$', '')}`;

/** An emoji by its code points. */
export const emojiOf = (code: string): string =>
  /^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,9}$/i.test(code)
    ? code
        .split('-')
        .map((point) => Number.parseInt(point, 16))
        .filter((point) => point <= 0x10ffff)
        .map((point) => String.fromCodePoint(point))
        .join('')
    : code;

/** A link around drawn HTML; without a target, or around nothing visible, the HTML alone. */
export function link(target: Target | undefined, inner: Html, { texts, linksOpen }: Drawing): Html {
  const href = target?.href === undefined ? undefined : safeHref(target.href);
  const shown = shownIn(inner);
  if (!target || href === undefined || !shown) return inner;
  const opensTab = target.isExternal && linksOpen === 'blank';
  return html`<a href="${href}"${shown === 'image' && labelOf(target)}${opensTab && html` target="_blank" rel="noopener"`}>${inner}${
    opensTab && html`<span class="unseen"> (${texts.openElsewhere})</span>`
  }</a>`;
}

/** Names a link of images without alternative texts by its target, for screen readers. */
const labelOf = ({ title, href }: Target): Html => html` aria-label="${title || href}"`;

function inlineImage({ data }: Inline, drawing: Drawing): Html {
  const size = textIn(data, 'size');
  return (
    themedImage(data ?? {}, drawing, size === 'line' ? 'line' : 'original') ?? html`${textIn(data, 'alt')}`
  );
}

/** An image, and the one that stands for it in the dark; undefined if it is not there. */
export function themedImage(
  data: Record<string, unknown>,
  drawing: Drawing,
  className?: string,
  label?: string,
): Html | undefined {
  const alt = label ?? (typeof data.alt === 'string' ? data.alt : '');
  const one = (value: unknown, theme?: 'light' | 'dark'): Html | undefined => {
    const ref = asRef(value);
    const target = ref && drawing.target(ref);
    const source = target?.href === undefined ? undefined : safeSource(target.href);
    if (source === undefined) return undefined;
    const { width, height } = target?.file ?? {};
    const given = sizeOf(data, width, height);
    const classes = [className, theme && `only-${theme}`].filter(Boolean).join(' ');
    const isFirst = theme !== 'dark' && isFirstImage(drawing);
    const timing = isFirst ? html` fetchpriority="high"` : html` loading="lazy"`;
    return html`<img src="${source}" alt="${alt}"${timing} decoding="async"${given}${classes && html` class="${classes}"`}>`;
  };
  const dark = one(data.refDark, 'dark');
  const light = one(data.ref, dark && 'light');
  return light && html`${light}${dark}`;
}

/** Whether an image is the first of its page outside of tabs and what is folded: it is likely visible at once. */
function isFirstImage(drawing: Drawing): boolean {
  if (drawing.hasImage || !drawing.isOutlined) return false;
  drawing.hasImage = true;
  return true;
}

const pixels = (value: unknown): number | undefined => {
  const found =
    typeof value === 'string' || typeof value === 'number' ? Number.parseFloat(String(value)) : NaN;
  return Number.isFinite(found) && found > 0 && found < 10_000 ? Math.round(found) : undefined;
};

/** The size of an image in the page, so that nothing moves when it arrives. */
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

function annotation({ nodes = [], fragments = [] }: Inline, drawing: Drawing): Html {
  const body = fragments.flatMap((fragment) => fragment.nodes);
  drawing.count += 1;
  const id = `note-${drawing.count}`;
  const isOutlined = drawing.isOutlined;
  drawing.isOutlined = false;
  drawing.notes.push(html`<div class="note" id="${id}" popover>${drawing.blocks(body)}</div>`);
  drawing.isOutlined = isOutlined;
  return html`<button type="button" class="annotated" popovertarget="${id}">${drawInlines(nodes, drawing)}</button>`;
}

function button({ data }: Inline, drawing: Drawing): Html {
  const ref = asRef(data?.ref);
  const target = ref && drawing.target(ref);
  const href = target?.href === undefined ? undefined : safeHref(target.href);
  const named = textIn(data, 'icon');
  const own = html`${named !== '' && icon(named)}${textIn(data, 'label')}`;
  const label = shownIn(own) ? own : html`${target?.title ?? ''}`;
  const shown = shownIn(label);
  if (!shown) return html``;
  const kind = data?.kind === 'secondary' ? 'secondary' : 'primary';
  if (href === undefined) return html`<span class="button ${kind} off">${label}</span>`;
  const opensTab = target?.isExternal && drawing.linksOpen === 'blank';
  return html`<a class="button ${kind}" href="${href}"${target && shown === 'image' && labelOf(target)}${opensTab && html` target="_blank" rel="noopener"`}>${label}</a>`;
}
