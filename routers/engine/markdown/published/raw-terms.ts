/** Terms of lists of definitions, for which there is no block: readers get them as paragraphs in bold, before what they mean. */

import type { HtmlElement, HtmlNode } from '../html/html.ts';
import { trimmed } from '../html/text-elements.ts';

/** The content of `<dt>` in bold; undefined if there is none. */
export function boldTerm({ children }: HtmlElement): HtmlElement | undefined {
  const content = trimmed(withoutBold(children)).filter(hasContent);
  const [first] = content;
  const last = content.at(-1);
  if (!first || !last) return undefined;
  return { tag: 'strong', attributes: new Map(), children: content, start: first.start, end: last.end };
}

const hasContent = (node: HtmlNode): boolean => node.tag !== undefined || node.text !== '';

const withoutBold = (nodes: readonly HtmlNode[]): HtmlNode[] =>
  nodes.flatMap((node) => {
    if (node.tag === undefined) return [node];
    const children = withoutBold(node.children);
    return node.tag === 'strong' || node.tag === 'b' ? children : [{ ...node, children }];
  });
