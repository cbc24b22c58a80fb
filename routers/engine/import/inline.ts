import MarkdownIt from 'markdown-it';
import { splitId } from '../markdown/parse/headings.ts';
import { installPlainTokens } from '../markdown/parse/plain-tokens.ts';
import { singleLine } from './text.ts';

const markdown = new MarkdownIt('commonmark', { html: true }).enable('strikethrough');
// Titles and tables of contents need all link targets as written.
markdown.validateLink = () => true;
markdown.normalizeLink = (url) => url;
installPlainTokens(markdown);

/** A link in a line of Markdown; `label` is its text, `title` the quoted text after the target. */
interface InlineLink {
  href: string;
  label: string;
  title?: string;
}

/** Maximum length of a line that is parsed, in characters; the rest of a longer line is ignored. */
const MAX_LENGTH = 10_000;

/** Matches characters that may start markup. */
const MARKUP = /[\\`*_~[\]<&!\n]/;
/** Matches a line with a single plain link, like nearly every entry of a table of contents. */
const PLAIN_LINK = /^\[([^\\`*_~[\]<&!\n]{1,1000})\]\(([^\s()<>\\&"']{1,1000})\)$/;

/** Parses a line of inline Markdown: returns its plain text, its links, and the id of its first anchor element. */
export function readInline(source: string): { text: string; links: InlineLink[]; anchor?: string } {
  if (!MARKUP.test(source)) return { text: singleLine(source.slice(0, MAX_LENGTH)), links: [] };
  const [, label, href] = PLAIN_LINK.exec(source) ?? [];
  if (label !== undefined && href !== undefined) {
    const text = singleLine(label);
    return { text, links: [{ href, title: undefined, label: text }] };
  }
  const links: InlineLink[] = [];
  let text = '';
  let anchor: string | undefined;
  let open: { href: string; title?: string; from: number } | undefined;
  for (const token of markdown.parseInline(source.slice(0, MAX_LENGTH), {})[0]?.children ?? []) {
    if (token.type === 'link_open')
      open = {
        href: attribute(token, 'href') ?? '',
        title: attribute(token, 'title'),
        from: text.length,
      };
    else if (token.type === 'link_close' && open) {
      links.push({ href: open.href, title: open.title, label: singleLine(text.slice(open.from)) });
      open = undefined;
    } else if (token.type === 'html_inline') anchor ??= /^<a\b[^>]*\bid="([^"]+)"/i.exec(token.content)?.[1];
    else if (token.type === 'softbreak' || token.type === 'hardbreak') text += ' ';
    else text += token.content;
  }
  return { text: singleLine(text), links, anchor };
}

/** Decodes the escapes and entities in the target of a link. */
export function unescapeMarkdown(text: string): string {
  return markdown.utils.unescapeAll(text);
}

/** Parses a heading with `#` signs: returns its level, 1 to 6, and its content in Markdown. */
export function readAtxHeading(line: string): { level: number; content: string } | undefined {
  const mark = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line);
  if (!mark) return undefined;
  let content = line.slice(mark[0].length).trim();
  const unclosed = content.replace(/(?<!#)#+$/, '');
  // Closing signs must be preceded by a space: in "C#", the sign belongs to the word.
  if (unclosed === '' || /[ \t]$/.test(unclosed)) content = unclosed.trimEnd();
  return { level: mark[1]?.length ?? 1, content };
}

type Token = ReturnType<typeof markdown.parseInline>[number];

function attribute(token: Token, name: string): string | undefined {
  const value = token.attrGet(name);
  return value === null || value === undefined ? undefined : String(value);
}

/** The text of a heading, without the id that may be at its end (`# Title {#id}`). */
export const headingText = (content: string): string => readInline(splitId(content).content).text;
