import type { Block, Data, InlineNode } from '../../document/document.ts';
import type { Href, RefOf } from '../../document/refs.ts';
import { block, formatOf, numberIn, paragraph, setFormat, stringIn, textNode } from '../nodes.ts';
import { headingType, markdownLevel } from '../parse/headings.ts';
import { attributesToHtml, type HtmlElement, type HtmlNode, hasOnly } from './html.ts';
import { parseHtmlInlines, writeHtmlInlines } from './html-inlines.ts';

const ALIGNMENTS: ReadonlyMap<string, string> = new Map([
  ['left', 'start'],
  ['start', 'start'],
  ['center', 'center'],
  ['right', 'end'],
  ['end', 'end'],
]);
const ALIGN_ATTRIBUTE: ReadonlyMap<string, string> = new Map([
  ['start', 'left'],
  ['center', 'center'],
  ['end', 'right'],
]);

/** `<p>` or a heading's element, with the alignment that Markdown has no form for. */
export function parseAligned(source: string, element: HtmlElement, refOf: RefOf): Block | undefined {
  const level = /^h([1-6])$/.exec(element.tag)?.[1];
  if (element.tag !== 'p' && level === undefined) return undefined;
  if (!hasOnly(element, level === undefined ? ['align'] : ['align', 'id'])) return undefined;
  const written = element.attributes.get('align');
  const align = written === undefined ? undefined : ALIGNMENTS.get(written.toLowerCase());
  if (written !== undefined && align === undefined) return undefined;
  const data = align === undefined ? {} : { align };
  if (level === undefined) {
    const result = paragraph(parseHtmlInlines(source, trimmed(element.children), refOf));
    return align === undefined ? result : { ...result, data };
  }
  const { nodes, id } = splitAnchor(element);
  const inlines = parseHtmlInlines(source, trimmed(nodes), refOf);
  return headingOf(Number(level), inlines, { ...(id === undefined ? {} : { id }), ...data });
}

/** A heading by the level of its element, which counts as the number of its `#` would. */
export function headingOf(level: number, nodes: InlineNode[], data: Data): Block {
  const type = headingType(level);
  const heading = block(type, nodes.length > 0 ? nodes : [textNode('')], data);
  if (level !== markdownLevel(type, undefined)) setFormat(heading, 'level', level);
  return heading;
}

/** The level of a heading's element. */
export function headingLevel(heading: Block): number {
  return markdownLevel(heading.type, numberIn(formatOf(heading), 'level'));
}

/** The children of a heading and its anchor: its own, or that of an empty link at its end. */
function splitAnchor(heading: HtmlElement): { nodes: readonly HtmlNode[]; id: string | undefined } {
  const last = heading.children.at(-1);
  const isAnchor =
    last?.tag === 'a' &&
    last.children.length === 0 &&
    hasOnly(last, ['href', 'id']) &&
    last.attributes.has('id');
  const own = heading.attributes.get('id');
  if (!isAnchor || own !== undefined) return { nodes: heading.children, id: own };
  return { nodes: heading.children.slice(0, -1), id: last.attributes.get('id') };
}

/** Without the blanks around all content, which are none of it. */
function trimmed(nodes: readonly HtmlNode[]): HtmlNode[] {
  const result = [...nodes];
  const [first] = result;
  if (first && first.tag === undefined) result[0] = { ...first, text: first.text.trimStart() };
  const last = result.at(-1);
  if (last && last.tag === undefined) result[result.length - 1] = { ...last, text: last.text.trimEnd() };
  return result;
}

/** Whether a paragraph or heading is written as an element: it has an alignment, or was written so. */
export function isHtmlAligned(entry: Block): boolean {
  if (entry.type !== 'paragraph' && !entry.type.startsWith('heading-')) return false;
  return stringIn(entry.data, 'align') !== undefined || formatOf(entry).html === true;
}

/** A paragraph or heading as an element. */
export function writeAligned(entry: Block, hrefOf: Href): string {
  const align = ALIGN_ATTRIBUTE.get(stringIn(entry.data, 'align') ?? '');
  const isHeading = entry.type.startsWith('heading-');
  const tag = isHeading ? `h${headingLevel(entry)}` : 'p';
  const id = isHeading ? stringIn(entry.data, 'id') : undefined;
  const anchor =
    id === undefined
      ? ''
      : `<a${attributesToHtml([
          ['href', `#${id}`],
          ['id', id],
        ])}></a>`;
  const text = writeHtmlInlines(entry, hrefOf);
  return `<${tag}${attributesToHtml([['align', align]])}>${text}${anchor && ` ${anchor}`}</${tag}>`;
}
