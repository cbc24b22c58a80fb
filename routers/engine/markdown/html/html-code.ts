import type { Block, InlineNode, Mark, Text } from '../../document/document.ts';
import { appendText, block, blocksOf, formatOf, setFormat, stringIn, textNode } from '../nodes.ts';
import { attributesToHtml, encodeText, type HtmlElement, type HtmlNode, hasOnly } from './html.ts';
import { writeHtmlObject } from './html-objects.ts';
import type { Href } from './image-tags.ts';

const PRE_ATTRIBUTES = [
  'class',
  'data-title',
  'data-overflow',
  'data-line-numbers',
  'data-full-width',
  'data-expandable',
  'data-collapsed-line-count',
];
const BOLD: Mark = { object: 'mark', type: 'bold' };

/** `<pre><code>`, which is written for code with highlighted lines; undefined if anything in it is unknown. */
export function parsePre(pre: HtmlElement): Block | undefined {
  const [code] = pre.children;
  if (pre.tag !== 'pre' || pre.children.length !== 1 || code?.tag !== 'code') return undefined;
  if (!hasOnly(pre, PRE_ATTRIBUTES) || !hasOnly(code, ['class'])) return undefined;
  const data = dataOf(pre, code);
  const lines = linesOf(code.children);
  if (!data || !lines) return undefined;
  const result = block('code', lines, data);
  setFormat(result, 'pre', true);
  return result;
}

function dataOf(pre: HtmlElement, code: HtmlElement): Record<string, unknown> | undefined {
  const data: Record<string, unknown> = {};
  const language = /^language-(\S+)$/.exec(pre.attributes.get('class') ?? '')?.[1];
  const inner = /^lang(?:uage)?-(\S+)$/.exec(code.attributes.get('class') ?? '')?.[1];
  if (pre.attributes.has('class') !== (language !== undefined)) return undefined;
  if (code.attributes.has('class') !== (inner !== undefined)) return undefined;
  const syntax = language ?? inner;
  if (syntax !== undefined) data.syntax = syntax;
  const title = pre.attributes.get('data-title');
  if (title !== undefined) data.title = title;
  const overflow = pre.attributes.get('data-overflow');
  if (overflow !== undefined) data.overflow = overflow;
  if (overflow !== undefined && overflow !== 'wrap' && overflow !== 'scroll') return undefined;
  for (const [attribute, property] of FLAGS) {
    const value = pre.attributes.get(attribute);
    if (value === undefined) continue;
    if (value !== '' && value !== 'true' && value !== 'false') return undefined;
    data[property] = value !== 'false';
  }
  const count = pre.attributes.get('data-collapsed-line-count');
  if (count !== undefined && !/^[1-9]\d{0,5}$/.test(count)) return undefined;
  if (count !== undefined) data.collapsedLineCount = Number(count);
  return data;
}

const FLAGS = [
  ['data-line-numbers', 'lineNumbers'],
  ['data-full-width', 'fullWidth'],
  ['data-expandable', 'expandable'],
] as const;

type Line = { text: Text; isHighlighted: boolean };

/** The lines of code; those that are in `<strong>` as a whole are highlighted. */
function linesOf(children: readonly HtmlNode[]): Block[] | undefined {
  const lines: Line[] = [];
  let nodes: InlineNode[] = [];
  let isStrong = true;
  const end = (isEndStrong: boolean) => {
    const [text = textNode('')] = nodes as Text[];
    const isHighlighted = isStrong && (nodes.length > 0 || isEndStrong);
    if (isHighlighted) for (const leaf of text.leaves) leaf.marks = [];
    lines.push({ text, isHighlighted });
    nodes = [];
    isStrong = true;
  };
  for (const child of children) {
    const strong = child.tag === 'strong' && child.attributes.size === 0;
    const inner = strong ? child.children : child.tag === undefined ? [child] : undefined;
    if (!inner) return undefined;
    for (const part of inner) {
      if (part.tag !== undefined) return undefined;
      part.text.split('\n').forEach((text, index) => {
        if (index > 0) end(strong);
        if (text !== '' && !strong) isStrong = false;
        appendText(nodes, text, strong ? [BOLD] : []);
      });
    }
  }
  if (nodes.length > 0 || lines.length === 0) end(false);
  return lines.map(({ text, isHighlighted }) =>
    block('code-line', [text], isHighlighted ? { highlighted: true } : {}),
  );
}

/** Whether code has what a fence cannot express, or was written as an element. */
export function needsPre(code: Block): boolean {
  if (formatOf(code).pre === true) return true;
  return code.nodes?.some((line) => line.object === 'block' && line.data?.highlighted === true) === true;
}

export function writePre(code: Block, hrefOf: Href): string {
  const data = code.data ?? {};
  const syntax = stringIn(data, 'syntax');
  const flag = (value: unknown) => (value === true ? 'true' : value === false ? 'false' : undefined);
  const attributes = attributesToHtml([
    ['class', syntax && `language-${syntax}`],
    ['data-title', stringIn(data, 'title')],
    ['data-overflow', stringIn(data, 'overflow')],
    ['data-line-numbers', data.lineNumbers === false ? 'false' : data.lineNumbers === true],
    ['data-full-width', flag(data.fullWidth)],
    ['data-expandable', flag(data.expandable)],
    [
      'data-collapsed-line-count',
      typeof data.collapsedLineCount === 'number' ? data.collapsedLineCount : undefined,
    ],
  ]);
  const lines = blocksOf(code.nodes).map((line) => {
    const text = writeLine(line, hrefOf);
    return line.data?.highlighted === true ? `<strong>${text}\n</strong>` : `${text}\n`;
  });
  return `<pre${attributes}><code${attributesToHtml([['class', syntax && `lang-${syntax}`]])}>${lines.join('')}</code></pre>`;
}

function writeLine(line: Block, hrefOf: Href): string {
  let html = '';
  for (const node of line.nodes ?? []) {
    if (node.object === 'inline') html += writeHtmlObject(node, hrefOf) ?? '';
    if (node.object !== 'text') continue;
    for (const leaf of node.leaves) {
      const text = encodeText(leaf.text);
      const isBold = leaf.marks.some((mark) => mark.type === 'bold') && line.data?.highlighted !== true;
      html += isBold ? `<strong>${text}</strong>` : text;
    }
  }
  return html;
}
