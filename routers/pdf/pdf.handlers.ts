import { z } from 'zod';
import type { PdfScope } from '../../schema/json/pdf-scope.ts';
import type { Context } from '../base/context.ts';
import { handlersFor } from '../base/mount.ts';
import { type ReadableContent, visiblePagesOf } from '../content/readable-content.query.ts';
import { notFound } from '../engine/errors.ts';
import { PdfObject, presentPdf } from './pdf.api.ts';
import { requestPdf } from './request.operation.ts';

interface PrintableContent extends ReadableContent, Pick<Context, 'transaction'> {
  changeRequest?: { number: number; subject: string };
}

/** The PDF of a space or of a change request, for members and for visitors of a site. */
export const pdfHandlers = {
  get: handlersFor<PrintableContent>().query({
    input: z.object({
      only: z.boolean().default(false).describe('Leaves out the pages below the given page.'),
      page: z
        .string()
        .optional()
        .describe(
          'The id of a page, which is printed with all pages below it; by default, all pages are printed.',
        ),
    }),
    output: PdfObject,
    async resolve(content, { only, page }) {
      const { space, revision, services, visitor, conditions, changeRequest, transaction } = content;
      // guard: pdf-page-exists
      if (page !== undefined && !(await visiblePagesOf(content, { computed: true }).subtree(page)))
        throw notFound('page');
      const scope: PdfScope = {
        root: revision.root,
        time: new Date(revision.createdAt).toISOString(),
        changeRequest: changeRequest
          ? { number: changeRequest.number, subject: changeRequest.subject }
          : null,
        page: page ?? null,
        only: page !== undefined && only,
        // Only the claims that the site uses, so that others make no difference.
        visitor:
          visitor && conditions
            ? { site: visitor.site, pass: visitor.pass, claims: conditions.claims }
            : null,
      };
      const now = Date.now();
      const pdf = await transaction((em) => requestPdf(em, services, { space, scope }, now));
      if (!pdf) throw notFound('space');
      return presentPdf(pdf, services, now);
    },
  }),
};
