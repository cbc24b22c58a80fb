import { isAttributeList, isKramdownList } from '../../document/attribute-lists.ts';
import type { Block } from '../../document/document.ts';
import { isBareImage, isMarkdownImage } from '../html/image-elements.ts';
import { isTextElement } from '../html/text-elements.ts';
import { endsIndented } from '../mkdocs.ts';
import { blocksOf, formatOf, leafText, stringIn } from '../nodes.ts';
import { isPipeTable } from '../tables/table-style.ts';
import { ruleOfType } from '../tags.ts';

/** More blank lines than this between two blocks are not kept. */
export const MAX_GAP = 100;

/**
 * How many blank lines come before a block unless its `format.before` says otherwise. `parent` is the type of its parent
 * ('document', a block's type, or a fragment's).
 */
export function defaultGap(
  parent: string,
  previous: Block | undefined,
  block: Block,
  isLoose: boolean,
): number {
  if (!previous) return parent === 'expandable-body' ? 1 : 0;
  if (block.type === 'list-item') return isLoose ? 1 : 0;
  if (parent === 'list-item' && isList(block) && previous.type === 'paragraph') return 0;
  if (isDefinition(block) && isDefinition(previous)) return 0;
  return 1;
}

/** Blank lines before the closing tag of a container. */
export function defaultEndGap(parent: string): number {
  return parent === 'expandable-body' ? 1 : 0;
}

export function isList(block: Block): boolean {
  return block.type === 'list-unordered' || block.type === 'list-ordered' || block.type === 'list-tasks';
}

function isDefinition(block: Block): boolean {
  return block.type === 'markdown' && typeof block.data?.label === 'string';
}

/** Whether a block is an attribute list that is not read as part of what it stands after. */
function isListOfAttributes(block: Block): boolean {
  const markdown = block.type === 'markdown' ? (stringIn(block.data, 'markdown') ?? '') : '';
  return isKramdownList(markdown) && isAttributeList(markdown);
}

/** Whether a block may begin on the line right after another without being read as part of it. */
export function canFollowDirectly(previous: Block, block: Block): boolean {
  const end = openEnd(previous);
  // Lists in a row are given different markers.
  if (isList(previous) && isList(block)) return true;
  if (end === undefined) return true;
  // Of HTML, only tags are no part.
  if (isTagged(block)) return end !== 'html' || !endsIndented(block);
  if (end === 'html') return false;
  if (isTextElement(block)) return true;
  if (previous.type === 'table' && (isList(block) || block.type === 'code' || isListOfAttributes(block)))
    return true;
  switch (block.type) {
    case 'heading-1':
    case 'heading-2':
    case 'heading-3':
      return formatOf(block).setext === undefined;
    case 'code':
      return formatOf(block).indented !== true;
    case 'math':
      return true;
    case 'table':
      return previous.type !== 'table' || !isPipeTable(block);
    case 'images':
      return !isMarkdownImage(block) && !isBareImage(block);
    case 'divider':
      return previous.type !== 'paragraph' || !(stringIn(formatOf(block), 'text') ?? '').startsWith('-');
    case 'blockquote':
      return previous.type !== 'blockquote';
    case 'list-unordered':
    case 'list-ordered':
    case 'list-tasks':
      return canListInterrupt(block);
    case 'markdown':
      // Of these elements, one that is on one line would be part of a paragraph.
      return /^<(?:!--|(?!video|audio)\/?[a-z][a-z0-9]*[\s>])/.test(stringIn(block.data, 'markdown') ?? '');
    default:
      return false;
  }
}

function canListInterrupt(list: Block): boolean {
  const first = blocksOf(list.nodes)[0];
  const start = list.data?.start;
  const child = blocksOf(first?.nodes)[0];
  const isEmpty =
    !child ||
    (child.type === 'paragraph' &&
      child.nodes?.length === 1 &&
      leafText(child.nodes) === '' &&
      child.nodes[0]?.object === 'text');
  return !isEmpty && (list.type !== 'list-ordered' || start === undefined || start === 1);
}

/** What a block's last line would absorb from the next line: a paragraph or HTML block would continue. */
function openEnd(block: Block): 'text' | 'html' | undefined {
  if (isTextElement(block)) return 'html';
  switch (block.type) {
    case 'paragraph':
      return 'text';
    case 'table':
      return isPipeTable(block) ? 'text' : 'html';
    case 'images':
      return isMarkdownImage(block) || isBareImage(block) ? 'text' : 'html';
    case 'drawing':
      return 'html';
    case 'divider':
      return stringIn(formatOf(block), 'text')?.startsWith('<') ? 'html' : undefined;
    case 'markdown': {
      const markdown = stringIn(block.data, 'markdown') ?? '';
      if (/^(?:\{%| {0,3}\[\^|<\/details>$)/.test(markdown) || isDefinition(block)) return undefined;
      if (isListOfAttributes(block)) return 'text';
      return /^<(?:!--|\?|![A-Za-z[]|(?:script|pre|style|textarea)\b)/i.test(markdown.trimStart())
        ? undefined
        : 'html';
    }
    case 'list-unordered':
    case 'list-ordered':
    case 'list-tasks':
    case 'list-item':
    case 'blockquote': {
      // Only a paragraph goes on past the end of its container.
      const last = blocksOf(block.nodes).at(-1);
      return last && last.type !== 'table' && openEnd(last) === 'text' ? 'text' : undefined;
    }
    default:
      return undefined;
  }
}

/** Types that are written as tags besides those that have a rule. */
const TAGGED = new Set(['expandable', 'integration']);

function isTagged(block: Block): boolean {
  const rule = ruleOfType(block.type);
  // Code is written as a tag only where it has attributes.
  if (TAGGED.has(block.type) || (rule && rule.body !== 'code')) return true;
  if (block.type !== 'markdown') return false;
  const markdown = stringIn(block.data, 'markdown') ?? '';
  return markdown.startsWith('{%') || markdown === '</details>';
}

/** Limits a number to a range; anything but an integer becomes the least. */
export function clamp(value: number, min: number, max: number): number {
  return Number.isInteger(value) ? Math.min(max, Math.max(min, value)) : min;
}
