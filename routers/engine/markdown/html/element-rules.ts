import type { Block, Data, Format, Fragment } from '../../document/document.ts';
import type { Href, RefOf } from '../../document/refs.ts';
import {
  type AttributeRule,
  fieldsOf,
  readAttributes,
  splitHints,
  writeAttributes,
} from './attribute-rules.ts';
import { attributesToHtml, type HtmlElement, type HtmlNode, VOID_TAGS } from './html.ts';

/** How an HTML element maps to a block. */
export interface ElementRule {
  tag: string;
  type: string;
  /** In the order they are written. */
  attributes: readonly AttributeRule[];
  /** What is between the tags; nothing if absent. */
  content?: ElementContent;
  /** Whether the block never has children. */
  isVoid?: boolean;
  /** Whether the block has no `data` when that would be empty. */
  mayLackData?: boolean;
  /** Which attributes say nothing about the block; they are kept as a hint. None if absent. */
  isOther?(name: string, value: string): boolean;
  /** Whether the content is the element itself, with no tags around it. */
  isTagless?: boolean;
  /** Where the element represents the block; on pages and in table cells if absent. */
  place?: Place;
  /** Which blocks of the type are written as this element; all if absent. */
  isFor?(block: Block): boolean;
  /** The hints that make a block that was read from the element be written as this element again. */
  hintsOf?(block: Block): Format | undefined;
}

export type Place = 'page' | 'cell';

/** How what is between tags maps to the content of a block. */
export interface ElementContent {
  /** Undefined if anything in it is unknown. */
  read(nodes: readonly HtmlNode[], reading: HtmlReading, element: HtmlElement): ContentParts | undefined;
  write(block: Block, hrefOf: Href): string;
}

/** The HTML being read, which the positions of elements refer to, and how its URLs are resolved. */
export type HtmlReading = { source: string; refOf: RefOf };

/** The parts of a block that come from the content of its element. */
export type ContentParts = { nodes?: Block['nodes']; fragments?: Fragment[]; data?: Data; format?: Format };

/** Reads an element that has the tag of a rule; undefined if anything in it is unknown. */
export function readElement(
  rule: ElementRule,
  element: HtmlElement,
  reading: HtmlReading,
): Block | undefined {
  const { known, others } = splitAttributes(rule, element);
  const fields = rule.isTagless ? {} : readAttributes(known, rule.attributes, reading.refOf);
  const nodes = rule.isTagless ? [element] : element.children;
  const content = fields && (rule.content ? rule.content.read(nodes, reading, element) : {});
  if (!content) return undefined;
  const hints = splitHints({ ...content.data, ...fields }, rule.attributes);
  const block: Block = { object: 'block', type: rule.type, isVoid: rule.isVoid === true };
  if (!rule.mayLackData || Object.keys(hints.data).length > 0) block.data = hints.data;
  if (content.nodes) block.nodes = content.nodes;
  if (content.fragments) block.fragments = content.fragments;
  const format = { ...hints.format, ...content.format, ...rule.hintsOf?.(block), ...others };
  if (Object.keys(format).length > 0) block.format = format;
  return block;
}

/** An element without the attributes that say nothing about the block, and these as a hint. */
function splitAttributes(rule: ElementRule, element: HtmlElement): { known: HtmlElement; others?: Format } {
  const attributes = [...element.attributes];
  const others = attributes.filter(([name, value]) => rule.isOther?.(name, value) ?? false);
  if (others.length === 0) return { known: element };
  const names = new Set(others.map(([name]) => name));
  const known = { ...element, attributes: new Map(attributes.filter(([name]) => !names.has(name))) };
  return { known, others: { attributes: Object.fromEntries(others) } };
}

/** The attributes of a block's element that say nothing about the block. */
export const writeOthers = ({ format }: Block): string =>
  attributesToHtml(
    Object.entries((format?.attributes ?? {}) as Record<string, string>).map(([name, value]) => [
      name,
      value === '' ? true : value,
    ]),
  );

/** Writes a block as the element of a rule. */
export function writeElement(rule: ElementRule, block: Block, hrefOf: Href): string {
  const content = rule.content?.write(block, hrefOf) ?? '';
  if (rule.isTagless) return content;
  const attributes = writeAttributes(fieldsOf(block, rule.attributes), rule.attributes, hrefOf);
  const opening = `<${rule.tag}${attributes}${rule.isOther ? writeOthers(block) : ''}>`;
  return VOID_TAGS.has(rule.tag) ? opening : `${opening}${content}</${rule.tag}>`;
}

/** Reads elements, each by its rule; undefined if there are none, or one has no rule or cannot be read. */
export function readElements(
  elements: readonly HtmlElement[] | undefined,
  ruleOf: (element: HtmlElement) => ElementRule | undefined,
  reading: HtmlReading,
): Block[] | undefined {
  const blocks: Block[] = [];
  for (const element of elements ?? []) {
    const rule = ruleOf(element);
    const block = rule && readElement(rule, element, reading);
    if (!block) return undefined;
    blocks.push(block);
  }
  return blocks.length > 0 ? blocks : undefined;
}
