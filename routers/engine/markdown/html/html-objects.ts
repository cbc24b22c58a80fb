import type { Data, Inline } from '../../document/document.ts';
import { asRef, type Href, type RefOf } from '../../document/refs.ts';
import { formatOf, setFormat, stringIn, voidInline } from '../nodes.ts';
import { emojiOfCode, isNameOf, nameOfCode } from '../parse/shortcodes.ts';
import {
  type AttributeRule,
  exactly,
  fieldIn,
  marker,
  matching,
  optional,
  readAttributes,
  reference,
  textual,
  writeAttributes,
} from './attribute-rules.ts';
import { encodeText, type HtmlElement, parseHtml } from './html.ts';
import { parseInlineImage, writeInlineImage } from './image-tags.ts';

/** How an element maps to an inline object that has no children. */
interface InlineElement {
  tag: string;
  type: string;
  /** In the order they are written. */
  attributes: readonly AttributeRule[];
  /** The fields read from the element's text; undefined if the element does not match. */
  read(text: string, data: Data): Data | undefined;
  /** The text of the element. */
  write(data: Data, hrefOf: Href): string;
  /** Whether Markdown has a shorter form, so that a hint records where the element was used. */
  isLonger?: boolean;
  /** Which nodes of the type are written as this element; all if absent. */
  isFor?(data: Data): boolean;
}

/** Text content that is a field. */
const textOf = (field: string): Pick<InlineElement, 'read' | 'write'> => ({
  read: (text) => (text === '' ? undefined : { [field]: text }),
  write: (data) => stringIn(data, field) ?? '',
});

const KIND = matching(
  'class',
  'kind',
  /^button (primary|secondary)$/,
  (kind) => `button ${kind === 'secondary' ? 'secondary' : 'primary'}`,
  { isRequired: true },
);
const ICON = optional('data-icon', 'icon');

/** A button that does something on the page. */
const actionButton = (action: string, value: AttributeRule): InlineElement => ({
  tag: 'button',
  type: 'button',
  attributes: [
    exactly('type', 'button'),
    KIND,
    {
      ...textual('data-action', 'action.action', { isRequired: true }),
      read: (text) => (text === action ? text : undefined),
    },
    value,
    ICON,
  ],
  ...textOf('label'),
  isFor: (data) => data.ref === undefined && fieldIn(data, 'action.action') === action,
});

const INLINE_ELEMENTS: readonly InlineElement[] = [
  {
    tag: 'a',
    type: 'mention',
    attributes: [exactly('data-mention', ''), reference('href', 'ref', 'link')],
    read: (text) => ({ text }),
    write(data, hrefOf) {
      const ref = asRef(data.ref);
      return stringIn(data, 'text') ?? (ref ? hrefOf(ref) : '');
    },
    isLonger: true,
  },
  {
    tag: 'a',
    type: 'button',
    attributes: [reference('href', 'ref', 'link'), KIND, ICON],
    ...textOf('label'),
    isFor: ({ ref, action }) => ref !== undefined || typeof action !== 'object' || action === null,
  },
  actionButton('ask', textual('data-query', 'action.query')),
  actionButton('search', textual('data-query', 'action.query')),
  actionButton('select', textual('data-slug', 'action.slug', { isRequired: true })),
  {
    tag: 'i',
    type: 'icon',
    attributes: [
      matching('class', 'icon', /^fa-([a-z0-9-]{1,50})$/, (icon) => `fa-${icon ?? ''}`, { isRequired: true }),
      matching('style', 'color', /^color:\s*([$a-z]{1,20})\s*;?$/, (color) =>
        color ? `color:${color};` : undefined,
      ),
    ],
    read: (text, { icon }) => (text === '' || text === `:${icon}:` ? {} : undefined),
    write: (data) => `:${stringIn(data, 'icon') ?? ''}:`,
  },
  {
    tag: 'code',
    type: 'expression',
    attributes: [exactly('class', 'expression')],
    ...textOf('expression'),
    // GitBook escapes what is Markdown elsewhere. None of it needs a backslash in an expression, not even in a string.
    read: (text) => (text === '' ? undefined : { expression: text.replace(/\\(?=[_*~`[\]<>|#!])/g, '') }),
  },
  {
    tag: 'span',
    type: 'emoji',
    attributes: [
      marker('data-gb-custom-inline'),
      exactly('data-tag', 'emoji'),
      {
        ...textual('data-code', 'code', { isRequired: true }),
        read: (code) => (emojiOfCode(code) === undefined ? undefined : code.toLowerCase()),
      },
    ],
    read: () => ({}),
    write: (data) => emojiOfCode(stringIn(data, 'code') ?? '') ?? '',
    isLonger: true,
  },
  {
    tag: 'span',
    type: 'inline-math',
    attributes: [exactly('class', 'math')],
    ...textOf('formula'),
    isLonger: true,
  },
];

/** The inline object that an element represents; undefined if there is none. */
export function parseHtmlObject(element: HtmlElement, refOf: RefOf): Inline | undefined {
  if (element.tag === 'img' || element.tag === 'picture') return parseInlineImage(element, refOf);
  const text = textIn(element);
  if (text === undefined) return undefined;
  for (const { tag, type, attributes, read, isLonger } of INLINE_ELEMENTS) {
    const data = tag === element.tag ? readAttributes(element, attributes, refOf) : undefined;
    const fields = data && read(text, data);
    if (!fields) continue;
    const node = voidInline(type, { ...data, ...fields });
    if (isLonger) setFormat(node, 'html', true);
    return node;
  }
  return undefined;
}

/** The text of an element that contains only text. */
export function textIn(element: HtmlElement): string | undefined {
  const [only] = element.children;
  if (element.children.length === 0) return '';
  return element.children.length === 1 && only?.tag === undefined ? only?.text : undefined;
}

/** The button that a piece of HTML represents; undefined if it is anything else. */
export function buttonOf(html: string): Inline | undefined {
  const [only, ...others] = html.startsWith('<button ') ? (parseHtml(html) ?? []) : [];
  if (only?.tag !== 'button' || others.length > 0) return undefined;
  // Its actions refer to nothing.
  return parseHtmlObject(only, (url) => ({ kind: 'url', url }));
}

/** The element for an inline object; undefined for other nodes. */
export function writeHtmlObject(node: Inline, hrefOf: Href): string | undefined {
  if (node.type === 'inline-image') return writeInlineImage(node, hrefOf);
  const data = node.data ?? {};
  // An invalid code is written as text.
  if (node.type === 'emoji' && emojiOfCode(stringIn(data, 'code') ?? '') === undefined)
    return encodeText(stringIn(data, 'code') ?? '');
  const rules = INLINE_ELEMENTS.filter(({ type }) => type === node.type);
  // A client may send an unknown action, which is written by the last rule.
  const rule = rules.find(({ isFor }) => isFor?.(data) ?? true) ?? rules.at(-1);
  if (!rule) return undefined;
  const { tag, attributes, write } = rule;
  return `<${tag}${writeAttributes(data, attributes, hrefOf)}>${encodeText(write(data, hrefOf))}</${tag}>`;
}

/** An emoji in Markdown: its original short name if that still names it, else the usual one, else an element. */
export function writeMarkdownEmoji(node: Inline, hrefOf: Href): string {
  const code = stringIn(node.data, 'code') ?? '';
  const { html, name } = formatOf(node);
  const usual = nameOfCode(code);
  const written = typeof name === 'string' && isNameOf(name, code) ? name : usual;
  return html === true || written === undefined ? (writeHtmlObject(node, hrefOf) ?? '') : `:${written}:`;
}
