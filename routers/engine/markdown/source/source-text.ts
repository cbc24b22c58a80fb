/** The original Markdown that is stored with blocks which the writer would spell differently. */

import type { BlockNode, ContentRef, Data, Format } from '../../document/document.ts';
import { asRef } from '../../document/refs.ts';
import { walkBlocks, walkInlines } from '../walk.ts';

type HrefOf = (ref: ContentRef) => string;

/** The URLs of the references in a source, in order, if there are any. The source is valid only while the references have these URLs. */
export function hrefsOf(nodes: readonly BlockNode[], hrefOf: HrefOf): { hrefs?: string[] } {
  const hrefs: string[] = [];
  walkBlocks(nodes, (block) => collectHrefs(block.data, hrefOf, hrefs));
  walkInlines(nodes, (inline) => collectHrefs(inline.data, hrefOf, hrefs));
  return hrefs.length > 0 ? { hrefs } : {};
}

function collectHrefs(value: unknown, hrefOf: HrefOf, hrefs: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const ref = asRef(value);
  if (ref) hrefs.push(hrefOf(ref));
  else for (const entry of Object.values(value as Data)) collectHrefs(entry, hrefOf, hrefs);
}

/** The original Markdown stored with a block or a document, if its references would still be written as they are there. */
export function sourceOf(
  { format }: { format?: Format },
  nodes: readonly BlockNode[],
  hrefOf: HrefOf,
): string | undefined {
  if (format?.source === undefined) return undefined;
  const source = format.source as { markdown?: unknown; hrefs?: string[] };
  if (typeof source.markdown !== 'string') return undefined;
  const { hrefs } = hrefsOf(nodes, hrefOf);
  const isCurrent =
    (hrefs?.length ?? 0) === (source.hrefs?.length ?? 0) &&
    (hrefs ?? []).every((href, index) => href === source.hrefs?.[index]);
  return isCurrent ? source.markdown : undefined;
}
