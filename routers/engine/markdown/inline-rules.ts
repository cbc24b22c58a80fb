import type { MarkdownIt, StateInline } from 'markdown-it';

type InlineRule = Parameters<MarkdownIt['inline']['ruler']['push']>[1];

/** Adds GitBook's inline syntax, and records of links, images and line ends how they were written. */
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
  ruler.before('html_inline', 'html_object', htmlObject);
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

/** An emoji's short name: not inside words, times, or `a::b`. */
export const EMOJI = /(?<![A-Za-z0-9:/]):(?:\+1|-1|[a-z][a-z0-9_+-]{0,60}):(?![A-Za-z0-9:/])/y;

const emoji: InlineRule = (state, silent) => {
  if (state.src.charCodeAt(state.pos) !== 0x3a) return false;
  const match = matchAt(EMOJI, state);
  return match ? accept(state, silent, 'emoji', match[0], match[0].slice(1, -1)) : false;
};

/** Elements that stand for one inline object, only in the spelling that the serializer gives them. */
const HTML_OBJECTS = [
  ['expression', /<code class="expression">([^<>\n]{1,1000})<\/code>/y],
  ['icon', /<i class="fa-[a-z0-9-]{1,80}"(?: style="color:[^";<>\n]{1,80};?")?>:[a-z0-9-]{1,80}:<\/i>/y],
  [
    'button',
    /<a href="[^"<>\n]*" class="button (?:primary|secondary)"(?: data-icon="[^"<>\n]*")?>[^<>\n]+<\/a>/y,
  ],
  ['html_image', /<img (?:[a-z-]+="[^"<>\n]*" ?)+\/?>/y],
] as const;

const htmlObject: InlineRule = (state, silent) => {
  if (state.src.charCodeAt(state.pos) !== 0x3c) return false;
  for (const [type, pattern] of HTML_OBJECTS) {
    const match = matchAt(pattern, state);
    if (match) return accept(state, silent, type, match[0], match[1] ?? '');
  }
  return false;
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
