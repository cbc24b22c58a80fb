/**
 * Admonitions and tabs of MkDocs: a line such as `!!! note "Title"` or `=== "Title"`, and what is indented by four columns below it.
 * With `???`, an admonition is collapsed, and with `???+` expanded at first. They are hints, expandables and tabs that are written
 * in this way again.
 */

import type { Block, BlockNode, InlineNode, Mark } from '../document/document.ts';
import type { HintStyle } from '../document/hints.ts';
import {
  appendText,
  block,
  blocksOf,
  formatOf,
  fragment,
  fragmentOf,
  inlinesOf,
  leafText,
  paragraph,
  setFormat,
  stringIn,
  textNode,
  voidBlock,
} from './nodes.ts';

/** Columns by which the content is indented. */
export const INDENT = 4;

/** The styles that correspond to the names of admonitions; others are information. */
const STYLES: ReadonlyMap<string, HintStyle> = new Map([
  ['tip', 'success'],
  ['hint', 'success'],
  ['important', 'success'],
  ['success', 'success'],
  ['check', 'success'],
  ['done', 'success'],
  ['warning', 'warning'],
  ['caution', 'warning'],
  ['attention', 'warning'],
  ['failure', 'danger'],
  ['fail', 'danger'],
  ['missing', 'danger'],
  ['danger', 'danger'],
  ['error', 'danger'],
  ['bug', 'danger'],
]);

/** The first line of an admonition. */
interface AdmonitionLine {
  marker: '!!!' | '???' | '???+';
  /** The name, which may be followed by others that say how it is placed. */
  names: string;
  /** As Markdown; an empty one means that there is none, not even the name. */
  title: string | undefined;
}

const LINE = /^(!!!|\?\?\?\+?) +([a-z][\w-]*(?: +[a-z][\w-]*)*)(?: +"([^"]*)")? *$/i;

const TAB_LINE = /^===[!+]? +"([^"]+)" *$/;

/** The title of a tab, from its first line. */
export const parseTabLine = (text: string): string | undefined => TAB_LINE.exec(text)?.[1];

export function parseAdmonitionLine(text: string): AdmonitionLine | undefined {
  const [, marker, names, title] = LINE.exec(text) ?? [];
  return marker && names ? { marker: marker as AdmonitionLine['marker'], names, title } : undefined;
}

/** Whether a line that begins like this may be the first line of an admonition or a tab. */
export const mayBeginIndented = (line: string): boolean =>
  /^(?:!!!|\?{3}\+?) +[a-z]|^===[!+]? +"/i.test(line);

const nameOf = ({ names }: AdmonitionLine): string => names.split(' ', 1)[0] as string;
const styleOf = (line: AdmonitionLine): HintStyle => STYLES.get(nameOf(line).toLowerCase()) ?? 'info';

/** The title of an expandable without one. */
const defaultTitle = (line: AdmonitionLine): string => {
  const name = nameOf(line);
  return name.charAt(0).toUpperCase() + name.slice(1);
};

const BOLD: Mark = { object: 'mark', type: 'bold' };
const isBold = ({ type }: Mark): boolean => type === 'bold';

/**
 * The block of an admonition.
 * @param text its first line
 * @param title what its title is read as
 */
export function admonition(text: string, title: InlineNode[], body: Block[]): Block {
  const line = parseAdmonitionLine(text);
  if (!line) throw new Error(`not the first line of an admonition: ${text}`);
  let made: Block;
  if (line.marker === '!!!') {
    const nodes = title.length > 0 ? [paragraph(withBold(title)), ...body] : body;
    made = block('hint', nodes, { style: styleOf(line) });
  } else {
    made = voidBlock('expandable', line.marker === '???+' ? { open: true } : {}, [
      fragment('expandable-title', [paragraph(title.length > 0 ? title : [textNode(defaultTitle(line))])]),
      fragment('expandable-body', body),
    ]);
  }
  setFormat(made, 'admonition', text);
  return made;
}

/** The block of a tab. @param text its first line */
export function contentTab(text: string, body: Block[]): Block {
  const tab = block('tabs-item', body, { title: parseTabLine(text) });
  setFormat(tab, 'line', text);
  return tab;
}

/** Tabs that are written as those of MkDocs. */
export function contentTabs(tabs: Block[]): Block {
  const made = block('tabs', tabs, {});
  setFormat(made, 'lines', true);
  return made;
}

/** Whether a block was read from an admonition or a tab, so that its content is indented. */
export const isIndented = (made: Block): boolean =>
  formatOf(made).admonition !== undefined || (made.type === 'tabs-item' && formatOf(made).line !== undefined);

