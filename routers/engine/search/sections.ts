/** The searchable text of a document, divided by headings and by the conditions under which it is visible. */

import { withHints } from '../document/admonitions.ts';
import { labelOfPart, partOf } from '../document/api-part.ts';
import type { Block, BlockNode, Document, InlineNode } from '../document/document.ts';
import { isHeading, plainText } from '../document/readers.ts';
import { asRef } from '../document/refs.ts';
import { isOpenCondition } from '../expressions/open-condition.ts';
import { createAnchors } from '../markdown/published/anchors.ts';
import { titleOfUrl } from '../markdown/published/content-titles.ts';
import { shownBlocksIn } from '../markdown/published/published-raw.ts';

export interface Section {
  /** The anchor of its heading; absent before the first heading. */
  anchor?: string;
  title: string;
  text: string;
}

/** The text that is visible under the same conditions. */
export interface DocumentPart {
  /** Expressions that must all be true; none if it is visible to everyone. */
  conditions: string[];
  sections: Section[];
  /** The ids of the included reusable contents of the same space. */
  includes: string[];
}

/** Maximum length of a document's searchable text, in characters. */
const MAX_TEXT = 1_000_000;
/** Maximum number of parts with different conditions; text in further ones is not searchable. */
const MAX_PARTS = 20;

type Heading = Pick<Section, 'anchor' | 'title'>;

const NO_HEADING: Heading = { title: '' };

/** Divides a document into parts. The first is visible to everyone; it may be empty. */
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

  /** @returns the heading of what follows the nodes */
  const walk = (nodes: readonly BlockNode[], outer: readonly string[], above: Heading): Heading => {
    let heading = above;
    let conditions = outer;
    // What follows an open condition is under it, so it has to stay where it is.
    // guard: search-open-condition-hints
    const hasOpenCondition = nodes.some(isOpenCondition);
    for (const node of hasOpenCondition ? nodes : withHints(nodes)) {
      if (node.object !== 'block') continue;
      // guard: search-open-condition
      if (isOpenCondition(node)) conditions = [...outer, 'false'];
      if (node.type === 'if') {
        const { expression } = node.data ?? {};
        // Content under an invalid expression is visible to nobody. Headings in it do not apply to what follows.
        walk(
          node.nodes ?? [],
          [...conditions, typeof expression === 'string' ? expression : 'false'],
          heading,
        );
        continue;
      }
      if (isHeading(node)) {
        heading = { anchor: anchorOf(node), title: plainText([searchableHeading(node)]) };
        add(conditions, heading, '');
        continue;
      }
      const shown = shownBlocksIn(node);
      if (shown) {
        heading = walk(shown, conditions, heading);
        continue;
      }
      const included = reusableContentIn(node);
      if (included !== undefined) {
        partFor(conditions)?.includes.push(included);
        continue;
      }
      add(conditions, heading, textWithoutBlocks(node));
      const title = titleOfUrl(node);
      if (title !== undefined) add(conditions, heading, title);
      for (const name of apiLabels(node)) add(conditions, heading, name);
      heading = walk(node.nodes ?? [], conditions, heading);
      for (const fragment of node.fragments ?? []) heading = walk(fragment.nodes, conditions, heading);
      for (const annotation of annotationsIn(node.nodes ?? []))
        heading = walk(annotation, conditions, heading);
    }
    return heading;
  };

  walk(document.nodes, [], NO_HEADING);
  return [...parts.values()];
}

/** The reusable content that a block includes, if it is of the same space; those of other spaces are not searchable. */
function reusableContentIn({ type, data }: Block): string | undefined {
  const ref = type === 'reusable-content' ? asRef(data?.ref) : undefined;
  return ref?.kind === 'reusable-content' && ref.space === undefined ? ref.reusableContent : undefined;
}

/** The text of a block without that of nested blocks. */
function textWithoutBlocks(block: Block): string {
  const { fragments: _, ...own } = block;
  const inlines = (block.nodes ?? []).filter((node): node is InlineNode => node.object !== 'block');
  return plainText([{ ...own, nodes: withoutExpressions(inlines) }]);
}

/** What a block for a part of an API names: the method and path, or the models. */
function apiLabels({ type, data = {} }: Block): string[] {
  const part = partOf(type, data);
  return part ? [labelOfPart(part)] : [];
}

const searchableHeading = (heading: Block): Block => ({
  ...heading,
  nodes: withoutExpressions(
    (heading.nodes ?? []).filter((node): node is InlineNode => node.object !== 'block'),
  ),
});

/**
 * Drops expressions, whose values differ by reader and whose source nobody sees, and the contents of annotations, which are
 * walked separately.
 */
function withoutExpressions(nodes: readonly InlineNode[]): InlineNode[] {
  return nodes.flatMap((node): InlineNode[] => {
    if (node.object === 'text') return [node];
    if (node.type === 'expression' || node.type === 'emoji') return [];
    const { fragments: _, ...own } = node;
    return [{ ...own, ...(node.nodes && { nodes: withoutExpressions(node.nodes) }) }];
  });
}

/** The blocks of the annotations in inline nodes. */
function* annotationsIn(nodes: readonly BlockNode[]): Generator<readonly Block[]> {
  for (const node of nodes) {
    if (node.object !== 'inline') continue;
    for (const { nodes: blocks } of node.fragments ?? []) yield blocks;
    yield* annotationsIn(node.nodes ?? []);
  }
}
