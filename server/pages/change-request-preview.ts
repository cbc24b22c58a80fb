/** The preview of a change request: which pages and blocks it changes, and how they are marked. */

import type { BlockNode } from '../../routers/engine/document/document.ts';
import { type Html, html } from '../http/html.ts';
import { renderBlocks } from './document/blocks.ts';
import type { RenderContext } from './document/render-context.ts';
import type { Texts } from './languages/texts.ts';
import {
  type ChangedPage,
  type ChangeKind,
  ifVisible,
  type PreviewedChangeRequest,
  pageHref,
  type Visit,
} from './visit.ts';

/** Maximum number of changes to load. */
const MAX_CHANGES = 500;

interface ChangeRequestParams {
  spaceId: string;
  changeRequestId: string;
}

const CHANGE_KINDS = {
  page_created: 'added',
  page_edited: 'changed',
  page_moved: 'changed',
  page_deleted: 'removed',
} as const satisfies Record<string, ChangeKind>;

/** Loads a change request with the pages that it changes. */
export async function loadPreviewedChangeRequest(
  call: Visit['call'],
  params: ChangeRequestParams,
): Promise<PreviewedChangeRequest & { revision: string }> {
  const [found, { changes, more = 0 }] = await Promise.all([
    call.changeRequests.get(params),
    call.changes.ofChangeRequest({ ...params, limit: MAX_CHANGES }),
  ]);
  const pages = new Map<string, ChangedPage>();
  for (const change of changes) {
    if (!('page' in change)) continue;
    const { id, title, type, path } = change.page;
    const kind = CHANGE_KINDS[change.type];
    pages.set(id, { kind, title, path: type === 'document' && kind !== 'removed' ? path : undefined });
  }
  const { number, subject, revision, revisionInitial, revisionMergedAncestor } = found;
  const base = revisionMergedAncestor ?? revisionInitial;
  return { number, subject, revision, base, pages, more };
}

export interface DiffBlock {
  node: BlockNode;
  kind?: ChangeKind;
}

/** The blocks of a page in a change request, including those that it removes; undefined if the page is new or unchanged. */
export async function diffBlocks(
  { call, changeRequest, place }: Visit,
  pageId: string,
  after: readonly BlockNode[],
): Promise<DiffBlock[] | undefined> {
  // On a new page, every block is new.
  if (changeRequest?.pages.get(pageId)?.kind !== 'changed') return undefined;
  const before = await ifVisible(
    call.revisions.pageDocument({
      spaceId: place.siteSpace.space.id,
      revisionId: changeRequest.base,
      pageId,
      evaluated: 'deterministic-only',
    }),
  );
  return compareBlocks((before?.nodes ?? []) as readonly BlockNode[], after);
}

const keyOf = (node: BlockNode): string => ('key' in node && node.key) || JSON.stringify(node);

/** Matches blocks by key. A removed block follows the block that it used to follow. */
export function compareBlocks(before: readonly BlockNode[], after: readonly BlockNode[]): DiffBlock[] {
  const old = new Map(before.map((node) => [keyOf(node), JSON.stringify(node)]));
  const remaining = new Set(after.map(keyOf));
  const removed = new Map<string, DiffBlock[]>();
  let following: DiffBlock[] = [];
  removed.set('', following);
  for (const node of before) {
    const key = keyOf(node);
    if (remaining.has(key)) {
      following = removed.get(key) ?? [];
      removed.set(key, following);
    } else following.push({ node, kind: 'removed' });
  }
  const blocks = after.flatMap((node): DiffBlock[] => {
    const key = keyOf(node);
    const previous = old.get(key);
    const current: DiffBlock =
      previous === undefined
        ? { node, kind: 'added' }
        : previous === JSON.stringify(node)
          ? { node }
          : { node, kind: 'changed' };
    return [current, ...(removed.get(key) ?? [])];
  });
  return [...(removed.get('') ?? []), ...blocks];
}

export const renderDiff = (blocks: readonly DiffBlock[], context: RenderContext): Html[] =>
  blocks.map(({ node, kind }) => {
    if (!kind) return html`${renderBlocks([node], context)}`;
    const { isOutlined } = context;
    if (kind === 'removed') context.isOutlined = false;
    const rendered = renderBlocks([node], context);
    context.isOutlined = isOutlined;
    return html`<div class="difference ${kind}"><p class="mark-name">${context.texts.changeKinds[kind]}</p>${rendered}</div>\n`;
  });

/** A marker beside a changed page in the table of contents. */
export const changeMarker = ({ changeRequest }: Visit, id: string, texts: Texts): Html | undefined => {
  const kind = changeRequest?.pages.get(id)?.kind;
  return (
    kind &&
    html`<span class="page-mark ${kind}" title="${texts.changeKinds[kind]}"><span class="visually-hidden">(${texts.changeKinds[kind]})</span></span>`
  );
};

/** A bar that says that this is a preview, and lists the changed pages. */
export function previewBar(visit: Visit, texts: Texts): Html {
  const { changeRequest } = visit;
  if (!changeRequest) return html`<p class="preview" role="status">${texts.preview}</p>`;
  const { number, subject, pages, more } = changeRequest;
  const list = [...pages.values()].map(
    ({ kind, title, path }) =>
      html`<li><span class="page-mark ${kind}"></span> ${path === undefined ? title : html`<a href="${pageHref(visit, visit.place, path)}">${title}</a>`} <small>${texts.changeKinds[kind]}</small></li>`,
  );
  return html`<details class="preview"><summary>#${number} ${subject} · ${texts.preview} · ${texts.changedPages}: ${pages.size}${more > 0 && '+'}</summary><ul>${list}</ul></details>`;
}
