import { z } from 'zod';
import type { Pdf } from '../../schema/entities/pdf.ts';
import { PDF_STATES } from '../../schema/enums.ts';
import type { Row } from '../../schema/rows.ts';
import type { Signer, Urls } from '../base/ports.ts';
import { pdfPath } from './address.ts';

/** A PDF, or one on its way. */
export const PdfObject = z
  .object({
    object: z.literal('pdf').describe('The type of the object: always `pdf`.'),
    url: z
      .string()
      .describe(
        'Where it can be downloaded for an hour, by anyone who has the address. A download waits up to a minute until the PDF is made, and then gets 503 with `Retry-After`.',
      ),
    expiresAt: z.string().describe('When the address ends.'),
    state: z.enum(PDF_STATES).describe('Ask again to see how far it is.'),
    progress: z
      .object({
        done: z.number().describe('How much is done.'),
        total: z.number().describe('How much there is.'),
      })
      .optional()
      .describe('Pages of the content that are done, and all.'),
    pages: z.number().optional().describe('Pages of paper, once it is made.'),
    size: z.number().optional().describe('The size in bytes.'),
    problem: z.string().optional().describe('Why it could not be made.'),
  })
  .meta({ id: 'PDF', description: 'A PDF of pages, and how far it is made.' });

/** How long an address works, in milliseconds. */
const LIFETIME = 60 * 60 * 1000;

export function presentPdf(
  row: Pick<Row<Pdf>, 'id' | 'state' | 'done' | 'total' | 'pages' | 'size' | 'problem'> & { title: string },
  { urls, signer }: { urls: Urls; signer: Signer },
  now: number,
): z.input<typeof PdfObject> {
  const expires = now + LIFETIME;
  return {
    object: 'pdf',
    url: urls.absolute(pdfPath(signer, { id: row.id, title: row.title, expires })),
    expiresAt: new Date(expires).toISOString(),
    state: row.state,
    ...(row.total !== null && { progress: { done: row.done, total: row.total } }),
    ...(row.pages !== null && { pages: row.pages }),
    ...(row.size !== null && { size: row.size }),
    ...(row.problem !== null && { problem: row.problem }),
  };
}
