/**
 * Components of MDX, which other tools put around Markdown: tabs of Docusaurus and Starlight, and callouts such as `<Note>`. They
 * are stored and exported as they are written, and shown as the blocks that correspond to them. Where blank lines divide one, its
 * content is Markdown like any other, and its tags are shown as the labels in them.
 */

import type { Block, InlineNode } from '../../document/document.ts';
import type { HintStyle } from '../../document/hints.ts';
import { defaultRef, type Resolve } from '../../document/refs.ts';
import { type ComponentTag, readComponentTag } from '../component-tags.ts';
import { decodeEntities } from '../html/html.ts';
import { block, fragment, paragraph, stringIn, textNode, voidBlock } from '../nodes.ts';
import { readDocument } from '../parse/parse-document.ts';
import { contentLines, LINE_BEGINNING } from '../parse/tag-pairs.ts';

/** How deep components may be in each other: what is in one is read again for each that it is in. */
const MAX_DEPTH = 6;

const CALLOUTS: ReadonlyMap<string, HintStyle> = new Map([
  ['Note', 'info'],
  ['Info', 'info'],
  ['Important', 'info'],
  ['Tip', 'success'],
  ['Check', 'success'],
  ['Success', 'success'],
  ['Warning', 'warning'],
  ['Caution', 'warning'],
  ['Danger', 'danger'],
  ['Error', 'danger'],
]);
/** Callouts whose attribute `type` is the name of one. */
const TYPED_CALLOUTS = new Set(['Admonition', 'Alert', 'Aside', 'Callout']);
const TABS = new Set(['Tabs', 'CodeTabs']);
const TAB_ITEMS = new Set(['TabItem', 'Tab']);
const EXPANDABLES = new Set(['Accordion', 'AccordionItem', 'Expandable']);

interface Component {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: Component[];
  /** Where its tags, and the content between them, are in the source. */
  start: number;
  contentStart: number;
  contentEnd: number;
  end: number;
}

/** The block that Markdown of components alone is shown as; undefined for other Markdown, and if there is none. */
export function componentIn(markdown: string, resolve: Resolve): Block | undefined {
  if (!/^\s*<\/?[A-Z][\w.]*[a-z]/.test(markdown)) return undefined;
  const found = componentsIn(markdown);
  if (!found) return undefined;
  const { roots, isComplete, hasText } = found;
  if (!hasText) return labelsOf(found.tags, resolve);
  const [root, ...others] = roots;
  return root && others.length === 0 && isComplete ? blockOf(root, markdown, resolve) : undefined;
}

/** The components of Markdown; undefined if they are too deep, or a tag is not well-formed. */
function componentsIn(source: string) {
  const roots: Component[] = [];
  const tags: Tag[] = [];
  const open: Component[] = [];
  let [isComplete, hasText] = [true, false];
  for (const part of partsIn(source)) {
    if (part === 'text') {
      hasText = true;
      if (open.length === 0) isComplete = false;
      continue;
    }
    if (!part) return undefined;
    const { name, attributes, isEnd, isSelfClosing, start, end } = part;
    if (isEnd) {
      const ended = open.pop();
      if (ended?.name !== name) isComplete = false;
      if (ended) Object.assign(ended, { contentEnd: start, end });
      continue;
    }
    const made = { name, attributes, children: [], start, contentStart: end, contentEnd: end, end };
    tags.push(made);
    (open.at(-1)?.children ?? roots).push(made);
    if (isSelfClosing) continue;
    if (open.length === MAX_DEPTH) return undefined;
    open.push(made);
  }
  return { roots, tags, isComplete: isComplete && open.length === 0, hasText };
}

/** The tags of components, at the beginnings and ends of lines, and the text between them; undefined for a malformed tag. */
function* partsIn(source: string) {
  const lines = source.split('\n');
  let offset = 0;
  const starts = lines.map((line) => {
    const start = offset;
    offset += line.length + 1;
    return start;
  });
  let next = 0;
  let lastLine = -1;
  for (const { number, line, column } of contentLines(lines, LINE_BEGINNING)) {
    // The lines of code between two others.
    if (number > lastLine + 1 && (starts[lastLine + 1] ?? 0) >= next) yield 'text' as const;
    lastLine = number;
    const start = starts[number] ?? 0;
    const end = start + line.length;
    let at = Math.max(next, start + (/\S/.test(line.slice(0, column)) ? 0 : column));
    while (at < end && /^<\/?[A-Z]/.test(source.slice(at, at + 3))) {
      const tag = readComponentTag(source, at);
      yield tag && { ...tag, start: at };
      if (!tag) return;
      at = tag.end + (/^[ \t]*/.exec(source.slice(tag.end, end))?.[0].length ?? 0);
    }
    next = Math.max(next, at);
    if (at >= end) continue;
    const text = source.slice(at, end);
    const ends = endTagsAfter(text);
    if (text.slice(0, ends[0]?.start).trim() !== '') yield 'text' as const;
    for (const tag of ends) yield { ...tag, start: at + tag.start, end: at + tag.end };
  }
  if (lastLine < lines.length - 1 && (starts[lastLine + 1] ?? 0) >= next) yield 'text' as const;
}

