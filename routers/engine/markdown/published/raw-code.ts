import type { Block } from '../../document/document.ts';
import type { HtmlElement, HtmlNode } from '../html/html.ts';
import { block, textNode } from '../nodes.ts';

/** Elements of text, of which only the text is code. */
const TEXT_ELEMENTS =
  /^(?:a|abbr|b|big|code|del|em|font|i|ins|kbd|mark|s|samp|small|span|strong|sub|sup|tt|u|var)$/;

/**
 * The text of `<pre>` as code, where it has elements that code cannot contain. Undefined if it has others than those of text, and
 * for `<pre><code>`, whose elements may be meant to be seen.
 */
export function plainCode({ tag, children }: HtmlElement): Block | undefined {
  const isCode = children.length === 1 && children[0]?.tag === 'code';
  const text = tag === 'pre' && !isCode ? textOf(children) : undefined;
  if (text === undefined) return undefined;
  const lines = text.replace(/^\n/, '').replace(/\n$/, '').split('\n');
  return block(
    'code',
    lines.map((line) => block('code-line', [textNode(line)], {})),
    {},
  );
}

function textOf(nodes: readonly HtmlNode[]): string | undefined {
  let text = '';
  for (const node of nodes) {
    const part = node.tag === undefined ? node.text : textOfElement(node);
    if (part === undefined) return undefined;
    text += part;
  }
  return text;
}

function textOfElement({ tag, children }: HtmlElement): string | undefined {
  if (tag === 'br') return '\n';
  return TEXT_ELEMENTS.test(tag) ? textOf(children) : undefined;
}
