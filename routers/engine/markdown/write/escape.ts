import {
  afterBlanks,
  attributeListAt,
  beforeBlanks,
  endsInIcon,
  isKramdownList,
  MAX_ICON,
} from '../../document/attribute-lists.ts';
import { beginsMdxComment } from '../../document/mdx-comments.ts';
import { mayBeginIndented } from '../mkdocs.ts';
import { beginsLongTag, templateTagName } from '../parse/block-rules.ts';
import { firstChar, lastChar } from '../parse/flanking.ts';
import { EXPRESSION } from '../parse/inline-rules.ts';
import { classOf, parseLinkDestination } from '../parse/parser.ts';
import { shortcodeAt } from '../parse/shortcodes.ts';
import { isSharedTagAt } from '../parse/tag-lines.ts';

/** The context that decides which characters of a text need escaping. */
export type EscapeContext = {
  /** How to write a character wherever it appears, for text that was written so; see {@link characterSpelling}. */
  spelling: Record<string, string> | undefined;
  /** Whether a text between square brackets refers to a definition. */
  isLabel: (label: string) => boolean;
  /** The text is in a link, which ends at the first bracket without a partner. */
  inside: boolean;
  /** The document has footnotes, so that `[^` may refer to one. */
  footnotes: boolean;
  cell: boolean;
  /** The text is of a paragraph, not of a heading or cell. */
  paragraph: boolean;
};

