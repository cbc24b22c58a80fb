import type { Signer } from '../ports.ts';

const DAY = 24 * 60 * 60 * 1000;

/** An address works for at least this many days; ends fall on the same moment for all, so that addresses can be cached. */
const DAYS = 7;

/** What an address of bytes says; signed as a whole, so that the door needs nothing else to serve it. */
export interface Download {
  sha256: string;
  name: string;
  contentType: string;
  /** Milliseconds since 1970. */
  expires: number;
}

const PURPOSE = 'download';
const signedText = ({ sha256, name, contentType, expires }: Download) =>
  JSON.stringify([sha256, name, contentType, expires]);

/** Makes the path of a download, for a file of whom the caller may see the space: the signature stands for the check. */
export function downloadPath(signer: Signer, file: Omit<Download, 'expires'>, now: number): string {
  const expires = (Math.floor(now / DAY) + DAYS + 1) * DAY;
  const download = { sha256: file.sha256, name: file.name, contentType: file.contentType, expires };
  const query = new URLSearchParams({
    type: file.contentType,
    expires: String(expires),
    signature: signer.sign(PURPOSE, signedText(download)),
  });
  return `/files/${file.sha256}/${encodeURIComponent(file.name)}?${query}`;
}

/** Whether such an address was made here and has not expired. */
export const isDownload = (signer: Signer, download: Download, signature: string, now: number): boolean =>
  download.expires > now && signer.verify(PURPOSE, signedText(download), signature);
