/** `<video>` and `<audio>`, of which readers get what they play. */

import type { ContentRef } from '../../document/document.ts';
import type { RefOf } from '../../document/refs.ts';
import { type HtmlElement, parseHtml } from './html.ts';

export const isPlayer = (element: HtmlElement): boolean => element.tag === 'video' || element.tag === 'audio';

/** What an element plays: its own source, or the first of those in it. */
export function playedBy(element: HtmlElement, refOf: RefOf): ContentRef | undefined {
  const sources = element.children.flatMap((child) =>
    child.tag === 'source' ? [child.attributes.get('src')] : [],
  );
  const src = [element.attributes.get('src'), ...sources].find((address) => address);
  return src === undefined ? undefined : refOf(src, 'file');
}

const STARTS = /^<(?:video|audio)[\s>]/i;

/** Whether a text is one such element. On one line, it is part of a paragraph in the eyes of Markdown. */
export function isPlayerHtml(text: string): boolean {
  const [only, ...others] = STARTS.test(text) ? (parseHtml(text) ?? []) : [];
  return only?.tag !== undefined && isPlayer(only) && others.length === 0;
}
