/** The preview of a change request: which pages and blocks it changes, and how they are marked. */

import type { BlockNode } from '../../routers/engine/document/document.ts';
import { type Html, html } from '../http/html.ts';
import { compareBlocks } from './document/differences.ts';
import type { ChangeKind, DiffBlock } from './document/render-context.ts';
import type { InterfaceLanguage } from './languages/index.ts';
import type { Texts } from './languages/texts.ts';
import {
  type ChangedContent,
  type ChangedPage,
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

const PAGE_CHANGES = {
  page_created: 'added',
  page_edited: 'changed',
  page_moved: 'changed',
  page_deleted: 'removed',
} as const satisfies Record<string, ChangeKind>;

const REUSABLE_CONTENT_CHANGES = {
  reusable_content_created: 'added',
  reusable_content_edited: 'changed',
  reusable_content_deleted: 'removed',
} as const satisfies Record<string, ChangeKind>;

/** Loads a change request with the pages and reusable contents that it changes. */
export async function loadPreviewedChangeRequest(
  call: Visit['call'],
  params: ChangeRequestParams,
): Promise<PreviewedChangeRequest & { revision: string }> {
  const [found, { changes, more = 0 }] = await Promise.all([
    call.changeRequests.get(params),
    call.changes.ofChangeRequest({ ...params, limit: MAX_CHANGES }),
  ]);
  const pages = new Map<string, ChangedPage>();
  const reusableContents = new Map<string, ChangedContent>();
  for (const change of changes) {
    if ('reusableContent' in change) {
      const { id, title } = change.reusableContent;
      reusableContents.set(id, { kind: REUSABLE_CONTENT_CHANGES[change.type], title });
    }
    if (!('page' in change)) continue;
    const { id, title, type, path } = change.page;
    const kind = PAGE_CHANGES[change.type];
    pages.set(id, { kind, title, path: type === 'document' && kind !== 'removed' ? path : undefined });
  }
  const { number, subject, revision, revisionInitial, revisionMergedAncestor } = found;
  const base = revisionMergedAncestor ?? revisionInitial;
  return { number, subject, revision, base, pages, reusableContents, more };
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

/** The same for a reusable content of the space; `after` is undefined if it is deleted. */
export async function diffReusableBlocks(
  { call, changeRequest, place }: Visit,
  reusableContentId: string,
  after: readonly BlockNode[] | undefined,
): Promise<DiffBlock[] | undefined> {
  const kind = changeRequest?.reusableContents.get(reusableContentId)?.kind;
  // Where a new one is included, the block that includes it is marked.
  if (changeRequest === undefined || kind === undefined || kind === 'added') return undefined;
  const before = await ifVisible(
    call.revisions.reusableContentDocument({
      spaceId: place.siteSpace.space.id,
      revisionId: changeRequest.base,
      reusableContentId,
    }),
  );
  return compareBlocks((before?.nodes ?? []) as readonly BlockNode[], after ?? []);
}

/** A marker beside a changed page in the table of contents. */
export const changeMarker = ({ changeRequest }: Visit, id: string, texts: Texts): Html | undefined => {
  const kind = changeRequest?.pages.get(id)?.kind;
  return (
    kind &&
    html`<span class="page-mark ${kind}" title="${texts.changeKinds[kind]}"><span class="visually-hidden">(${texts.changeKinds[kind]})</span></span>`
  );
};

/** A bar that says that this is a preview, and lists the changed pages and reusable contents. */
export function previewBar(visit: Visit, { texts, mark }: InterfaceLanguage): Html {
  const { changeRequest } = visit;
  if (!changeRequest) return html`<p class="preview" role="status" dir="auto"${mark}>${texts.preview}</p>`;
  const { number, subject, pages, reusableContents, more } = changeRequest;
  const changedPages = [...pages.values()].map(
    ({ kind, title, path }) =>
      html`<li><span class="page-mark ${kind}"></span> ${path === undefined ? title : html`<a href="${pageHref(visit, visit.place, path)}">${title}</a>`} <small${mark}>${texts.changeKinds[kind]}</small></li>`,
  );
  const changedContents = [...reusableContents.values()].map(
    ({ kind, title }) =>
      html`<li><span class="page-mark ${kind}"></span> ${title} <small${mark}>${texts.reusableContent} · ${texts.changeKinds[kind]}</small></li>`,
  );
  return html`<details class="preview"><summary><bdi>#${number} ${subject}</bdi> · <bdi${mark}>${texts.preview}</bdi> · <bdi${mark}>${texts.changedPages}: ${pages.size}${more > 0 && '+'}</bdi></summary><ul>${changedPages}${changedContents}</ul></details>`;
}
