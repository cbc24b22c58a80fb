import { z } from 'zod';
import type { Pdf } from '../../schema/entities/pdf.ts';
import { PDF_STATES } from '../../schema/enums.ts';
import type { Row } from '../../schema/rows.ts';
import type { Signer, Urls } from '../base/ports.ts';
import { pdfPath } from './address.ts';

/** A PDF that is finished or being made. */
export const PdfObject = z
  .object({
    object: z.literal('pdf').describe('The type of the object: always `pdf`.'),
    url: z
      .string()
      .describe(
        'The URL of the file, which works for an hour without a token. A download waits for the PDF for up to a minute; if it is not finished by then, the response is 503 with `Retry-After`.',
      ),
    expiresAt: z.string().describe('When the URL expires.'),
    state: z.enum(PDF_STATES).describe('The state of the PDF; repeat the request to follow its progress.'),
    progress: z
      .object({
        done: z.number().describe('The number of finished pages.'),
        total: z.number().describe('The number of all pages.'),
      })
      .optional()
      .describe('The progress in pages of the content.'),
    pages: z.number().optional().describe('The number of pages of the file, once it is finished.'),
    size: z.number().optional().describe('The size in bytes.'),
    problem: z.string().optional().describe('Why it failed.'),
  })
  .meta({ id: 'PDF', description: 'A PDF of pages, with its progress.' });

/** How long a URL is valid, in milliseconds. */
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
