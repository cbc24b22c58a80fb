import type { Signer } from '../base/ports.ts';

const DAY = 24 * 60 * 60 * 1000;

/** A URL is valid for at least this many days; all expire at the same moments, so that URLs can be cached. */
const DAYS = 7;

/** What a download URL contains; signed as a whole, so that serving it needs no other check. */
export interface Download {
  sha256: string;
  name: string;
  contentType: string;
  /** Milliseconds since 1970. */
  expires: number;
}

/** The prefix of the paths of downloads. */
export const DOWNLOADS = '/files/';

const PURPOSE = 'download';
const signedText = ({ sha256, name, contentType, expires }: Download) =>
  JSON.stringify([sha256, name, contentType, expires]);

/**
 * Makes the path of a download. The caller must be allowed to view the file's space: the signature replaces the check.
 */
export function downloadPath(signer: Signer, file: Omit<Download, 'expires'>, now: number): string {
  const expires = (Math.floor(now / DAY) + DAYS + 1) * DAY;
  const download = { sha256: file.sha256, name: file.name, contentType: file.contentType, expires };
  const query = new URLSearchParams({
    type: file.contentType,
    expires: String(expires),
    signature: signer.sign(PURPOSE, signedText(download)),
  });
  return `${DOWNLOADS}${file.sha256}/${encodeURIComponent(file.name)}?${query}`;
}

/** Whether a download URL was issued by this service and has not expired. */
export const isDownload = (signer: Signer, download: Download, signature: string, now: number): boolean =>
  download.expires > now && signer.verify(PURPOSE, signedText(download), signature);
