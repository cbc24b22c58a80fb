/** Files given by URL: the limits of what one request may have the service read from other servers. */

import type { FetchResult, Outbound } from '../base/outbound-ports.ts';
import { ADDRESS_LIMITS, FILE_LIMIT } from '../engine/edit/files.ts';

/** Reads files of at most {@link FILE_LIMIT} bytes one after another, within the limits for all of them. */
export type ReadAddress = (url: string) => Promise<FetchResult>;

export function addressReader(outbound: Pick<Outbound, 'get'>, limits = ADDRESS_LIMITS): ReadAddress {
  // Created with the first address: most edits have none.
  let ends: AbortSignal | undefined;
  let { files, bytes } = limits;
  return async (url) => {
    ends ??= AbortSignal.timeout(limits.time);
    if (files-- === 0) return { problem: `A request may name at most ${limits.files} URLs.` };
    const maxBytes = Math.min(FILE_LIMIT, bytes);
    const response = ends.aborted ? undefined : await outbound.get(url, { maxBytes, signal: ends });
    if (!response || ('problem' in response && ends.aborted))
      return {
        problem: `Reading the URLs of this request took more than ${limits.time / 1000} seconds.`,
      };
    if ('problem' in response) {
      return maxBytes < FILE_LIMIT && response.isTooLarge
        ? {
            problem: `The files at the URLs of this request have more than ${limits.bytes} bytes in total.`,
          }
        : response;
    }
    bytes -= response.bytes.byteLength;
    return response;
  };
}
