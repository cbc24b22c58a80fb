import { z } from 'zod';
import type { PdfScope } from '../../schema/json/pdf-scope.ts';
import type { Context } from '../base/context.ts';
import { handlersFor } from '../base/mount.ts';
import { pagesOf, type ReadableContent } from '../content/content.handlers.ts';
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
      only: z.boolean().default(false).describe('Leaves out the pages below the one that is given.'),
      page: z
        .string()
        .optional()
        .describe('The id of a page: that page with all below it. Everything without one.'),
    }),
    output: PdfObject,
    async resolve(content, { only, page }) {
      const { space, revision, services, visitor, conditions, changeRequest, transaction } = content;
      if (page !== undefined && !(await pagesOf(content, { computed: true }).subtree(page)))
        throw notFound('page');
      const scope: PdfScope = {
        root: revision.root,
        time: new Date(revision.createdAt).toISOString(),
        changeRequest: changeRequest
          ? { number: changeRequest.number, subject: changeRequest.subject }
          : null,
        page: page ?? null,
        only: page !== undefined && only,
        // Claims that do not count on the site make no difference.
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
