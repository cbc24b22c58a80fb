import { z } from 'zod';
import { handlersFor } from '../base/mount.ts';
import { notFound } from '../engine/errors.ts';
import type { PageRecord } from '../engine/store/records.ts';
import { evaluated } from './content.handlers.ts';
import { documentViewFor } from './document-view.ts';
import { HeadingObject } from './headings.api.ts';
import type { ReadableContent } from './readable-content.query.ts';

/** Maximum number of pages whose headings are read at once. */
const MAX_HEADING_PAGES = 50;

const readHeadings = handlersFor<ReadableContent>().query({
  input: z.object({
    pages: z
      .array(z.string())
      .min(1)
      .max(MAX_HEADING_PAGES)
      .describe(
        'The ids of the pages. Those without stored content, and those that the caller may not see, are left out; there must be others.',
      ),
    ...evaluated,
  }),
  output: z.object({
    headings: z
      .array(HeadingObject)
      .describe('The headings and expandables with a title, page by page, in the order of each page.'),
  }),
  async resolve(content, { pages: ids, ...options }) {
    const pages = await readVisibleDocuments(content, ids);
    if (pages.length === 0) throw notFound('page');
    const views = pages.map(({ page, document }) => documentViewFor(content, document, page, options));
    const anchors = await content.engine.run('titledAnchors', { views }, content.snapshot.reader);
    return {
      headings: pages.flatMap(({ page }, index) =>
        (anchors[index] ?? []).map(({ anchor, title }) => ({ page: page.id, anchor, title })),
      ),
    };
  },
});

/** The pages with a stored document among these ids that the caller may see, in one batch. */
async function readVisibleDocuments(
  { snapshot, conditions }: ReadableContent,
  ids: readonly string[],
): Promise<{ page: PageRecord; document: string }[]> {
  return [...(await snapshot.withAncestors(new Set(ids))).values()].flatMap((line) => {
    const page = line.at(-1);
    if (page?.document === undefined || line[0]?.parent !== null) return [];
    // guard: heading-page-conditions
    if (conditions && !conditions.isShown(line.map(({ condition }) => condition))) return [];
    return { page, document: page.document };
  });
}

export const headingHandlers = { headings: readHeadings };
