/** The signed addresses of PDFs. */

import type { Signer } from '../base/ports.ts';
import { safeName } from '../engine/export/file-names.ts';

const PURPOSE = 'pdf';

/** Makes the path of a PDF. The caller must be allowed to read its contents: the signature replaces the check. */
export function pdfPath(
  signer: Signer,
  { id, title, expires }: { id: string; title: string; expires: number },
): string {
  const query = new URLSearchParams({
    expires: String(expires),
    signature: signer.sign(PURPOSE, `${id} ${expires}`),
  });
  return `/pdfs/${id}/${encodeURIComponent(`${safeName(title, 'document')}.pdf`)}?${query}`;
}

/** Whether such a path was issued by this service and has not expired. */
// guard: pdf-signed-address
export const isPdfPath = (
  signer: Signer,
  { id, expires, signature }: { id: string; expires: number; signature: string },
  now: number,
): boolean => expires > now && signer.verify(PURPOSE, `${id} ${expires}`, signature);
