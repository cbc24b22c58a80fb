/** What is searched of a document: its text by headings, and by the conditions that decide who is shown it. */

import { labelOfPart, partOf } from '../document/api-part.ts';
import type { Block, BlockNode, Document, InlineNode } from '../document/document.ts';
import { isHeading, plainText } from '../document/readers.ts';
import { asRef } from '../document/refs.ts';
import { createAnchors } from '../links/anchors.ts';

export interface Section {
  /** The anchor of its heading; absent before the first one. */
  anchor?: string;
  title: string;
  text: string;
}

/** The text that is shown under the same conditions. */
export interface DocumentPart {
  /** Expressions that must all hold; none for what everyone is shown. */
  conditions: string[];
  sections: Section[];
  /** The ids of the reusable contents of the space that it includes. */
  includes: string[];
}

/** Characters of one document that are searched. */
const MAX_TEXT = 1_000_000;
/** Parts under different conditions; beyond them, text is searched by nobody. */
const MAX_PARTS = 20;

type Heading = Pick<Section, 'anchor' | 'title'>;

const LEAD: Heading = { title: '' };

/** The parts of a document. The first is what everyone is shown, even if that is nothing. */
export function partsOf(document: Document): DocumentPart[] {
  const anchorOf = createAnchors();
  const everyone: DocumentPart = { conditions: [], sections: [], includes: [] };
  const parts = new Map<string, DocumentPart>([['[]', everyone]]);
  const headings = new WeakMap<Section, Heading>();
  let left = MAX_TEXT;

  const partFor = (conditions: readonly string[]): DocumentPart | undefined => {
    const key = JSON.stringify(conditions);
    const known = parts.get(key);
    if (known || parts.size === MAX_PARTS) return known;
    const part: DocumentPart = { conditions: [...conditions], sections: [], includes: [] };
    parts.set(key, part);
    return part;
  };

  const add = (conditions: readonly string[], heading: Heading, text: string) => {
    if (left <= 0 || (text === '' && heading.anchor === undefined)) return;
    const part = partFor(conditions);
    if (!part) return;
    const added = text.slice(0, left);
    left -= added.length + 1;
    const last = part.sections.at(-1);
    if (last && headings.get(last) === heading) last.text += last.text === '' ? added : `\n${added}`;
    else {
      const section: Section = { ...heading, text: added };
      headings.set(section, heading);
      part.sections.push(section);
    }
  };

  /** @returns the heading that what follows stands under */
  const walk = (nodes: readonly BlockNode[], conditions: readonly string[], above: Heading): Heading => {
    let heading = above;
    for (const node of nodes) {
      if (node.object !== 'block') continue;
      if (node.type === 'if') {
        const { expression } = node.data ?? {};
        // One that cannot be read is shown to nobody; its headings are no headings of what follows.
        walk(
          node.nodes ?? [],
          [...conditions, typeof expression === 'string' ? expression : 'false'],
          heading,
        );
        continue;
      }
      if (isHeading(node)) {
        heading = { anchor: anchorOf(node), title: plainText([readable(node)]) };
        add(conditions, heading, '');
        continue;
      }
      const included = includedBy(node);
      if (included !== undefined) {
        partFor(conditions)?.includes.push(included);
        continue;
      }
      add(conditions, heading, ownText(node));
      for (const name of namesOfApi(node)) add(conditions, heading, name);
      heading = walk(node.nodes ?? [], conditions, heading);
      for (const fragment of node.fragments ?? []) heading = walk(fragment.nodes, conditions, heading);
      for (const note of notesIn(node.nodes ?? [])) heading = walk(note, conditions, heading);
    }
    return heading;
  };

  walk(document.nodes, [], LEAD);
  return [...parts.values()];
}

/** The reusable content of the same space that a block shows; those of other spaces are not searched. */
function includedBy({ type, data }: Block): string | undefined {
  const ref = type === 'reusable-content' ? asRef(data?.ref) : undefined;
  return ref?.kind === 'reusable-content' && ref.space === undefined ? ref.reusableContent : undefined;
}

/** The text of a block without the blocks in it. */
function ownText(block: Block): string {
  const { fragments: _, ...own } = block;
  const inlines = (block.nodes ?? []).filter((node): node is InlineNode => node.object !== 'block');
  return plainText([{ ...own, nodes: withoutExpressions(inlines) }]);
}

/** What a block for a part of an API shows of it, as far as the block says: the method and path, or the names of models. */
function namesOfApi({ type, data = {} }: Block): string[] {
  const part = partOf(type, data);
  return part ? [labelOfPart(part)] : [];
}

const readable = (heading: Block): Block => ({
  ...heading,
  nodes: withoutExpressions(
    (heading.nodes ?? []).filter((node): node is InlineNode => node.object !== 'block'),
  ),
});

/** What an expression shows differs from reader to reader, and nobody is shown what it says; a note is read by itself. */
function withoutExpressions(nodes: readonly InlineNode[]): InlineNode[] {
  return nodes.flatMap((node): InlineNode[] => {
    if (node.object === 'text') return [node];
    if (node.type === 'expression' || node.type === 'emoji') return [];
    const { fragments: _, ...own } = node;
    return [{ ...own, ...(node.nodes && { nodes: withoutExpressions(node.nodes) }) }];
  });
}

/** The blocks of the notes of inlines. */
function* notesIn(nodes: readonly BlockNode[]): Generator<readonly Block[]> {
  for (const node of nodes) {
    if (node.object !== 'inline') continue;
    for (const { nodes: blocks } of node.fragments ?? []) yield blocks;
    yield* notesIn(node.nodes ?? []);
  }
}
