import type { MarkdownIt, StateInline } from 'markdown-it';
import {
  afterBlanks,
  attributeListAt,
  beforeBlanks,
  endsInIcon,
  isKramdownList,
  type ListPlace,
  MAX_ICON,
  standsAlone,
} from '../../document/attribute-lists.ts';
import { beginsMdxComment, mdxCommentAt } from '../../document/mdx-comments.ts';
import { placeholderAt } from './placeholders.ts';
import { shortcodeAt } from './shortcodes.ts';

type InlineRule = Parameters<MarkdownIt['inline']['ruler']['push']>[1];

/** Adds GitBook's inline syntax, and records how links, images and line ends were written. */
export function installInlineRules(md: MarkdownIt): void {
  const { ruler } = md.inline;
  const rules = ruler.getRules('');
  const original = (name: string): InlineRule => {
    const rule = rules.find((candidate) => candidate.name === name);
    if (!rule) throw new Error(`markdown-it has no inline rule ${name}`);
    return rule;
  };
  const link = original('link');
  const image = original('image');
  ruler.at('newline', lineBreak);
  ruler.at('link', recordSource(link, 'link_open'));
  ruler.at('image', recordSource(image, 'image'));
  ruler.before('link', 'footnote_ref', footnoteRef);
  ruler.before('backticks', 'math_inline', mathInline);
  ruler.before('backticks', 'expression', expression);
  ruler.before('backticks', 'emoji', emoji);
  ruler.before('backticks', 'attribute_list', attributeList);
  ruler.before('backticks', 'mdx_comment', mdxComment);
  ruler.before('html_inline', 'html_object', htmlObject);
  ruler.before('html_inline', 'placeholder', placeholder);
  ruler.before('escape', 'missing_character', missingCharacter);
}

/** Keeps the text of a link or image on its token as `meta.source`. */
function recordSource(rule: InlineRule, type: string): InlineRule {
  return (state, silent) => {
    const start = state.pos;
    const count = state.tokens.length;
    if (!rule(state, silent)) return false;
    if (silent) return true;
    // Pending text, if any, was flushed as one token before the link's own.
    const token = state.tokens[count]?.type === type ? state.tokens[count] : state.tokens[count + 1];
    if (token) token.meta = { ...token.meta, source: state.src.slice(start, state.pos) };
    return true;
  };
}

/** A line end with the blanks around it in `markup`; two blanks before it make it hard. */
const lineBreak: InlineRule = (state, silent) => {
  if (state.src.charCodeAt(state.pos) !== 10) return false;
  let end = state.pos + 1;
  while (end < state.posMax && isBlank(state.src.charCodeAt(end))) end += 1;
  if (!silent) {
    const text = state.pending.replace(TRAILING_SPACES, '');
    const spaces = state.pending.slice(text.length);
    state.pending = text;
    const token = state.push(spaces.length >= 2 ? 'hardbreak' : 'softbreak', 'br', 0);
    token.markup = spaces + state.src.slice(state.pos, end);
  }
  state.pos = end;
  return true;
};
const TRAILING_SPACES = /(?<! ) +$/;

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

const FOOTNOTE_REF = /\[\^([^\s\]]{1,200})\]/y;

const footnoteRef: InlineRule = (state, silent) => {
  const labels = state.env.footnotes;
  if (state.src.charCodeAt(state.pos) !== 0x5b || !(labels instanceof Set) || labels.size === 0) return false;
  const match = matchAt(FOOTNOTE_REF, state);
  if (!match || !labels.has(match[1])) return false;
  return accept(state, silent, 'footnote_ref', match[0], match[1] ?? '');
};

const mathInline: InlineRule = (state, silent) => {
  if (!state.src.startsWith('$$', state.pos)) return false;
  const end = state.src.indexOf('$$', state.pos + 2);
  if (end < 0 || end + 2 > state.posMax) return false;
  const formula = state.src.slice(state.pos + 2, end);
  if (formula.trim() === '' || formula.includes('\n')) return false;
  return accept(state, silent, 'math_inline', `$$${formula}$$`, formula);
};

export const EXPRESSION = /\{\{[ \t]*([^{}\s](?:[^{}\n]{0,998}[^{}\s])?)[ \t]*\}\}/y;

const expression: InlineRule = (state, silent) => {
  if (!state.src.startsWith('{{', state.pos)) return false;
  const match = matchAt(EXPRESSION, state);
  return match ? accept(state, silent, 'expression', match[0], match[1] ?? '') : false;
};

const emoji: InlineRule = (state, silent) => {
  if (state.src.charCodeAt(state.pos) !== 0x3a) return false;
  const name = shortcodeAt(state.src, state.pos);
  if (name === undefined || state.pos + name.length + 2 > state.posMax) return false;
  return accept(state, silent, 'emoji', `:${name}:`, name);
};

