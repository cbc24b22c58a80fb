/** Links to anchors: whether their pages have these is known once all documents are read. */

import type { ContentRef, Document } from '../document/document.ts';
import { collectDocumentLinks, foldAnchor } from '../links/document-links.ts';
import { parseMarkdown } from '../markdown/markdown.ts';
import { percentDecode } from '../percent-encoding.ts';
import { unescapeMarkdown } from './inline.ts';
import type { PlannedPage } from './plan.ts';

/** What is known of the anchors of a document. */
export interface AnchorFacts {
  /** Its anchors, folded. */
  anchors: ReadonlySet<string>;
  /** Its references to anchors and reusable contents; others are ignored. */
  refs: readonly ContentRef[];
}

export function anchorFactsOf(document: Document): AnchorFacts {
  const { anchors, refs } = collectDocumentLinks(document);
  const kept = refs.flatMap(({ ref }) =>
    ref.kind === 'anchor' || ref.kind === 'reusable-content' ? ref : [],
  );
  return { anchors: new Set(anchors), refs: kept };
}

/** The facts of documents, by the ids of their pages and reusable contents. */
export interface AnchorIndex {
  pages: ReadonlyMap<string, AnchorFacts>;
  reusableContents: ReadonlyMap<string, AnchorFacts>;
  /** Returns the anchors of the title of a page; only called for links that seem to be broken. */
  anchorsOfTitle: (page: string) => ReadonlySet<string>;
}

const WORD = /[\p{L}\p{M}\p{N}]/u;

/** A link to an anchor that does not exist. */
interface MissingAnchor {
  /** The id of the page or reusable content with the link. */
  from: string;
  /** The id of the page that it leads to. */
  page: string;
  anchor: string;
}

/**
 * Finds the links to anchors that their pages do not have, each once for each document. A page also has the anchors of reusable
 * contents if it includes any: which of them, readers decide by what they may see.
 */
export function findMissingAnchors({
  pages,
  reusableContents,
  anchorsOfTitle,
}: AnchorIndex): MissingAnchor[] {
  const shared = new Set<string>();
  for (const { anchors } of reusableContents.values()) for (const anchor of anchors) shared.add(anchor);
  const including = new Set<string>();
  for (const [id, { refs }] of pages)
    if (refs.some(({ kind }) => kind === 'reusable-content')) including.add(id);

  const hasAnchor = (page: string, { anchors }: AnchorFacts, anchor: string): boolean => {
    const folded = foldAnchor(anchor);
    // Browsers know the top of any page. An anchor of punctuation alone may be that of any heading, and footnotes have their own.
    if (!WORD.test(percentDecode(anchor)) || folded === 'top' || anchor.startsWith('user-content-fn-'))
      return true;
    return (
      anchors.has(folded) || (including.has(page) && shared.has(folded)) || anchorsOfTitle(page).has(folded)
    );
  };

  const missing: MissingAnchor[] = [];
  for (const [from, { refs }] of [...pages, ...reusableContents]) {
    const checked = new Set<string>();
    for (const ref of refs) {
      if (ref.kind !== 'anchor') continue;
      // A link within a reusable content leads to the page that shows it, which may be any.
      const { page = from, anchor } = ref;
      const target = ref.space === undefined ? pages.get(page) : undefined;
      const key = `${page} ${anchor}`;
      if (!target || checked.has(key)) continue;
      checked.add(key);
      if (!hasAnchor(page, target, anchor)) missing.push({ from, page, anchor });
    }
  }
  return missing;
}

const FRAGMENT = /#([^\s"'<>()[\]#]{1,300})/g;

/** The lines, from 1, on which a text first has URLs with these anchors, by anchor. */
export function linesOfAnchors(text: string, anchors: ReadonlySet<string>): Map<string, number> {
  const lines = new Map<string, number>();
  let line = 1;
  let counted = 0;
  for (const { 1: written = '', index } of text.matchAll(FRAGMENT)) {
    const anchor = [written, percentDecode(unescapeMarkdown(written))].find((one) => anchors.has(one));
    if (anchor === undefined || lines.has(anchor)) continue;
    for (let at = text.indexOf('\n', counted); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
    counted = index;
    lines.set(anchor, line);
  }
  return lines;
}

/** The anchors, folded, of the title of a page and of its heading in its file, which is the beginning of the page. */
export const titleAnchors = ({ title, git }: Pick<PlannedPage, 'title' | 'git'>): Set<string> =>
  new Set([foldAnchor(title), ...collectDocumentLinks(parseMarkdown(git?.head ?? '')).anchors]);

/** The anchors that references lead to. */
export const anchorsIn = (refs: readonly ContentRef[]): Set<string> =>
  new Set(refs.flatMap((ref) => (ref.kind === 'anchor' ? ref.anchor : [])));