/** The end tags at the end of a line, with their places in it. */
function endTagsAfter(line: string) {
  const tags: ReturnType<typeof placed>[] = [];
  for (let end = line.trimEnd().length; ; ) {
    const start = line.lastIndexOf('</', end - 1);
    const tag = start < 0 ? undefined : readComponentTag(line.slice(start, end), 0);
    if (tag?.end !== end - start) return tags.reverse();
    tags.push(placed(tag, start, end));
    end = line.slice(0, start).trimEnd().length;
  }
}

const placed = (tag: ComponentTag, start: number, end: number) => ({ ...tag, start, end });

/** The block that a component is shown as; undefined if there is none that has all of its content. */
function blockOf(component: Component, source: string, resolve: Resolve): Block | undefined {
  const { name, attributes, children } = component;
  if (TABS.has(name)) {
    if (
      children.length === 0 ||
      hasTextBetween(component, source) ||
      !children.every((child) => TAB_ITEMS.has(child.name))
    )
      return undefined;
    const items = children.map((child) =>
      block('tabs-item', contentOf(child, source, resolve), { title: titleOf(child) ?? '' }),
    );
    return block('tabs', items, {});
  }
  const content = contentOf(component, source, resolve);
  const title = titleOf(component);
  const style = TYPED_CALLOUTS.has(name) ? styleOf(attributes.get('type')) : CALLOUTS.get(name);
  if (style)
    return block('hint', [...(title === undefined ? [] : [paragraph([bold(title)])]), ...content], { style });
  if (EXPANDABLES.has(name) && title !== undefined)
    return voidBlock('expandable', {}, [
      fragment('expandable-title', [paragraph([textNode(title)])]),
      fragment('expandable-body', content),
    ]);
  // A component that only wraps a block is that block.
  const [only, ...others] = title === undefined ? content : [];
  if (!only || others.length > 0) return undefined;
  return only.type === 'markdown' ? componentIn(stringIn(only.data, 'markdown') ?? '', resolve) : only;
}

/** Whether there is text between the components in a component. */
function hasTextBetween({ children, contentStart, contentEnd }: Component, source: string): boolean {
  const starts = [...children.map(({ start }) => start), contentEnd];
  const ends = [contentStart, ...children.map(({ end }) => end)];
  return starts.some((start, index) => source.slice(ends[index], start).trim() !== '');
}

function styleOf(type = ''): HintStyle {
  const name = type.charAt(0).toUpperCase() + type.slice(1).toLowerCase();
  return CALLOUTS.get(name) ?? 'info';
}

type Tag = Pick<Component, 'name' | 'attributes'>;

function titleOf(tag: Tag): string | undefined {
  const usual = attributeOf(tag, 'label') ?? attributeOf(tag, 'title');
  return usual ?? (TAB_ITEMS.has(tag.name) ? attributeOf(tag, 'value') : undefined);
}

function attributeOf({ attributes }: Tag, name: string): string | undefined {
  const value = attributes.get(name);
  return value === undefined ? undefined : decodeEntities(value);
}

/** The blocks in a component, whose lines are usually indented like its tags. */
function contentOf({ contentStart, contentEnd }: Component, source: string, resolve: Resolve): Block[] {
  const lines = source.slice(contentStart, contentEnd).split('\n');
  const indents = lines
    .slice(1)
    .flatMap((line) => (line.trim() === '' ? [] : [/^[ \t]*/.exec(line)?.[0].length ?? 0]));
  const indent = indents.length > 0 ? indents.reduce((least, length) => Math.min(least, length)) : 0;
  const text = lines.map((line, index) => (index === 0 ? line.trimStart() : line.slice(indent))).join('\n');
  return readDocument(`${text.trim()}\n`, resolve).document.nodes;
}

/** The labels of tags, each with the address that it leads to and its description. */
function labelsOf(tags: readonly Tag[], resolve: Resolve): Block | undefined {
  const nodes: InlineNode[] = [];
  for (const tag of tags) {
    const title = titleOf(tag);
    if (title === undefined || title.trim() === '') continue;
    if (nodes.length > 0) nodes.push(textNode('\n'));
    const href = attributeOf(tag, 'href');
    const ref = href === undefined ? undefined : (resolve(href, 'link') ?? defaultRef(href));
    nodes.push(
      ref
        ? { object: 'inline', type: 'link', isVoid: false, data: { ref }, nodes: [bold(title)] }
        : bold(title),
    );
    const description = attributeOf(tag, 'description');
    if (description) nodes.push(textNode(`\n${description}`));
  }
  return nodes.length > 0 ? paragraph(nodes) : undefined;
}

const bold = (text: string) => textNode(text, [{ object: 'mark', type: 'bold' }]);
