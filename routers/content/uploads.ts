/** Files that come straight to the service, as bytes: at an address given out for it, which answers what names them. */

import { z } from 'zod';
import type { Signer } from '../ports.ts';

/** Largest upload in bytes. */
export const UPLOAD_LIMIT = 50 * 1024 * 1024;

/** How long an address takes bytes, and what was uploaded can be used, in milliseconds; far less than unused bytes are kept. */
const LIFETIME = 60 * 60 * 1000;

const ADDRESS = 'upload-address';
const UPLOADED = 'uploaded';

/** An address that takes the bytes of one file for a space; its signature stands for the check of the caller. */
export function uploadAddress(signer: Signer, space: string, now: number): { path: string; expires: number } {
  const expires = now + LIFETIME;
  const signature = signer.sign(ADDRESS, `${space} ${expires}`);
  return {
    path: `/uploads/${space}?${new URLSearchParams({ expires: String(expires), signature })}`,
    expires,
  };
}

/** Whether such an address was made here and has not expired. */
export const isUploadAddress = (
  signer: Signer,
  { space, expires, signature }: { space: string; expires: number; signature: string },
  now: number,
): boolean => expires > now && signer.verify(ADDRESS, `${space} ${expires}`, signature);

/** What is known of uploaded bytes; `contentType` is what the sender called them. */
const Uploaded = z.object({
  space: z.string(),
  sha256: z.string(),
  size: z.number(),
  contentType: z.string().optional(),
  dimensions: z.object({ width: z.number(), height: z.number() }).optional(),
  /** Milliseconds since 1970. */
  expires: z.number(),
});
type Uploaded = z.infer<typeof Uploaded>;

/** The name under which an edit of the space can insert uploaded bytes: it carries all that is known of them. */
export function nameUpload(signer: Signer, uploaded: Omit<Uploaded, 'expires'>, now: number): string {
  const text = JSON.stringify({ ...uploaded, expires: now + LIFETIME } satisfies Uploaded);
  return `${Buffer.from(text).toString('base64url')}.${signer.sign(UPLOADED, text)}`;
}

/** What was uploaded for a space under a name; undefined for a name that was not given here, or has expired. */
export function readUpload(signer: Signer, name: string, space: string, now: number): Uploaded | undefined {
  const [encoded = '', signature = ''] = name.split('.');
  const text = Buffer.from(encoded, 'base64url').toString();
  if (!signer.verify(UPLOADED, text, signature)) return undefined;
  const uploaded = Uploaded.parse(JSON.parse(text));
  return uploaded.space === space && uploaded.expires > now ? uploaded : undefined;
}
