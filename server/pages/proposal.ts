/** What a change request changes, as it is marked in its preview. */

import type { BlockNode } from '../../routers/engine/document/document.ts';
import { type Html, html } from '../http/html.ts';
import { drawBlocks } from './document/blocks.ts';
import type { Drawing } from './document/view.ts';
import type { Texts } from './languages/texts.ts';
import { type ChangedPage, type Mark, orNothing, type Proposal, pageHref, type Visit } from './visit.ts';

/** Most changes that are looked for. */
const MAX_CHANGES = 500;

interface Named {
  spaceId: string;
  changeRequestId: string;
}

const MARKS = {
  page_created: 'added',
  page_edited: 'changed',
  page_moved: 'changed',
  page_deleted: 'removed',
} as const satisfies Record<string, Mark>;

/** The change request with what it changes. */
export async function readProposal(
  call: Visit['call'],
  named: Named,
): Promise<Proposal & { revision: string }> {
  const [found, { changes, more = 0 }] = await Promise.all([
    call.changeRequests.get(named),
    call.changes.ofChangeRequest({ ...named, limit: MAX_CHANGES }),
  ]);
  const pages = new Map<string, ChangedPage>();
  for (const change of changes) {
    if (!('page' in change)) continue;
    const { id, title, type, path } = change.page;
    const mark = MARKS[change.type];
    pages.set(id, { mark, title, path: type === 'document' && mark !== 'removed' ? path : undefined });
  }
  const { number, subject, revision, revisionInitial, revisionMergedAncestor } = found;
  const base = revisionMergedAncestor ?? revisionInitial;
  return { number, subject, revision, base, pages, more };
}

export interface MarkedBlock {
  node: BlockNode;
  mark?: Mark;
}

/** The blocks of a page of a change request, and those that it removes; undefined where nothing is compared. */
export async function markedBlocks(
  { call, proposal, place }: Visit,
  pageId: string,
  after: readonly BlockNode[],
): Promise<MarkedBlock[] | undefined> {
  // Of a page that is new, all of it is.
  if (proposal?.pages.get(pageId)?.mark !== 'changed') return undefined;
  const before = await orNothing(
    call.revisions.pageDocument({
      spaceId: place.siteSpace.space.id,
      revisionId: proposal.base,
      pageId,
      evaluated: 'deterministic-only',
    }),
  );
  return compare((before?.nodes ?? []) as readonly BlockNode[], after);
}

const keyOf = (node: BlockNode): string => ('key' in node && node.key) || JSON.stringify(node);

/** Blocks are the same by their keys; those that are removed stand behind the one that they stood behind. */
function compare(before: readonly BlockNode[], after: readonly BlockNode[]): MarkedBlock[] {
  const old = new Map(before.map((node) => [keyOf(node), JSON.stringify(node)]));
  const kept = new Set(after.map(keyOf));
  const removed = new Map<string, MarkedBlock[]>();
  let behind = '';
  for (const node of before) {
    const key = keyOf(node);
    if (kept.has(key)) behind = key;
    else removed.set(behind, [...(removed.get(behind) ?? []), { node, mark: 'removed' }]);
  }
  const marked = after.flatMap((node): MarkedBlock[] => {
    const key = keyOf(node);
    const was = old.get(key);
    const one: MarkedBlock =
      was === undefined
        ? { node, mark: 'added' }
        : was === JSON.stringify(node)
          ? { node }
          : { node, mark: 'changed' };
    return [one, ...(removed.get(key) ?? [])];
  });
  return [...(removed.get('') ?? []), ...marked];
}

export const drawMarked = (blocks: readonly MarkedBlock[], drawing: Drawing): Html[] =>
  blocks.map(({ node, mark }) => {
    if (!mark) return html`${drawBlocks([node], drawing)}`;
    const { isOutlined } = drawing;
    if (mark === 'removed') drawing.isOutlined = false;
    const drawn = drawBlocks([node], drawing);
    drawing.isOutlined = isOutlined;
    return html`<div class="difference ${mark}"><p class="mark-name">${drawing.texts.marks[mark]}</p>${drawn}</div>\n`;
  });

/** A sign beside a page in the contents. */
export const pageMark = ({ proposal }: Visit, id: string, texts: Texts): Html | undefined => {
  const mark = proposal?.pages.get(id)?.mark;
  return (
    mark &&
    html`<span class="page-mark ${mark}" title="${texts.marks[mark]}"><span class="unseen">(${texts.marks[mark]})</span></span>`
  );
};

/** Says that what is shown is not what the public sees, and what is changed. */
export function previewBar(visit: Visit, texts: Texts): Html {
  const { proposal } = visit;
  if (!proposal) return html`<p class="preview" role="status">${texts.preview}</p>`;
  const { number, subject, pages, more } = proposal;
  const list = [...pages.values()].map(
    ({ mark, title, path }) =>
      html`<li><span class="page-mark ${mark}"></span> ${path === undefined ? title : html`<a href="${pageHref(visit, visit.place, path)}">${title}</a>`} <small>${texts.marks[mark]}</small></li>`,
  );
  return html`<details class="preview"><summary>#${number} ${subject} · ${texts.preview} · ${texts.changedPages}: ${pages.size}${more > 0 && '+'}</summary><ul>${list}</ul></details>`;
}
