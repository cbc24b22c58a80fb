import { mount } from '../base/mount.ts';
import { router } from '../base/trpc.ts';
import { changeRequestContentProcedure } from '../change-requests/change-requests.procedures.ts';
import { contentRoute } from '../change-requests/route.ts';
import { readContentProcedure } from '../content/content.procedures.ts';
import { route } from '../content/route.ts';
import { pdfHandlers } from './pdf.handlers.ts';

const description =
  'The PDF is generated in the background. Repeating the request within a few minutes returns the same PDF, with its progress.';

export const pdfRouter = router(
  mount(readContentProcedure, pdfHandlers, {
    get: route.get('/spaces/{spaceId}/pdf', 'Get a PDF of a space', 'getSpacePDF', { description }),
  }),
);

export const changeRequestPdfRouter = router(
  mount(changeRequestContentProcedure, pdfHandlers, {
    get: contentRoute.get(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/pdf',
      'Get a PDF of a change request',
      'getChangeRequestPDF',
      { description },
    ),
  }),
);
