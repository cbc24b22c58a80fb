import type { Block } from '../../document/document.ts';
import type { Href } from '../../document/refs.ts';
import { formatOf, stringIn, textNode } from '../nodes.ts';
import { headingType, levelHint, levelOf } from '../parse/headings.ts';
import type { AttributeRule } from './attribute-rules.ts';
import { type ElementContent, type ElementRule, writeElement } from './element-rules.ts';
import { attributesToHtml, type HtmlElement, type HtmlNode, hasOnly } from './html.ts';
import { parseHtmlInlines, writeHtmlInlines } from './html-inlines.ts';

const ALIGNMENTS: ReadonlyMap<string, string> = new Map([
  ['left', 'start'],
  ['start', 'start'],
  ['center', 'center'],
  ['right', 'end'],
  ['end', 'end'],
]);
const ALIGN_ATTRIBUTE: ReadonlyMap<unknown, string> = new Map([
  ['start', 'left'],
  ['center', 'center'],
  ['end', 'right'],
]);

/** The alignment of text, which Markdown has no syntax for. */
const ALIGN: AttributeRule = {
  name: 'align',
  field: 'align',
  read: (text) => ALIGNMENTS.get(text.toLowerCase()),
  write: (align) => ALIGN_ATTRIBUTE.get(align),
};

const TEXT: ElementContent = {
  read(nodes, { source, refOf }) {
    const inlines = parseHtmlInlines(source, trimmed(nodes), refOf);
    return { nodes: inlines.length > 0 ? inlines : [textNode('')] };
  },
  write: writeHtmlInlines,
};

/** Nodes without the leading and trailing white space of all of them, which is not content. */
export function trimmed(nodes: readonly HtmlNode[]): HtmlNode[] {
  const result = [...nodes];
  const [first] = result;
  if (first && first.tag === undefined) result[0] = { ...first, text: first.text.trimStart() };
  const last = result.at(-1);
  if (last && last.tag === undefined) result[result.length - 1] = { ...last, text: last.text.trimEnd() };
  return result;
}

/** The text of a heading, which may end with an empty link that gives its id. */
const TEXT_WITH_ANCHOR: ElementContent = {
  read(nodes, reading, heading) {
    const last = nodes.at(-1);
    if (!isAnchor(last) || heading.attributes.has('id')) return TEXT.read(nodes, reading, heading);
    const id = last.attributes.get('id');
    return { ...TEXT.read(nodes.slice(0, -1), reading, heading), data: { id } };
  },
  write(heading, hrefOf) {
    const id = stringIn(heading.data, 'id');
    const text = writeHtmlInlines(heading, hrefOf);
    if (id === undefined) return text;
    const attributes = attributesToHtml([
      ['href', `#${id}`],
      ['id', id],
    ]);
    return `${text} <a${attributes}></a>`;
  },
};

const isAnchor = (node: HtmlNode | undefined): node is HtmlElement =>
  node?.tag === 'a' &&
  node.children.length === 0 &&
  hasOnly(node, ['href', 'id']) &&
  node.attributes.has('id');

export const PARAGRAPH: ElementRule = {
  tag: 'p',
  type: 'paragraph',
  attributes: [ALIGN],
  content: TEXT,
  mayLackData: true,
};

/** The elements of headings, by level: `<h2>` is what `##` is. */
export const HEADINGS = [1, 2, 3, 4, 5, 6].map(
  (level): ElementRule => ({
    tag: `h${level}`,
    type: headingType(level),
    // The id is written as an anchor.
    attributes: [{ name: 'id', field: 'id', read: (text) => text, write: () => undefined }, ALIGN],
    content: TEXT_WITH_ANCHOR,
    isFor: (heading) => levelOf(heading) === level,
    hintsOf: () => levelHint(level),
  }),
);

const isHeading = ({ type }: Block): boolean => type.startsWith('heading-');

/** Whether a block is a paragraph or a heading. */
export const isText = (block: Block): boolean => block.type === 'paragraph' || isHeading(block);

/** Whether a paragraph or heading is written as an element: it has an alignment, or was written so. */
export function isTextElement(block: Block): boolean {
  if (!isText(block)) return false;
  return stringIn(block.data, 'align') !== undefined || formatOf(block).html === true;
}

/** A heading as an element, and the text of any other block as a paragraph. */
export function writeTextElement(block: Block, hrefOf: Href): string {
  const heading = isHeading(block) ? HEADINGS[levelOf(block) - 1] : undefined;
  return writeElement(heading ?? PARAGRAPH, block, hrefOf);
}
