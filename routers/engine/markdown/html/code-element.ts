import type { Block, InlineNode, Mark, Text } from '../../document/document.ts';
import type { Href } from '../../document/refs.ts';
import { appendText, block, blocksOf, formatOf, textNode } from '../nodes.ts';
import {
  type AttributeRule,
  flag,
  matching,
  oneOf,
  readAttributes,
  textual,
  writeAttributes,
} from './attribute-rules.ts';
import type { ElementContent, ElementRule } from './element-rules.ts';
import { encodeText, type HtmlNode } from './html.ts';
import { writeHtmlObject } from './html-objects.ts';

/** A flag that is also true when only its name is written. */
const nameableFlag = (name: string, field: string): AttributeRule => {
  const rule = flag(name, field);
  return { ...rule, read: (text, refOf) => (text === '' ? true : rule.read(text, refOf)) };
};

const language = (prefix: string, pattern: RegExp): AttributeRule =>
  matching('class', 'syntax', pattern, (syntax) => (syntax ? prefix + syntax : undefined));

const PRE_ATTRIBUTES: readonly AttributeRule[] = [
  language('language-', /^language-(\S+)$/),
  textual('data-title', 'title'),
  oneOf('data-overflow', 'overflow', ['wrap', 'scroll']),
  // When true, only its name is written.
  {
    ...nameableFlag('data-line-numbers', 'lineNumbers'),
    write: (value) => (value === false ? 'false' : value === true),
  },
  nameableFlag('data-full-width', 'fullWidth'),
  nameableFlag('data-expandable', 'expandable'),
  {
    name: 'data-collapsed-line-count',
    field: 'collapsedLineCount',
    read: (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined),
    write: (value) => (typeof value === 'number' ? value : undefined),
  },
];
const CODE_ATTRIBUTES = [language('lang-', /^lang(?:uage)?-(\S+)$/)];

const BOLD: Mark = { object: 'mark', type: 'bold' };

const CODE: ElementContent = {
  read([code, ...others], { refOf }) {
    if (code?.tag !== 'code' || others.length > 0) return undefined;
    const data = readAttributes(code, CODE_ATTRIBUTES, refOf);
    const nodes = readLines(code.children);
    return data && nodes && { nodes, data, format: { pre: true } };
  },
  write(code, hrefOf) {
    const lines = blocksOf(code.nodes).map((line) => {
      const text = writeLine(line, hrefOf);
      return line.data?.highlighted === true ? `<strong>${text}\n</strong>` : `${text}\n`;
    });
    return `<code${writeAttributes(code.data ?? {}, CODE_ATTRIBUTES, hrefOf)}>${lines.join('')}</code>`;
  },
};

/** `<pre><code>`, which can highlight lines. */
export const PRE: ElementRule = { tag: 'pre', type: 'code', attributes: PRE_ATTRIBUTES, content: CODE };

/** Whether code has what a fence cannot express, or was written as an element. */
export function needsPre(code: Block): boolean {
  if (formatOf(code).pre === true) return true;
  return code.nodes?.some((line) => line.object === 'block' && line.data?.highlighted === true) === true;
}

type Line = { text: Text; isHighlighted: boolean };

/** The lines of code; those that are in `<strong>` as a whole are highlighted. */
function readLines(children: readonly HtmlNode[]): Block[] | undefined {
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
