/** Bodies of responses to outbound requests, within limits. */

import type { Dispatcher, Response } from 'undici';
import { byteLimit } from '../../routers/engine/byte-limit.ts';
import { OutboundError } from './address-rules.ts';

/** A body that is longer than its reader allows. */
export class TooLargeError extends OutboundError {}

export async function requireSuccess(response: Response): Promise<void> {
  if (response.ok && !hasSeveralEncodings(response)) return;
  await response.body?.cancel();
  throw new OutboundError(
    response.ok
      ? 'The URL responds with a body that is compressed more than once.'
      : `The URL responds with status ${response.status}.`,
  );
}

/**
 * Whether a body is compressed more than once. A few kilobytes could then take any time to decode, even to nothing, which no
 * limit on the decoded bytes would notice.
 */
// guard: outbound-encodings
const isEncodedRepeatedly = (encodings: string | null): boolean => encodings?.includes(',') ?? false;

export const hasSeveralEncodings = ({ headers }: Response): boolean =>
  isEncodedRepeatedly(headers.get('content-encoding'));

/**
 * Drops bodies that are compressed more than once before they reach `fetch`, which would decode what has arrived to its end,
 * even if the body is cancelled.
 */
export const dropEncodedRepeatedly: Dispatcher.DispatcherComposeInterceptor =
  (dispatch) => (options, handler) => {
    let isDropped = false;
    return dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
      onResponseStart(controller, status, headers, message) {
        isDropped = isEncodedRepeatedly(String(headers['content-encoding'] ?? ''));
        handler.onResponseStart?.(controller, status, headers, message);
      },
      onResponseData(controller, chunk) {
        // guard: outbound-undecoded
        if (isDropped) return;
        handler.onResponseData?.(controller, chunk);
      },
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    });
  };

/** Reads a body, and aborts as soon as it is too long: its declared length is not trusted. */
export async function readAll(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new TooLargeError(`The file at the URL has more than ${byteLimit(maxBytes)}.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The beginning of a body as text, without NUL, which columns cannot store. */
export const readTextPrefix = async (response: Response, maxBytes: number): Promise<string> =>
  (await readPrefix(response, maxBytes)).toString().replaceAll('\0', '\ufffd');

/** The first bytes of a body; the rest is not read. */
export async function readPrefix(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