/**
 * An attribute list where it may belong to what is before it, or to the whole content. The content of its token is its place,
 * because only the reader knows what kind of content this is, and whether delimiters before it are of emphasis.
 */
const attributeList: InlineRule = (state, silent) => {
  const list = attributeListAt(state.src, state.pos);
  const end = state.pos + (list?.length ?? 0);
  if (list === undefined || end > state.posMax) return false;
  const place = placeOfList(state, list, end);
  return place !== undefined && accept(state, silent, 'attribute_list', list, place);
};

function placeOfList({ src, pos, pending }: StateInline, list: string, end: number): ListPlace | undefined {
  const before = beforeBlanks(src, pos);
  const after = afterBlanks(src, end);
  const isKramdown = isKramdownList(list);
  const isLast = after === src.length;
  if (before < 0 && (isKramdown || (isLast && standsAlone(list)))) return 'content';
  if (src.charAt(before) === '\n' && (isLast || (isKramdown && src.charAt(after) === '\n'))) return 'content';
  if (endsInIcon(src.slice(Math.max(0, pos - MAX_ICON), pos))) return 'content';
  if (pending === '' && before === pos - 1) return 'previous';
  return isLast && before < pos - 1 ? 'line' : undefined;
}

/** Where the last comment of MDX may end in each text that is being parsed. */
const commentEnds = new WeakMap<StateInline, number>();

const mdxComment: InlineRule = (state, silent) => {
  if (!beginsMdxComment(state.src, state.pos)) return false;
  const last = commentEnds.get(state) ?? state.src.lastIndexOf('*/}');
  commentEnds.set(state, last);
  const comment = state.pos < last ? mdxCommentAt(state.src, state.pos) : undefined;
  if (comment === undefined || state.pos + comment.length > state.posMax) return false;
  return accept(state, silent, 'mdx_comment', comment, '');
};

/** An element with attributes that contains only text, an image, or a list of options. */
const ELEMENT = /<(a|button|code|i|span) ([^<>]*)>[^<>]*<\/\1>/y;
const IMAGE = /<img [^<>]*>|<picture>\s*<source [^<>]*>\s*<img [^<>]*>\s*<\/picture>/y;
const SELECT = /<select(?: [^<>]*)?>(?:<option[^<>]*><\/option>)*<\/select>/y;

/** By tag, what the attributes of an element that represents an inline object match. */
const OBJECTS: Record<string, RegExp> = {
  a: /(?:^|\s)(?:class="button(?=[ "])|data-mention(?=[\s=]|$))/,
  button: /(?:)/,
  code: /^class="expression"/,
  i: /^class="fa-/,
  span: /^(?:data-gb-custom-inline|data-option|class="math")/,
};

/** Elements that may represent an inline object; whether they do is decided when they are read. */
const htmlObject: InlineRule = (state, silent) => {
  if (state.src.charCodeAt(state.pos) !== 0x3c) return false;
  const element = matchAt(ELEMENT, state);
  const isObject = element !== undefined && OBJECTS[element[1] ?? '']?.test(element[2] ?? '') === true;
  const match = (isObject ? element : undefined) ?? matchAt(IMAGE, state) ?? matchAt(SELECT, state);
  return match ? accept(state, silent, 'html_object', match[0], '') : false;
};

/** A tag that only names something is text. */
const placeholder: InlineRule = (state, silent) => {
  if (state.src.charCodeAt(state.pos) !== 0x3c) return false;
  const tag = placeholderAt(state);
  if (tag === undefined || state.pos + tag.length > state.posMax) return false;
  if (!silent) state.pending += tag;
  state.pos += tag.length;
  return true;
};

/**
 * GitBook exports this between a line break and emphasis: the entity of a character that does not exist. After its next import, it
 * exports it with a backslash. Nothing is shown for it, and a block that contains it keeps its Markdown. Where nothing follows it,
 * it is text: without it, the block would be empty.
 */
const MISSING_CHARACTER = /\\?&#xNAN;(?!\s|<br)/y;

const missingCharacter: InlineRule = (state) => {
  const length = matchAt(MISSING_CHARACTER, state)?.[0].length;
  if (length === undefined || state.pos + length === state.posMax) return false;
  state.pos += length;
  return true;
};

function matchAt(pattern: RegExp, state: StateInline): RegExpExecArray | undefined {
  pattern.lastIndex = state.pos;
  const match = pattern.exec(state.src);
  return match && pattern.lastIndex <= state.posMax ? match : undefined;
}

/** Consumes `source`, emitting a token with it as `markup` and what it carries as `content`. */
function accept(state: StateInline, silent: boolean, type: string, source: string, content: string): boolean {
  if (!silent) {
    const token = state.push(type, '', 0);
    token.markup = source;
    token.content = content;
  }
  state.pos += source.length;
  return true;
}
