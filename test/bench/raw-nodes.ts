import type { BlockNode } from '../../routers/engine/document/document.ts';

/** A node of raw Markdown: how it begins, and whether the published schemas lack a type for it. */
interface RawNode {
  kind: string;
  isForeign: boolean;
}

/** The nodes of type `markdown`, at any depth. */
export function rawNodesOf(nodes: readonly BlockNode[]): RawNode[] {
  return nodes.flatMap((node) => {
    if (node.object === 'text') return [];
    if (node.type === 'markdown') return [describe(String(node.data?.markdown ?? '').trimStart())];
    const inFragments = (node.fragments ?? []).flatMap((fragment) => rawNodesOf(fragment.nodes));
    return [...rawNodesOf(node.nodes ?? []), ...inFragments];
  });
}

const BEGINNING = /^(?:\{%-? *\w+|<!--|<\/?[\w-]+|\[\^|\[[^\]]*\]:|\|)/;

function describe(markdown: string): RawNode {
  const kind = BEGINNING.exec(markdown)?.[0] ?? markdown.slice(0, 12);
  return { kind, isForeign: isForeign(kind, markdown) };
}

/** The HTML elements that GitBook writes. */
const ELEMENTS = new Set(
  (
    'a code details div em figcaption figure h1 h2 h3 h4 h5 h6 i img li mark ol p picture pre strong sub summary sup ' +
    'table tbody td th thead tr ul'
  ).split(' '),
);

/** GitBook blocks without a type in its published schemas. */
const UNTYPED = /^\{%-? *(?:end)?(?:swagger|api)$/;

function isForeign(kind: string, markdown: string): boolean {
  // A lone end tag belongs to a foreign element, or to none.
  if (UNTYPED.test(kind) || kind === '<!--' || kind.startsWith('</')) return true;
  // A button without a target has no type; one with a target is a link.
  if (/^<(?:button\b|a\b(?![^>]*\shref))/i.test(markdown)) return true;
  const element = /^<([\w-]+)/.exec(kind)?.[1]?.toLowerCase();
  if (element !== undefined && !ELEMENTS.has(element)) return true;
  // GitBook does not write such attributes.
  return /^(?:<figure[^>]*\sclass|<[^>]*\s(?:style|name|border|cellspacing|on\w+))\s*=/i.test(markdown);
}
