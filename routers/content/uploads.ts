/** Direct uploads: the bytes of a file are sent to a signed URL, and the response has the token to use in an edit. */

import { z } from 'zod';
import type { Signer } from '../base/ports.ts';

/** Largest upload in bytes. */
export const UPLOAD_LIMIT = 50 * 1024 * 1024;

/**
 * How long a URL accepts bytes, and how long an upload can be used, in milliseconds; unused bytes are kept far longer.
 */
const LIFETIME = 60 * 60 * 1000;

const ADDRESS = 'upload-address';
const UPLOADED = 'uploaded';

/** A URL that accepts the bytes of one file for a space; its signature replaces the check of the caller. */
export function uploadAddress(signer: Signer, space: string, now: number): { path: string; expires: number } {
  const expires = now + LIFETIME;
  const signature = signer.sign(ADDRESS, `${space} ${expires}`);
  return {
    path: `/uploads/${space}?${new URLSearchParams({ expires: String(expires), signature })}`,
    expires,
  };
}

/** Whether such a URL was issued by this service and has not expired. */
export const isUploadAddress = (
  signer: Signer,
  { space, expires, signature }: { space: string; expires: number; signature: string },
  now: number,
): boolean => expires > now && signer.verify(ADDRESS, `${space} ${expires}`, signature);

/** The metadata of an upload; `contentType` is what the sender declared. */
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

/** Issues the token by which an edit of the space inserts an upload: it contains the signed metadata. */
export function issueUploadToken(signer: Signer, uploaded: Omit<Uploaded, 'expires'>, now: number): string {
  const text = JSON.stringify({ ...uploaded, expires: now + LIFETIME } satisfies Uploaded);
  return `${Buffer.from(text).toString('base64url')}.${signer.sign(UPLOADED, text)}`;
}

/** The upload for a space with this token; undefined if the token is not valid or has expired. */
export function verifyUploadToken(
  signer: Signer,
  token: string,
  space: string,
  now: number,
): Uploaded | undefined {
  const [encoded = '', signature = ''] = token.split('.');
  const text = Buffer.from(encoded, 'base64url').toString();
  if (!signer.verify(UPLOADED, text, signature)) return undefined;
  const uploaded = Uploaded.parse(JSON.parse(text));
  // guard: space-of-upload
  return uploaded.space === space && uploaded.expires > now ? uploaded : undefined;
}
