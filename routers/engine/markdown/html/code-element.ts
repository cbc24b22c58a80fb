import type { Block, Inline, InlineNode, Mark } from '../../document/document.ts';
import type { Href } from '../../document/refs.ts';
import { appendText, block, blocksOf, distinctMarks, formatOf, leafText, textNode } from '../nodes.ts';
import { rawInline, writeRaw } from '../parse/raw.ts';
import {
  type AttributeRule,
  flag,
  matching,
  oneOf,
  readAttributes,
  textual,
  writeAttributes,
} from './attribute-rules.ts';
import type { ContentParts, ElementContent, ElementRule, HtmlReading } from './element-rules.ts';
import { encodeText, type HtmlElement, type HtmlNode } from './html.ts';
import { parseHtmlObject, textIn, writeHtmlObject } from './html-objects.ts';

/** A flag that is also true when only its name is written. */
const nameableFlag = (name: string, field: string): AttributeRule => {
  const rule = flag(name, field);
  return { ...rule, read: (text, refOf) => (text === '' ? true : rule.read(text, refOf)) };
};

const language = (prefix: string, pattern: RegExp): AttributeRule =>
  matching('class', 'syntax', pattern, (syntax) => (syntax ? prefix + syntax : undefined));

const LANGUAGE = /^language-(\S+)$/;
const PRE_ATTRIBUTES: readonly AttributeRule[] = [
  language('language-', LANGUAGE),
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
  read(children, reading) {
    const [code, ...others] = children;
    if (code?.tag !== 'code') return readBare(children, reading);
    if (others.length > 0) return undefined;
    const data = readAttributes(code, CODE_ATTRIBUTES, reading.refOf);
    const nodes = readLines(code.children, reading);
    return data && nodes && { nodes, data, format: { pre: true } };
  },
  write(code, hrefOf) {
    const lines = blocksOf(code.nodes).map((line) => {
      const text = writeLine(line, hrefOf);
      return line.data?.highlighted === true ? `<strong>${text}\n</strong>` : `${text}\n`;
    });
    const { bare } = formatOf(code);
    if (bare !== undefined) return (bare === 'line' || lines[0] === '\n' ? '\n' : '') + lines.join('');
    return `<code${writeAttributes(code.data ?? {}, CODE_ATTRIBUTES, hrefOf)}>${lines.join('')}</code>`;
  },
};

/** The lines right in `<pre>`. A line end after its tag is no part of them. */
function readBare([first, ...others]: readonly HtmlNode[], reading: HtmlReading): ContentParts | undefined {
  const hasLine = first !== undefined && first.tag === undefined && first.text.startsWith('\n');
  const children = hasLine
    ? [{ ...first, text: first.text.slice(1) }, ...others]
    : first
      ? [first, ...others]
      : [];
  const nodes = readLines(children, reading);
  return nodes && { nodes, format: { pre: true, bare: hasLine ? 'line' : true } };
}

/** `<pre>`, usually with `<code>` in it, which can highlight lines. */
export const PRE: ElementRule = {
  tag: 'pre',
  type: 'code',
  attributes: PRE_ATTRIBUTES,
  content: CODE,
  isOther: (name, value) =>
    (name === 'class' && !LANGUAGE.test(value)) || /^(?:id|style|lang|dir|title|width|translate)$/.test(name),
};

/** Whether code has what a fence cannot express, or was written as an element. */
export function needsPre(code: Block): boolean {
  if (formatOf(code).pre === true) return true;
  return code.nodes?.some((line) => line.object === 'block' && line.data?.highlighted === true) === true;
}

type Line = { nodes: InlineNode[]; isHighlighted: boolean };

/**
 * The lines of code, with expressions and references to footnotes; those that are in `<strong>` as a whole are highlighted.
 * Undefined if there is anything else.
 */
function readLines(children: readonly HtmlNode[], reading: HtmlReading): Block[] | undefined {
  const lines: Line[] = [];
  let nodes: InlineNode[] = [];
  let isStrong = true;
  const end = (isEndStrong: boolean) => {
    const isHighlighted = isStrong && (nodes.length > 0 || isEndStrong);
    lines.push({ nodes: nodes.length > 0 ? nodes : [textNode('')], isHighlighted });
    nodes = [];
    isStrong = true;
  };
  for (const child of children) {
    const strong = child.tag === 'strong' && child.attributes.size === 0;
    for (const part of strong ? child.children : [child]) {
      if (part.tag !== undefined) {
        const inline = readObject(part, reading);
        if (!inline) return undefined;
        if (strong) inline.data = { ...inline.data, marks: [BOLD] };
        else isStrong = false;
        nodes.push(inline);
        continue;
      }
      part.text.split('\n').forEach((text, index) => {
        if (index > 0) end(strong);
        if (text !== '' && !strong) isStrong = false;
        appendText(nodes, text, strong ? [BOLD] : []);
      });
    }
  }
  if (nodes.length > 0 || lines.length === 0) end(false);
  return lines.map(({ nodes, isHighlighted }) =>
    block(
      'code-line',
      isHighlighted ? nodes.map(withoutMarks) : nodes,
      isHighlighted ? { highlighted: true } : {},
    ),
  );
}

/** An expression, or a reference to a footnote, which is kept verbatim; undefined for other elements. */
function readObject(element: HtmlElement, { source, refOf }: HtmlReading): Inline | undefined {
  if (textIn(element)?.includes('\n') !== false) return undefined;
  const object = parseHtmlObject(element, refOf);
  if (object?.type === 'expression') return object;
  const isNote = element.tag === 'a' && element.attributes.has('data-footnote-ref');
  return isNote ? rawInline(source.slice(element.start, element.end), refOf) : undefined;
}

function withoutMarks(node: InlineNode): InlineNode {
  if (node.object === 'text') return { ...node, leaves: node.leaves.map((leaf) => ({ ...leaf, marks: [] })) };
  const { marks: _, ...data } = node.data ?? {};
  return { ...node, data };
}

const isBold = (marks: readonly Mark[]): boolean => marks.some(({ type }) => type === 'bold');

function writeLine(line: Block, hrefOf: Href): string {
  let html = '';
  const add = (text: string, marks: readonly Mark[]) => {
    html += isBold(marks) && line.data?.highlighted !== true ? `<strong>${text}</strong>` : text;
  };
  for (const node of line.nodes ?? []) {
    if (node.object === 'text') for (const leaf of node.leaves) add(encodeText(leaf.text), leaf.marks);
    if (node.object === 'inline') add(writeObject(node, hrefOf), distinctMarks(node.data?.marks));
  }
  return html;
}

/** An inline as HTML; the text of one that code cannot contain. */
const writeObject = (node: Inline, hrefOf: Href): string =>
  node.type === 'markdown'
    ? writeRaw(node, hrefOf)
    : (writeHtmlObject(node, hrefOf) ?? encodeText(leafText(node.nodes)));
