import {
  type Block,
  type BlockNode,
  type Data,
  type Document,
  type Format,
  type Fragment,
  type Inline,
  type InlineNode,
  type Leaf,
  MARK_TYPES,
  type Mark,
  type Text,
} from '../document/document.ts';

export function textNode(text: string, marks: Mark[] = []): Text {
  return { object: 'text', leaves: [{ object: 'leaf', text, marks }] };
}

/** A block with children; `data` is left out when empty unless its type asks for it. */
export function block(type: string, nodes: BlockNode[], data?: Data): Block {
  return data
    ? { object: 'block', type, isVoid: false, data, nodes }
    : { object: 'block', type, isVoid: false, nodes };
}

export function voidBlock(type: string, data: Data, fragments?: Fragment[]): Block {
  return { object: 'block', type, isVoid: true, data, ...(fragments ? { fragments } : {}) };
}

export function voidInline(type: string, data: Data): Inline {
  return { object: 'inline', type, isVoid: true, data };
}

export function paragraph(nodes: InlineNode[]): Block {
  return block('paragraph', nodes.length > 0 ? nodes : [textNode('')]);
}

/** Unknown Markdown, kept verbatim. */
export function verbatim(markdown: string): Block {
  return voidBlock('markdown', { markdown });
}

export function fragment(name: string, nodes: Block[]): Fragment {
  return { object: 'fragment', type: name, fragment: name, nodes };
}

/** The hints on how a node was written. */
export function formatOf(node: { format?: Format }): Format {
  return node.format ?? NO_FORMAT;
}

const NO_FORMAT: Format = Object.freeze({});

/** Records a hint on a node that was just made. */
export function setFormat(target: Block | Inline | Document, name: string, value: unknown): void {
  target.format = { ...target.format, [name]: value };
}

export function numberIn(source: Record<string, unknown>, name: string): number | undefined {
  const value = source[name];
  return typeof value === 'number' ? value : undefined;
}

export function stringIn(source: Record<string, unknown> | undefined, name: string): string | undefined {
  const value = source?.[name];
  return typeof value === 'string' ? value : undefined;
}

export function blocksOf(nodes: readonly BlockNode[] | undefined): Block[] {
  return (nodes ?? []).filter((node): node is Block => node.object === 'block');
}

export function inlinesOf(nodes: readonly BlockNode[] | undefined): InlineNode[] {
  return (nodes ?? []).filter((node): node is InlineNode => node.object !== 'block');
}

export function fragmentOf(node: Block | Inline, name: string): Block[] | undefined {
  return node.fragments?.find((entry) => entry.fragment === name || entry.type === name)?.nodes;
}

/** The text of nodes, without marks and objects. */
export function leafText(nodes: readonly BlockNode[] | undefined): string {
  let text = '';
  for (const node of nodes ?? []) {
    if (node.object === 'text') for (const leaf of node.leaves) text += leaf.text;
    else text += leafText(node.nodes);
  }
  return text;
}

export function sameMarks(a: readonly Mark[], b: readonly Mark[]): boolean {
  return a.length === b.length && a.every((mark, index) => sameMark(mark, b[index]));
}

/** The valid marks in an arbitrary list, one of each type. */
export function distinctMarks(list: unknown): readonly Mark[] {
  if (!Array.isArray(list)) return NO_MARKS;
  if (list.length < 2 && list.every(isMark)) return list;
  const marks = new Map<string, Mark>();
  for (const mark of list) if (isMark(mark) && !marks.has(mark.type)) marks.set(mark.type, mark);
  return marks.size === list.length ? list : [...marks.values()];
}

const NO_MARKS: readonly Mark[] = Object.freeze([]);

const isMark = (value: unknown): value is Mark =>
  typeof value === 'object' && value !== null && MARK_TYPES.some((type) => type === (value as Mark).type);

export function sameMark(a: Mark, b: Mark | undefined): boolean {
  if (a === b) return true;
  if (!b || a.type !== b.type) return false;
  return a.data === b.data || JSON.stringify(a.data ?? {}) === JSON.stringify(b.data ?? {});
}

/** Appends a leaf, joining it with the one before when their marks agree. */
export function appendText(nodes: InlineNode[], text: string, marks: Mark[]): void {
  if (text === '') return;
  const last = nodes.at(-1);
  if (last?.object !== 'text') {
    nodes.push(textNode(text, marks));
    return;
  }
  const leaf: Leaf | undefined = last.leaves.at(-1);
  if (leaf && sameMarks(leaf.marks, marks)) leaf.text += text;
  else last.leaves.push({ object: 'leaf', text, marks });
}

/** Text without trailing spaces and tabs; unlike `trimEnd`, it keeps other white space, which is content. */
export function trimBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return text.slice(0, end);
}

/** Text without its trailing blank lines, which belong to no block. */
export function trimBlankLines(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\n'.includes(text.charAt(end - 1))) end -= 1;
  const lineEnd = text.indexOf('\n', end);
  return lineEnd < 0 ? text : text.slice(0, lineEnd);
}
