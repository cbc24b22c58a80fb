/** The titles of anchors, which are shown for references to them that have no text of their own. */

import type { Block, ContentRef, Document } from '../document/document.ts';
import { findTitled, isHeading } from '../document/readers.ts';
import { shownText } from '../document/shown-text.ts';
import { createAnchors, createExpandableAnchors } from '../markdown/published/anchors.ts';
import { shownBlocksIn } from '../markdown/published/published-raw.ts';
import { truncate } from '../text.ts';
import { foldAnchor } from './document-links.ts';
import { type Allowance, createGitbookAnchors, pageAllowance } from './gitbook-anchors.ts';

/** A heading or an expandable. */
export interface TitledAnchor {
  anchor: string;
  title: string;
}

/** Returns the title of an anchor; undefined if it has none. */
export type AnchorTitles = (anchor: string) => string | undefined;

export type AnchorRef = Extract<ContentRef, { kind: 'anchor' }>;

/** Maximum length of a title, which any number of references may repeat. */
const MAX_TITLE = 300;

/** The headings and expandables of a document, as stored or as published, that have a title, in their common order. */
export function titledAnchorsIn(document: Pick<Document, 'nodes'>): TitledAnchor[] {
  const blocks = findTitled(document, shownBlocksIn);
  const anchorOfHeading = createAnchors();
  const anchorOfExpandable = createExpandableAnchors(blocks.filter(isHeading));
  return blocks
    .map((block) =>
      isHeading(block)
        ? titled(block, anchorOfHeading, block.nodes)
        : titled(block, anchorOfExpandable, titleNodesOf(block)),
    )
    .filter(({ anchor, title }) => anchor !== '' && title !== '');
}

const titleNodesOf = ({ fragments = [] }: Block) =>
  fragments.filter(({ type }) => type === 'expandable-title').flatMap(({ nodes }) => nodes);

/** Published blocks have their anchors. */
function titled(
  block: Block,
  anchorOf: (block: Block) => string,
  title: Parameters<typeof shownText>[0] = [],
): TitledAnchor {
  const given = block.meta?.id;
  const text = shownText(title).replace(/\s+/g, ' ').trim();
  return { anchor: typeof given === 'string' ? given : anchorOf(block), title: truncate(text, MAX_TITLE) };
}

/**
 * Finds titles by anchor; by anchors that other tools derive from the same title if there is no such anchor.
 * @param allowance what is used for finding anchors that GitBook derives
 */
export function anchorTitles(
  anchors: readonly TitledAnchor[],
  allowance: Allowance = pageAllowance(),
): AnchorTitles {
  const titles = new Map<string, string>();
  for (const { anchor, title } of anchors) addTitle(titles, anchor, title);
  for (const { anchor, title } of anchors) {
    addTitle(titles, foldAnchor(anchor), title);
    addTitle(titles, foldAnchor(title), title);
  }
  titles.delete('');
  let romanized: Map<string, string> | undefined;
  return (anchor) => {
    const folded = foldAnchor(anchor);
    const title = titles.get(anchor) ?? titles.get(folded);
    if (title !== undefined) return title;
    romanized ??= romanizedTitles(anchors, allowance);
    return romanized.get(folded);
  };
}

/** The anchors by what links may lead to them with: folded, and as other tools derive them from the titles. */
export function anchorAliases(anchors: readonly TitledAnchor[]): Map<string, string> {
  const aliases = new Map<string, string>();
  const gitbookAnchor = createGitbookAnchors();
  for (const { anchor, title } of anchors) {
    const romanized = gitbookAnchor(title);
    for (const name of [anchor, title, ...(romanized === undefined ? [] : [romanized])])
      addTitle(aliases, foldAnchor(name), anchor);
  }
  aliases.delete('');
  return aliases;
}

function romanizedTitles(anchors: readonly TitledAnchor[], allowance: Allowance): Map<string, string> {
  const titles = new Map<string, string>();
  const gitbookAnchor = createGitbookAnchors(allowance);
  for (const { title } of anchors) {
    const anchor = gitbookAnchor(title);
    if (anchor !== undefined) addTitle(titles, foldAnchor(anchor), title);
  }
  return titles;
}

function addTitle(titles: Map<string, string>, anchor: string, title: string): void {
  if (!titles.has(anchor)) titles.set(anchor, title);
}

/** Whether a reference leads to an anchor of a page, and a node of this type shows the title of its target. */
export const isTitledAnchor = (ref: ContentRef, type: string): ref is AnchorRef =>
  ref.kind === 'anchor' && ref.page !== undefined && type !== 'link';
