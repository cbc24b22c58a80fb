import type { Data, Inline } from '../../document/document.ts';
import { asRef } from '../../document/refs.ts';
import { formatOf, setFormat, stringIn, voidInline } from '../nodes.ts';
import { emojiOfCode, isNameOf, nameOfCode } from '../parse/shortcodes.ts';
import {
  attributesToHtml,
  encodeAttribute,
  encodeText,
  type HtmlElement,
  hasOnly,
  parseHtml,
} from './html.ts';
import { type Href, parseInlineImage, type RefOf, writeInlineImage } from './image-tags.ts';

/** An inline object without content of its own, from the element that stands for it; undefined if it stands for none. */
export function parseHtmlObject(element: HtmlElement, refOf: RefOf): Inline | undefined {
  switch (element.tag) {
    case 'img':
    case 'picture':
      return parseInlineImage(element, refOf);
    case 'a':
      return parseMention(element, refOf) ?? parseButton(element, refOf);
    case 'button':
      return parseActionButton(element);
    case 'i':
      return parseIcon(element);
    case 'code':
      return parseExpression(element);
    case 'span':
      return parseEmoji(element) ?? parseMath(element);
    default:
      return undefined;
  }
}

/** The text of an element that holds nothing else. */
export function textIn(element: HtmlElement): string | undefined {
  const [only] = element.children;
  if (element.children.length === 0) return '';
  return element.children.length === 1 && only?.tag === undefined ? only?.text : undefined;
}

function parseMention(element: HtmlElement, refOf: RefOf): Inline | undefined {
  const href = element.attributes.get('href');
  const text = textIn(element);
  if (href === undefined || text === undefined || element.attributes.get('data-mention') !== '')
    return undefined;
  if (!hasOnly(element, ['href', 'data-mention'])) return undefined;
  const mention = voidInline('mention', { ref: refOf(href, 'link'), text });
  setFormat(mention, 'html', true);
  return mention;
}

const BUTTON_CLASS = /^button (primary|secondary)$/;

function parseButton(element: HtmlElement, refOf: RefOf): Inline | undefined {
  const href = element.attributes.get('href');
  const label = textIn(element);
  const kind = BUTTON_CLASS.exec(element.attributes.get('class') ?? '')?.[1];
  const icon = element.attributes.get('data-icon');
  if (href === undefined || !label || !kind || !hasOnly(element, ['href', 'class', 'data-icon']))
    return undefined;
  return voidInline('button', { label, kind, ref: refOf(href, 'link'), ...(icon ? { icon } : {}) });
}

/** The attribute that an action needs or may have. */
const ACTIONS: ReadonlyMap<string, { attribute: string; field: string; isRequired: boolean }> = new Map([
  ['ask', { attribute: 'data-query', field: 'query', isRequired: false }],
  ['search', { attribute: 'data-query', field: 'query', isRequired: false }],
  ['select', { attribute: 'data-slug', field: 'slug', isRequired: true }],
]);

/** A button that does something on the page. */
function parseActionButton(element: HtmlElement): Inline | undefined {
  const { attributes } = element;
  const label = textIn(element);
  const kind = BUTTON_CLASS.exec(attributes.get('class') ?? '')?.[1];
  const action = attributes.get('data-action') ?? '';
  const known = ACTIONS.get(action);
  if (!label || !kind || !known || attributes.get('type') !== 'button') return undefined;
  if (!hasOnly(element, ['type', 'class', 'data-action', known.attribute, 'data-icon'])) return undefined;
  const value = attributes.get(known.attribute);
  if (value === undefined && known.isRequired) return undefined;
  const icon = attributes.get('data-icon');
  return voidInline('button', {
    label,
    kind,
    action: { action, ...(value !== undefined && { [known.field]: value }) },
    ...(icon && { icon }),
  });
}

function writeActionButton(data: Data, kind: string): string {
  const action = data.action as Data;
  const known = typeof action.action === 'string' ? ACTIONS.get(action.action) : undefined;
  return `<button${attributesToHtml([
    ['type', 'button'],
    ['class', `button ${kind}`],
    ['data-action', stringIn(action, 'action')],
    [known?.attribute ?? 'data-query', known && stringIn(action, known.field)],
    ['data-icon', stringIn(data, 'icon')],
  ])}>${encodeText(stringIn(data, 'label') ?? '')}</button>`;
}

/** The button that HTML is; undefined for other text. */
export function buttonOf(html: string): Inline | undefined {
  const [only, ...others] = html.startsWith('<button ') ? (parseHtml(html) ?? []) : [];
  return only?.tag === 'button' && others.length === 0 ? parseActionButton(only) : undefined;
}

