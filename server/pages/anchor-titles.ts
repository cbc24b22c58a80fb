/** The titles of headings and expandables, for references that are shown with the title of their target. */

import type { BlockNode, ContentRef, Document } from '../../routers/engine/document/document.ts';
import {
  type AnchorRef,
  type AnchorTitles,
  anchorTitles,
  type TitledAnchor,
  titledAnchorsIn,
} from '../../routers/engine/links/anchor-titles.ts';
import { type Allowance, pageAllowance } from '../../routers/engine/links/gitbook-anchors.ts';
import type { Target } from './document/render-context.ts';
import { findPlacedSpace, ifVisible, type Visit } from './visit.ts';

/** Maximum number of pages whose headings one page shows: each may be long. References to others have the page's title. */
const MAX_PAGES = 50;

/**
 * Loads the titles of the anchors that references lead to, with one request for each space.
 * @param own the nodes of the page itself, to which anchors without a page belong
 */
export async function loadAnchorTitles(
  visit: Visit,
  refs: readonly AnchorRef[],
  own: readonly BlockNode[],
): Promise<(ref: ContentRef) => string | undefined> {
  const allowance = pageAllowance();
  const wanted = new Map(refs.flatMap(({ page, space }) => (page === undefined ? [] : [[page, space]])));
  const bySpace = Map.groupBy([...wanted].slice(0, MAX_PAGES), ([, space]) => space);
  const loaded = await Promise.all(
    [...bySpace].map(([space, pages]) =>
      loadHeadings(
        visit,
        space,
        pages.map(([page]) => page),
        allowance,
      ),
    ),
  );
  const titles = new Map(loaded.flatMap((found) => [...found]));
  let ownTitles: AnchorTitles | undefined;
  return (ref) => {
    if (ref.kind !== 'anchor') return undefined;
    if (ref.page !== undefined) return titles.get(ref.page)?.(ref.anchor);
    ownTitles ??= anchorTitles(titledAnchorsIn({ nodes: own } as Pick<Document, 'nodes'>), allowance);
    return ownTitles(ref.anchor);
  };
}

async function loadHeadings(
  visit: Visit,
  space: string | undefined,
  pages: string[],
  allowance: Allowance,
): Promise<Map<string, AnchorTitles>> {
  const placed = findPlacedSpace(visit, space);
  if (!placed) return new Map();
  const { id: spaceId, revision: revisionId } = placed.siteSpace.space;
  const found = await ifVisible(
    visit.call.revisions.headings({ spaceId, revisionId, pages, evaluated: 'deterministic-only' }),
  );
  const byPage = Map.groupBy<string, TitledAnchor & { page: string }>(
    found?.headings ?? [],
    ({ page }) => page,
  );
  return new Map([...byPage].map(([page, anchors]) => [page, anchorTitles(anchors, allowance)]));
}

/** A target with the title of its anchor, if that is known, and the title of the page below it. */
export function titledByAnchor(
  target: Target | undefined,
  ref: ContentRef,
  title: string | undefined,
): Target | undefined {
  if (!target || title === undefined) return target;
  const isElsewhere = ref.kind === 'anchor' && ref.page !== undefined;
  return { ...target, title, ...(isElsewhere && { description: target.title }) };
}
