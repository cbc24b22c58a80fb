import type { z } from 'zod';
import type { PageWithContentObject } from '../../routers/content/pages.api.ts';
import { loadPageIndex } from './content.ts';
import { firstDocument } from './page-index.ts';
import { findPage } from './render-page.ts';
import { ifVisible, pageHref, type Redirect, type Visit } from './visit.ts';

/** What an address at which there is no page now leads to: where its page is, or a page that says why it is gone. */
type FormerPage = { moved: Redirect } | { gone: z.infer<typeof PageWithContentObject> };

/**
 * Finds the page that had the address of a visit before it was renamed or moved, or before an OpenAPI spec lost the part that
 * it showed; undefined if there is a page at the address now, or if the reader cannot see it.
 * @param end what follows the path in the address
 */
export async function findFormerPage(
  visit: Visit,
  format: 'markdown' | 'document',
  end = '',
): Promise<FormerPage | undefined> {
  const { call, place, pathname } = visit;
  const index = await loadPageIndex(visit, place);
  if (findPage(visit, index)) return undefined;
  const { id: spaceId, revision: revisionId } = place.siteSpace.space;
  const page = await ifVisible(
    call.revisions.pageByPath({ spaceId, revisionId, pagePath: pathname, format }),
  );
  if (!page) return undefined;
  const indexed = index.byId.get(page.id);
  // Any other that is not in the index has just been added to a spec.
  if (!indexed) return page.hidden ? { gone: page } : undefined;
  const document = firstDocument(indexed, index);
  if (!document) return undefined;
  const path = end === '' && document === index.first ? undefined : document.page.path;
  return { moved: { redirect: pageHref(visit, place, path) + end, keepsQuery: true } };
}
