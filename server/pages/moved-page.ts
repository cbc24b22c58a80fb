import { loadPageIndex } from './content.ts';
import { firstDocument } from './page-index.ts';
import { findPage } from './render-page.ts';
import { ifVisible, pageHref, type Redirect, type Visit } from './visit.ts';

/**
 * Where the page is that had the address of a visit before it was renamed or moved; undefined if there is a page at the
 * address now, or if the reader cannot see it.
 * @param end what follows the path in the address
 */
export async function redirectToMoved(visit: Visit, end = ''): Promise<Redirect | undefined> {
  const { call, place, pathname } = visit;
  const index = await loadPageIndex(visit, place);
  if (findPage(visit, index)) return undefined;
  const { id: spaceId, revision: revisionId } = place.siteSpace.space;
  const page = await ifVisible(
    call.revisions.pageByPath({ spaceId, revisionId, pagePath: pathname, format: 'document' }),
  );
  const indexed = page && index.byId.get(page.id);
  const document = indexed && firstDocument(indexed, index);
  if (!document) return undefined;
  const path = end === '' && document === index.first ? undefined : document.page.path;
  return { redirect: pageHref(visit, place, path) + end, keepsQuery: true };
}