const ICON_CLASS = /^fa-([a-z0-9-]{1,50})$/;
const ICON_STYLE = /^color:\s*([$a-z]{1,20})\s*;?$/;

function parseIcon(element: HtmlElement): Inline | undefined {
  const icon = ICON_CLASS.exec(element.attributes.get('class') ?? '')?.[1];
  const text = textIn(element);
  const style = element.attributes.get('style');
  const color = style === undefined ? undefined : ICON_STYLE.exec(style)?.[1];
  if (icon === undefined || !hasOnly(element, ['class', 'style'])) return undefined;
  if ((style !== undefined && color === undefined) || (text !== '' && text !== `:${icon}:`)) return undefined;
  return voidInline('icon', { icon, ...(color ? { color } : {}) });
}

function parseExpression(element: HtmlElement): Inline | undefined {
  const expression = textIn(element);
  const isExpression = element.attributes.get('class') === 'expression' && hasOnly(element, ['class']);
  return isExpression && expression ? voidInline('expression', { expression }) : undefined;
}

const EMOJI_ATTRIBUTES = ['data-gb-custom-inline', 'data-tag', 'data-code'];

function parseEmoji(element: HtmlElement): Inline | undefined {
  const code = element.attributes.get('data-code');
  if (element.attributes.get('data-tag') !== 'emoji' || !hasOnly(element, EMOJI_ATTRIBUTES)) return undefined;
  const isEmoji = code !== undefined && textIn(element) !== undefined && emojiOfCode(code) !== undefined;
  if (!isEmoji) return undefined;
  const emoji = voidInline('emoji', { code: code.toLowerCase() });
  setFormat(emoji, 'html', true);
  return emoji;
}

function parseMath(element: HtmlElement): Inline | undefined {
  const formula = textIn(element);
  const isMath = element.attributes.get('class') === 'math' && hasOnly(element, ['class']);
  if (!isMath || !formula) return undefined;
  const math = voidInline('inline-math', { formula });
  setFormat(math, 'html', true);
  return math;
}

/** The element for an inline object; undefined for other nodes. */
export function writeHtmlObject(node: Inline, hrefOf: Href): string | undefined {
  const data = node.data ?? {};
  const ref = asRef(data.ref);
  const href = ref ? hrefOf(ref) : '';
  const string = (name: string) => stringIn(data, name) ?? '';
  switch (node.type) {
    case 'inline-image':
      return writeInlineImage(node, hrefOf);
    case 'mention':
      return `<a data-mention href="${encodeAttribute(href)}">${encodeText(stringIn(data, 'text') ?? href)}</a>`;
    case 'button': {
      const kind = data.kind === 'secondary' ? 'secondary' : 'primary';
      if (data.ref === undefined && typeof data.action === 'object' && data.action !== null)
        return writeActionButton(data, kind);
      const attributes: [string, string | undefined][] = [
        ['href', href],
        ['class', `button ${kind}`],
        ['data-icon', stringIn(data, 'icon')],
      ];
      return `<a${attributesToHtml(attributes)}>${encodeText(string('label'))}</a>`;
    }
    case 'icon': {
      const color = stringIn(data, 'color');
      const attributes: [string, string | undefined][] = [
        ['class', `fa-${string('icon')}`],
        ['style', color && `color:${color};`],
      ];
      return `<i${attributesToHtml(attributes)}>:${encodeText(string('icon'))}:</i>`;
    }
    case 'expression':
      return `<code class="expression">${encodeText(string('expression'))}</code>`;
    case 'emoji':
      return writeEmoji(node);
    case 'inline-math':
      return `<span class="math">${encodeText(string('formula'))}</span>`;
    default:
      return undefined;
  }
}

/** An emoji as the element that older exports have for it. */
function writeEmoji(node: Inline): string {
  const code = stringIn(node.data, 'code') ?? '';
  const emoji = emojiOfCode(code);
  if (emoji === undefined) return encodeText(code);
  const attributes = attributesToHtml([
    ['data-gb-custom-inline', true],
    ['data-tag', 'emoji'],
    ['data-code', code],
  ]);
  return `<span${attributes}>${encodeText(emoji)}</span>`;
}

/** An emoji in Markdown: by its short name where it has one, as it was written if that is still the same emoji. */
export function writeMarkdownEmoji(node: Inline): string {
  const code = stringIn(node.data, 'code') ?? '';
  const { html, name } = formatOf(node);
  if (html === true) return writeEmoji(node);
  const usual = nameOfCode(code);
  const written = typeof name === 'string' && isNameOf(name, code) ? name : usual;
  return written === undefined ? writeEmoji(node) : `:${written}:`;
}