const SUSPECT = /[\\`*_[\]^<&~$:{!|\r]|\0/;
const ENTITY = /&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-zA-Z][a-zA-Z0-9]{1,31});/y;
/**
 * Escapes what would be read as markup inside a line. `before` and `after` are the characters next to the text
 * in the output, undefined at either end of the content.
 */
export function escapeText(
  text: string,
  before: string | undefined,
  after: string | undefined,
  context: EscapeContext,
): string {
  const { spelling } = context;
  if (spelling === undefined && text.search(SUSPECT) < 0) return text;
  const line: Line = { text, before, after, context };
  let result = '';
  let copied = 0;
  const replace = (start: number, end: number, written: string) => {
    result += text.slice(copied, start) + written;
    copied = end;
  };
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    const spelled = spelling && spellingAt(text, index, spelling);
    if (spelled) {
      replace(index, index + spelled.length, spelled.written);
      index += spelled.length - 1;
      continue;
    }
    if (!isSuspect(char)) continue;
    const written = escapeChar(char, index, line);
    if (written !== char) replace(index, index + 1, written);
  }
  return result + text.slice(copied);
}

/** A spelling, if it is of more than line breaks and blanks, which are not escaped one by one. */
export function characterSpelling(
  spelling: Record<string, string> | undefined,
): Record<string, string> | undefined {
  for (const character in spelling) if (!isBlank(character)) return spelling;
  return undefined;
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\n';
}

function spellingAt(text: string, index: number, spelling: Record<string, string>) {
  const one = text.charAt(index);
  const written = isBlank(one) ? undefined : spelling[one];
  if (written !== undefined) return { length: 1, written };
  // Entities may stand for a pair of code units.
  if (one < '\ud800') return undefined;
  const both = spelling[text.slice(index, index + 2)];
  return both === undefined ? undefined : { length: 2, written: both };
}

/** A text being escaped, with results that need a full scan and are computed once. */
type Line = {
  text: string;
  before: string | undefined;
  after: string | undefined;
  context: EscapeContext;
  /** The indices of brackets to escape inside a link. */
  brackets?: ReadonlySet<number>;
  /** The index of the last two closing braces; -1 if there are none. */
  lastClosing?: number;
  /** The last run of `*` or `_` looked at. */
  run?: { end: number; isInert: boolean };
};

const SUSPECTS = new Set('\\`*_[]^<&~$:{!|\r\0');

function isSuspect(char: string): boolean {
  return SUSPECTS.has(char);
}

function escapeChar(char: string, index: number, line: Line): string {
  const { text, before, after, context } = line;
  const next = text[index + 1] ?? after;
  const previous = index > 0 ? text[index - 1] : before;
  const escaped = `\\${char}`;
  switch (char) {
    case '\\':
      return next !== undefined && /[a-zA-Z0-9\u0080-\uffff]/.test(next) ? char : escaped;
    case '`':
      return escaped;
    case '*':
    case '_':
      return isInertRun(index, line) ? char : escaped;
    case '[':
    case ']':
      line.brackets ??= context.inside ? bracketsInLink(line) : undefined;
      return (line.brackets?.has(index) ?? mayBeMarkup(char, index, line)) ? escaped : char;
    case '^':
      // With the bracket of the link before it, it may refer to a footnote.
      return context.inside && context.footnotes && index === 0 && before === '[' ? escaped : char;
    case '<':
      return next !== undefined && /[a-zA-Z/!?]/.test(next) ? escaped : char;
    case '&':
      // A backslash would not make it text.
      if (text.startsWith('&#xNAN;', index)) return '&amp;';
      return matchesAt(ENTITY, text, index) ? escaped : char;
    case '~':
    case '$':
      return next === char || previous === char ? escaped : char;
    case ':':
      return shortcodeAt(text, index) === undefined ? char : escaped;
    case '{':
      if (matchesAt(EXPRESSION, text, index) || isSharedTagAt(text, index)) return escaped;
      if (next === '{' && mayCloseAfter(index, line)) return escaped;
      return mayBeAttributes(index, line) || beginsMdxComment(text, index) ? escaped : char;
    case '!':
      return index === text.length - 1 && next === '[' ? escaped : char;
    case '|':
      return context.cell ? escaped : char;
    case '\r':
      return '&#xD;';
    default:
      return '\ufffd';
  }
}

/** Whether an expression that would begin with two braces could end after the text, such as in other marks. */
function mayCloseAfter(index: number, line: Line): boolean {
  line.lastClosing ??= line.text.lastIndexOf('}}');
  return line.after !== undefined && line.lastClosing < index;
}

/** Whether braces would be read as a list of the attributes of what is before them, or of the whole content. */
function mayBeAttributes(index: number, { text, before, after, context }: Line): boolean {
  const list = attributeListAt(text, index);
  if (list === undefined) return false;
  const isLast = after === undefined && afterBlanks(text, index + list.length) === text.length;
  const isFirst = beforeBlanks(text, index) < 0;
  if (isFirst && (before !== undefined || isLast || isKramdownList(list))) return true;
  if (endsInIcon(text.slice(Math.max(0, index - MAX_ICON), index))) return true;
  return !context.paragraph && isLast && /[ \t]/.test(text.charAt(index - 1));
}

function matchesAt(pattern: RegExp, text: string, index: number): boolean {
  pattern.lastIndex = index;
  return pattern.test(text);
}

/** Whether a bracket would be read as part of a reference, a link, an image or a footnote. */
function mayBeMarkup(char: string, index: number, { text, after, context }: Line): boolean {
  const next = text[index + 1] ?? after;
  if (char === ']') return next === '(' && mayBeTarget(text, index + 2);
  return (context.footnotes && next === '^') || mayBeLabel(text, index, context);
}

/** The brackets to escape inside a link. One is escaped with its partner, so that those left are still pairs. */
function bracketsInLink(line: Line): ReadonlySet<number> {
  const { text, context } = line;
  const escaped = new Set<number>();
  const isEscaped = (index: number): boolean => {
    const char = text.charAt(index);
    return context.spelling?.[char] !== undefined || mayBeMarkup(char, index, line);
  };
  const open: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '[') open.push(index);
    if (text[index] !== ']') continue;
    const partner = open.pop();
    if (partner === undefined) escaped.add(index);
    else if (isEscaped(partner) || isEscaped(index)) escaped.add(partner).add(index);
  }
  for (const index of open) escaped.add(index);
  return escaped;
}

/** Whether the bracket at an index opens what would be read as a reference to a definition. */
function mayBeLabel(text: string, index: number, context: EscapeContext): boolean {
  let end = index + 1;
  while (end < text.length && text[end] !== '[' && text[end] !== ']') end += 1;
  // A label that runs into other nodes is not looked at further.
  const label = text[end] === ']' || end === text.length ? text.slice(index + 1, end) : '';
  return end === text.length ? context.isLabel('') : context.isLabel(label);
}