/** The first line of a tab that is written as one of MkDocs; undefined if it cannot be. */
export function writtenTabLine({ type, data, format, nodes }: Block): string | undefined {
  const { title, ...others } = data ?? {};
  const line = stringIn(format, 'line');
  const isPlain = typeof title === 'string' && Object.keys(others).length === 0 && blocksOf(nodes).length > 0;
  if (type !== 'tabs-item' || line === undefined || !isPlain) return undefined;
  const written = parseTabLine(line) === title ? line : `=== "${title}"`;
  return parseTabLine(written) === title ? written : undefined;
}

/** Whether tabs are written as those of MkDocs. */
export function hasTabLines({ type, data, format, nodes }: Block): boolean {
  const tabs = blocksOf(nodes);
  const isPlain = type === 'tabs' && format?.lines === true && Object.keys(data ?? {}).length === 0;
  return isPlain && tabs.length > 0 && tabs.every((tab) => writtenTabLine(tab) !== undefined);
}

/** A tab that is written in the usual way, because others beside it cannot be written as those of MkDocs. */
export function withoutTabLine(tab: Block): Block {
  const { line, ...format } = formatOf(tab);
  return line === undefined ? tab : { ...tab, format };
}

/** Whether a block is written so that anything indented after it would be part of it. */
export const endsIndented = (made: Block): boolean =>
  writtenAdmonition(made) !== undefined || hasTabLines(made);

/** How a block is written as an admonition. */
interface WrittenAdmonition {
  /** The line above the body, given the title as Markdown. */
  lineOf(title: string): string | undefined;
  title: InlineNode[];
  parent: string;
  body: Block[];
}

/** How a block that was read from an admonition is written as one; undefined if that would not say the same. */
export function writtenAdmonition(made: Block): WrittenAdmonition | undefined {
  const text = stringIn(formatOf(made), 'admonition');
  const line = text === undefined ? undefined : parseAdmonitionLine(text);
  if (text === undefined || !line) return undefined;
  const parts = line.marker === '!!!' ? hintParts(made, line) : expandableParts(made, line);
  if (!parts || parts.body.length === 0) return undefined;
  const head = `${line.marker} ${line.names}`;
  return {
    ...parts,
    lineOf: (title) => (title === '' ? text : /["\n]/.test(title) ? undefined : `${head} "${title}"`),
  };
}

type Parts = Omit<WrittenAdmonition, 'lineOf'>;

function hintParts(hint: Block, line: AdmonitionLine): Parts | undefined {
  const { style, ...others } = hint.data ?? {};
  if (hint.type !== 'hint' || style !== styleOf(line) || Object.keys(others).length > 0) return undefined;
  const nodes = blocksOf(hint.nodes);
  if (!line.title) return { title: [], parent: 'hint', body: nodes };
  const [first, ...body] = nodes;
  const title = first?.type === 'paragraph' ? withoutBold(first.nodes ?? []) : undefined;
  return title && { title, parent: 'hint', body };
}

function expandableParts(expandable: Block, line: AdmonitionLine): Parts | undefined {
  const { open = false, ...others } = expandable.data ?? {};
  const isSame = expandable.type === 'expandable' && open === (line.marker === '???+');
  const [title, ...more] = fragmentOf(expandable, 'expandable-title') ?? [];
  if (!isSame || Object.keys(others).length > 0 || title?.type !== 'paragraph' || more.length > 0)
    return undefined;
  const nodes = (title.nodes ?? []).filter((node) => node.object !== 'block');
  const isDefault = !line.title && leafText(nodes) === defaultTitle(line);
  return {
    title: isDefault ? [] : nodes,
    parent: 'expandable-body',
    body: fragmentOf(expandable, 'expandable-body') ?? [],
  };
}

const withBold = (nodes: readonly InlineNode[]): InlineNode[] =>
  remark(nodes, (marks) => [...marks.filter((mark) => !isBold(mark)), BOLD]);

/** Removes the bold mark from all text; undefined if some has none, or there is no text. */
function withoutBold(nodes: readonly BlockNode[]): InlineNode[] | undefined {
  const inlines = inlinesOf(nodes);
  const leaves = inlines.flatMap((node) => (node.object === 'text' ? node.leaves : []));
  const isTitle =
    inlines.length === nodes.length &&
    leaves.every(({ marks }) => marks.some(isBold)) &&
    leafText(inlines).trim() !== '';
  return isTitle ? remark(inlines, (marks) => marks.filter((mark) => !isBold(mark))) : undefined;
}

/** Changes the marks of all text that is not in a link. */
function remark(nodes: readonly InlineNode[], change: (marks: Mark[]) => Mark[]): InlineNode[] {
  const remarked: InlineNode[] = [];
  for (const node of nodes) {
    if (node.object !== 'text') remarked.push(node);
    else for (const { text, marks } of node.leaves) appendText(remarked, text, change(marks));
  }
  return remarked;
}
