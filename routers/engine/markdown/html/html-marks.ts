import type { Mark } from '../../document/document.ts';
import type { Token } from '../parse/parser.ts';
import { colorMark } from './colors.ts';
import { type HtmlElement, parseHtml } from './html.ts';

const HTML_MARKS: Record<string, Mark> = {
  '<strong>': { object: 'mark', type: 'bold', data: { syntax: 'strong' } },
  '<b>': { object: 'mark', type: 'bold', data: { syntax: 'b' } },
  '<em>': { object: 'mark', type: 'italic', data: { syntax: 'em' } },
  '<i>': { object: 'mark', type: 'italic', data: { syntax: 'i' } },
  '<del>': { object: 'mark', type: 'strikethrough', data: { syntax: 'del' } },
  '<s>': { object: 'mark', type: 'strikethrough', data: { syntax: 's' } },
  '<code>': { object: 'mark', type: 'code', data: { syntax: 'code' } },
  '<kbd>': { object: 'mark', type: 'keyboard' },
  '<sup>': { object: 'mark', type: 'superscript' },
  '<sub>': { object: 'mark', type: 'subscript' },
};

/** The mark that an opening HTML tag stands for. */
export function htmlMark(tag: string): Mark | undefined {
  return HTML_MARKS[tag] ?? (tag.startsWith('<mark ') ? colorMark(tag) : undefined);
}

/** The element of the opening tag of a link. */
export function htmlLink(tag: string): HtmlElement | undefined {
  if (!tag.startsWith('<a ')) return undefined;
  const element = parseHtml(`${tag}</a>`)?.[0];
  return element?.tag === 'a' && element.attributes.has('href') ? element : undefined;
}

/** Pairs the HTML tags that enclose complete inline content: token indexes from opening to closing tag and back. */
export function pairHtmlTags(tokens: readonly Token[]): Map<number, number> {
  const pairs = new Map<number, number>();
  if (!tokens.some(({ type }) => type === 'html_inline')) return pairs;
  const open: { index: number; level: number; close: string }[] = [];
  let lastLink = -1;
  // How many tags of a name are open at a level, so that an unmatched end tag costs no search.
  const counts = new Map<string, number>();
  const count = (close: string, level: number, change: number) => {
    const name = `${level}${close}`;
    const total = (counts.get(name) ?? 0) + change;
    counts.set(name, total);
    return total;
  };
  const drop = () => {
    const entry = open.pop();
    if (entry) count(entry.close, entry.level, -1);
    return entry;
  };
  tokens.forEach((token, index) => {
    if (token.nesting < 0) while ((open.at(-1)?.level ?? -1) > token.level) drop();
    if (token.type === 'link_open') lastLink = index;
    if (token.type !== 'html_inline') return;
    const { content, level } = token;
    if (htmlMark(content) || htmlLink(content)) {
      const close = `</${/^<([a-z]+)/.exec(content)?.[1]}>`;
      open.push({ index, level, close });
      count(close, level, 1);
    } else if (count(content, level, 0) > 0) {
      let partner = drop();
      while (partner && (partner.close !== content || partner.level !== level)) partner = drop();
      // Marks need text, so empty elements stay tags. Links do not nest.
      if (!partner || partner.index === index - 1) return;
      if (content === '</a>') {
        if (lastLink > partner.index) return;
        lastLink = index;
      }
      pairs.set(partner.index, index);
      pairs.set(index, partner.index);
    }
  });
  return pairs;
}
