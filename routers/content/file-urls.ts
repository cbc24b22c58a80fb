/** Files given by URL, and the limits of what one request may have the service read from other servers. */

import type { FetchResult, Outbound } from '../base/outbound-ports.ts';
import { byteLimit } from '../engine/byte-limit.ts';
import { FILE_LIMIT, URL_LIMITS } from '../engine/edit/files.ts';

/** Fetches a file of at most {@link FILE_LIMIT} bytes. All calls of one fetcher share its limits. */
export type FetchFile = (url: string) => Promise<FetchResult>;

export function createFileFetcher(outbound: Pick<Outbound, 'get'>, limits = URL_LIMITS): FetchFile {
  // Created with the first URL: most edits have none.
  let deadline: AbortSignal | undefined;
  let { files, bytes } = limits;
  return async (url) => {
    // guard: url-time-limit
    deadline ??= AbortSignal.timeout(limits.time);
    // guard: url-request-count
    if (files-- === 0) return { problem: `A request may name at most ${limits.files} URLs.` };
    // guard: url-file-size
    const maxBytes = Math.min(FILE_LIMIT, bytes);
    // guard: url-time-over
    const response = deadline.aborted ? undefined : await outbound.get(url, { maxBytes, signal: deadline });
    if (!response || ('problem' in response && deadline.aborted))
      return {
        problem: `Fetching the URLs of this request took more than ${limits.time / 1000} seconds.`,
      };
    if ('problem' in response) {
      return maxBytes < FILE_LIMIT && response.isTooLarge
        ? {
            problem: `The files at the URLs of this request are larger than ${byteLimit(limits.bytes)} in total.`,
          }
        : response;
    }
    // guard: url-bytes-counted
    bytes -= response.bytes.byteLength;
    return response;
  };
}
