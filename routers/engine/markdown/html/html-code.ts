import type { Block, InlineNode, Mark, Text } from '../../document/document.ts';
import type { Href, RefOf } from '../../document/refs.ts';
import { appendText, block, blocksOf, formatOf, setFormat, textNode } from '../nodes.ts';
import { type AttributeRule, matching, readAttributes, textual, writeAttributes } from './attribute-rules.ts';
import { encodeText, type HtmlElement, type HtmlNode } from './html.ts';
import { writeHtmlObject } from './html-objects.ts';

/** An attribute that is `true` or `false`; its name alone is true as well. */
const flag = (name: string, field: string): AttributeRule => ({
  name,
  field,
  read: (text) => (text === '' || text === 'true' ? true : text === 'false' ? false : undefined),
  write: (value) => (typeof value === 'boolean' ? String(value) : undefined),
});

const language = (prefix: string, pattern: RegExp): AttributeRule =>
  matching('class', 'syntax', pattern, (syntax) => (syntax ? prefix + syntax : undefined));

const PRE_ATTRIBUTES: readonly AttributeRule[] = [
  language('language-', /^language-(\S+)$/),
  textual('data-title', 'title'),
  {
    ...textual('data-overflow', 'overflow'),
    read: (text) => (text === 'wrap' || text === 'scroll' ? text : undefined),
  },
  // Written by its name alone where it is true.
  {
    ...flag('data-line-numbers', 'lineNumbers'),
    write: (value) => (value === false ? 'false' : value === true),
  },
  flag('data-full-width', 'fullWidth'),
  flag('data-expandable', 'expandable'),
  {
    name: 'data-collapsed-line-count',
    field: 'collapsedLineCount',
    read: (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined),
    write: (value) => (typeof value === 'number' ? value : undefined),
  },
];
const CODE_ATTRIBUTES = [language('lang-', /^lang(?:uage)?-(\S+)$/)];

const BOLD: Mark = { object: 'mark', type: 'bold' };

/** `<pre><code>`, which is written for code with highlighted lines; undefined if anything in it is unknown. */
export function parsePre(pre: HtmlElement, refOf: RefOf): Block | undefined {
  const [code] = pre.children;
  if (pre.tag !== 'pre' || pre.children.length !== 1 || code?.tag !== 'code') return undefined;
  const inner = readAttributes(code, CODE_ATTRIBUTES, refOf);
  const data = readAttributes(pre, PRE_ATTRIBUTES, refOf);
  const lines = linesOf(code.children);
  if (!inner || !data || !lines) return undefined;
  const result = block('code', lines, { ...inner, ...data });
  setFormat(result, 'pre', true);
  return result;
}

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
  const lines = blocksOf(code.nodes).map((line) => {
    const text = writeLine(line, hrefOf);
    return line.data?.highlighted === true ? `<strong>${text}\n</strong>` : `${text}\n`;
  });
  const attributes = writeAttributes(data, PRE_ATTRIBUTES, hrefOf);
  return `<pre${attributes}><code${writeAttributes(data, CODE_ATTRIBUTES, hrefOf)}>${lines.join('')}</code></pre>`;
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
