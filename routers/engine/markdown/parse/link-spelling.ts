import type { Inline } from '../../document/document.ts';
import { setFormat } from '../nodes.ts';
import { fullReference, isReferenceTo, linkTarget } from '../write/link-target.ts';
import type { Token } from './parser.ts';

/** Records how a link's target was written: by reference, or with quotes, brackets or escapes that we would not write. */
export function recordTarget(node: Inline, token: Token, href: string, title: string | undefined): void {
  const source = String(token.meta?.source ?? '');
  const label = token.meta?.label;
  if (typeof label === 'string') {
    const written = fullReference(source, label);
    const kind = written !== undefined ? 'full' : source.endsWith('[]') ? 'collapsed' : 'shortcut';
    node.data = { ...node.data, reference: { kind, label: written ?? label } };
    return;
  }
  if (source.endsWith(`](${linkTarget(href, title)})`)) return;
  const target = source.slice(source.lastIndexOf('](') + 2, -1);
  if (isReferenceTo(target, href, title)) setFormat(node, 'target', target);
}

/** The text of an image, from the tokens in its brackets. */
export function plainText(tokens: readonly Token[]): string {
  let text = '';
  for (const token of tokens) {
    if (token.type === 'softbreak' || token.type === 'hardbreak') text += ' ';
    else if (token.type === 'image') text += plainText(token.children ?? []);
    else if (token.type === 'emoji') text += token.markup;
    else if (token.type !== 'html_inline') text += token.content;
  }
  return text;
}
