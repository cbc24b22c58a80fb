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

/** How long a download waits for its PDF, how often it looks, and how many wait at once: in milliseconds. */
const WAIT = { time: 60_000, interval: 500, downloads: 100 };

/** Serves PDFs at the signed addresses that readers were given, once they are made. */
export function mountPdfs(
  app: FastifyInstance,
  db: Db,
  { storage, signer }: Pick<Services, 'storage' | 'signer'>,
  wait: { time: number; interval: number; downloads: number } = WAIT,
): void {
  let waiting = 0;
  const made = async (id: string, isGone: () => boolean) => {
    const end = Date.now() + wait.time;
    for (;;) {
      const pdf = await readPdf(db, { id });
      const isOpen = pdf?.state === 'pending' || pdf?.state === 'progress';
      if (!isOpen || isGone() || Date.now() + wait.interval > end || waiting > wait.downloads) return pdf;
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
      if (!isPdfPath(signer, { id, expires: Number(expires), signature }, Date.now())) throw gone();
      waiting += 1;
      const pdf = await made(id, () => request.raw.destroyed).finally(() => {
        waiting -= 1;
      });
      if (!pdf) throw gone();
      if (pdf.state === 'failed') throw httpError(503, pdf.problem ?? 'The PDF could not be made.');
      if (pdf.file === null) {
        const progress = pdf.total === null ? '' : ` ${pdf.done} of ${pdf.total} pages are done.`;
        reply.header('retry-after', '5');
        throw httpError(503, `The PDF is being made.${progress} Try again soon.`);
      }
      return sendStored(request, reply, storage, { sha256: pdf.file, name, contentType: 'application/pdf' });
    },
  });
}

const gone = () => httpError(404, 'There is no such PDF, or its URL has expired.');
