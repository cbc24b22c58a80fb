/** Parsed HTML without what readers see nothing of, such as elements and attributes that only matter to style sheets. */

import { type HtmlElement, type HtmlNode, isHidden } from '../html/html.ts';
import { isPlayer } from '../html/player-elements.ts';

/** Elements that only hold others, and paragraphs, which often begin and end in different blocks of HTML as those do. */
export const WRAPPERS: readonly string[] = [
  'div',
  'center',
  'section',
  'article',
  'header',
  'footer',
  'main',
  'aside',
  'p',
];
/** Inline elements that look like the text around them, or for whose look there is no mark. */
const PLAIN_INLINES = new Set([
  'font',
  'span',
  'small',
  'big',
  'u',
  'ins',
  'abbr',
  'cite',
  'samp',
  'var',
  'tt',
  'button',
  'label',
]);

/** By element, the attributes that mean something to readers. */
const SHOWN_ATTRIBUTES: ReadonlyMap<string, readonly string[] | 'all'> = new Map(
  Object.entries({
    'center section article header footer main aside p': ['align'],
    'h1 h2 h3 h4 h5 h6': ['align', 'id'],
    'blockquote hr li figure figcaption picture': [],
    'strong b em del s kbd sup sub br': [],
    'details summary dl dt dd': [],
    ol: ['start'],
    a: ['href', 'title', 'target', 'rel'],
    img: ['src', 'alt', 'data-size', 'width', 'height'],
    'div ul code i mark input source': 'all' as const,
  }).flatMap(([tags, names]) => tags.split(' ').map((tag) => [tag, names] as const)),
);

/** Nodes without what readers see nothing of; undefined if there is an element that has no counterpart. */
export function plainNodes(nodes: readonly HtmlNode[]): HtmlNode[] | undefined {
  const result: HtmlNode[] = [];
  for (const node of nodes) {
    // A table is read by itself, and code shows all that it has.
    if (node.tag === undefined || node.tag === 'table' || node.tag === 'pre') {
      result.push(node);
      continue;
    }
    if (isHidden(node) || node.tag === 'style') continue;
    if (isPlayer(node)) {
      result.push(node);
      continue;
    }
    const children = plainNodes(node.children);
    if (!children) return undefined;
    if (PLAIN_INLINES.has(node.tag) && !isObject(node)) for (const child of children) result.push(child);
    else if (PLAIN_INLINES.has(node.tag)) result.push({ ...node, children });
    else if (SHOWN_ATTRIBUTES.has(node.tag))
      result.push({ ...node, attributes: shownAttributes(node), children });
    else return undefined;
  }
  return result;
}

/** Whether the attributes of an element may make it an emoji, a formula, an icon or a button. */
const isObject = ({ attributes }: HtmlElement): boolean =>
  attributes.has('data-tag') ||
  attributes.has('data-mention') ||
  /^(?:math|button )/.test(attributes.get('class') ?? '');

function shownAttributes(element: HtmlElement): HtmlElement['attributes'] {
  const { tag, attributes, children } = element;
  const shown = SHOWN_ATTRIBUTES.get(tag);
  // An empty link is an anchor.
  if (!shown || shown === 'all' || isObject(element) || (tag === 'a' && children.length === 0))
    return attributes;
  return new Map([...attributes].filter(([name]) => shown.includes(name)));
}