/** Whether the text after `](` could be the target of a link, as far as visible. */
function mayBeTarget(text: string, start: number): boolean {
  const max = text.length;
  const blanks = (from: number) => {
    let position = from;
    while (position < max && (text[position] === ' ' || text[position] === '\t')) position += 1;
    return position;
  };
  const destination = parseLinkDestination(text, blanks(start), max);
  // A backslash is written as two, and `<` with one: what they hold together here may well end sooner as written.
  if (/[\\<]/.test(text.slice(start, destination.pos))) return true;
  const end = blanks(destination.ok ? destination.pos : start);
  if (end >= max || text[end] === ')') return true;
  return /["'(<]/.test(text.charAt(end)) || !destination.ok;
}

/** Whether a run of `*` or `_` can neither open nor close emphasis: between blanks, or `_` within a word. */
function isInertRun(index: number, line: Line): boolean {
  const { text, run } = line;
  if (run && index < run.end && text[index] === text[run.end - 1]) return run.isInert;
  let start = index;
  while (start > 0 && text[start - 1] === text[index]) start -= 1;
  let end = index + 1;
  while (end < text.length && text[end] === text[index]) end += 1;
  line.run = { end, isInert: isInert(line, start, end) };
  return line.run.isInert;
}

function isInert({ text, before, after }: Line, start: number, end: number): boolean {
  const char = text.charAt(start);
  const previous = classOf(start > 0 ? lastChar(text.slice(Math.max(0, start - 2), start)) : before, char);
  const next = classOf(end < text.length ? firstChar(text.slice(end, end + 2)) : after, char);
  if (end === text.length && after === char) return false;
  if (start === 0 && before === char) return false;
  if (previous === 'space' && next === 'space') return true;
  return char === '_' && previous === 'other' && next === 'other';
}

const ANY_LINE =
  /^(?:#{1,6}(?=\s|$)|>|[-+](?=\s|$)|\*(?=\s|$)|(?:=+|-+)[ \t]*$|([-_*])(?:[ \t]*\1){2,}[ \t]*$)/;
const TABLE_LINE = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;
const FIRST_LINE = /^\d{1,9}(?=[.)](?:\s|$))/;
const NEXT_LINE = /^0*1(?=[.)]\s*\S)/;

/** Escapes the beginning of a line of a paragraph that would start another block. `line` is escaped otherwise. */
export function escapeLineStart(line: string, isFirst: boolean): string {
  if (line === '') return line;
  const blanks = /^[ \t]+/.exec(line)?.[0];
  if (blanks !== undefined) {
    const first = blanks[0] === '\t' ? '&#x9;' : '&#x20;';
    return first + line.slice(1);
  }
  if (ANY_LINE.test(line) || (!isFirst && TABLE_LINE.test(line))) return `\\${line}`;
  if (line.startsWith('{%') && (templateTagName(line) !== undefined || beginsLongTag(line)))
    return `\\${line}`;
  if (mayBeginIndented(line)) return `\\${line}`;
  const ordered = (isFirst ? FIRST_LINE : NEXT_LINE).exec(line);
  if (!ordered) return line;
  return `${ordered[0]}\\${line.slice(ordered[0].length)}`;
}

/** Matches the beginning of a paragraph that would be read as a link definition. */
const DEFINITION = /^\[(?!\s*\])(?:\\[\s\S]|[^[\]\\])*\]:/;

/** Escapes the beginning of a paragraph that would be read as a link definition. */
export function escapeDefinition(markdown: string): string {
  const label = DEFINITION.exec(markdown)?.[0];
  return label === undefined ? markdown : `${label.slice(0, -1)}\\${markdown.slice(label.length - 1)}`;
}

/** Writes the last blank of a line as an entity, since blanks there are dropped. */
export function escapeLineEnd(line: string): string {
  const last = line.at(-1);
  if (last === ' ') return `${line.slice(0, -1)}&#x20;`;
  return last === '\t' ? `${line.slice(0, -1)}&#x9;` : line;
}

/** The text of an image as Markdown. */
export function escapeAlt(text: string): string {
  return text.replace(/[\\[\]*`<&~$:{!]|_(?![a-z0-9])|(?<![a-zA-Z0-9])_/g, '\\$&').replace(/\n/g, ' ');
}
