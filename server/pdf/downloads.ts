import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../routers/base/context.ts';
import type { Db } from '../../routers/base/db.ts';
import { isPdfPath } from '../../routers/pdf/address.ts';
import { readPdf } from '../../routers/pdf/pdf.query.ts';
import { sendStored } from '../http/downloads.ts';
import { httpError } from '../http/http-errors.ts';

interface PdfDownload {
  Params: { id: string; name: string };
  Querystring: { expires?: string; signature?: string };
}

/** How long a download waits for its PDF and how often it polls, in milliseconds, and how many downloads may wait at once. */
export const WAIT = { time: 60_000, interval: 500, downloads: 100 };

/** Serves PDFs at their signed URLs. A download of a PDF that is not finished waits for it. */
export function mountPdfDownloads(
  app: FastifyInstance,
  db: Db,
  { storage, signer }: Pick<Services, 'storage' | 'signer'>,
  wait: { time: number; interval: number; downloads: number } = WAIT,
): void {
  let waiting = 0;
  const waitForPdf = async (id: string, hasLeft: () => boolean) => {
    const deadline = Date.now() + wait.time;
    for (;;) {
      const pdf = await readPdf(db, { id });
      const isUnfinished = pdf?.state === 'pending' || pdf?.state === 'progress';
      if (!isUnfinished || hasLeft() || Date.now() + wait.interval > deadline || waiting > wait.downloads)
        return pdf;
      await setTimeout(wait.interval);
    }
  };
  app.route<PdfDownload>({
    method: ['GET', 'HEAD'],
    url: '/pdfs/:id/:name',
    exposeHeadRoute: false,
    compress: false,
    async handler(request, reply) {
      const { id, name } = request.params;
      const { expires = '', signature = '' } = request.query;
      if (!isPdfPath(signer, { id, expires: Number(expires), signature }, Date.now())) throw notFound();
      waiting += 1;
      const pdf = await waitForPdf(id, () => request.raw.destroyed).finally(() => {
        waiting -= 1;
      });
      // Nobody reads a response, and none is a failure of the service.
      // guard: pdf-download-left
      if (reply.raw.destroyed) return reply.hijack();
      if (!pdf) throw notFound();
      if (pdf.state === 'failed') throw httpError(503, pdf.problem ?? 'The PDF could not be generated.');
      if (pdf.file === null) {
        const progress = pdf.total === null ? '' : ` ${pdf.done} of ${pdf.total} pages are done.`;
        reply.header('retry-after', '5');
        throw httpError(503, `The PDF is being generated.${progress} Try again soon.`);
      }
      return sendStored(request, reply, storage, { sha256: pdf.file, name, contentType: 'application/pdf' });
    },
  });
}

const notFound = () => httpError(404, 'This PDF does not exist, or its URL has expired.');
