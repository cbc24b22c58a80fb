import type { InlineNode } from '../../document/document.ts';
import { BLANK } from '../write/delimiters.ts';
import { type InlineOptions, writeInlines } from '../write/serialize-inlines.ts';
import type { Token } from './parser.ts';

/** Characters escaped or written as entities throughout, though they need not be. */
export function findSpelling(
  tokens: readonly Token[],
  nodes: readonly InlineNode[],
  content: string,
  options: InlineOptions,
  known: Record<string, string> | undefined,
): Record<string, string> | undefined {
  let spelling: Record<string, string> | undefined;
  for (const token of tokens) {
    if (token.type !== 'text_special' || token.content.length > 2 || token.content === token.markup) continue;
    spelling ??= { ...known };
    spelling[token.content] = token.markup;
  }
  if (!spelling) return undefined;
  if (writeInlines(nodes, known ? { ...options, spelling: known } : options) === content) return undefined;
  if (writeInlines(nodes, { ...options, spelling }) === content) return spelling;
  // Without it, spaces at the edge of emphasis would be moved out of it.
  return spelling[' '] === BLANK ? { ...known, ' ': BLANK } : undefined;
}
