import type { Dispatcher, Response } from 'undici';
import { currentCaller } from '../../routers/base/caller.ts';
import type {
  ConditionalFetchResult,
  FetchResult,
  Outbound,
  Validators,
} from '../../routers/base/outbound-ports.ts';
import { addressRules, OutboundError } from './address-rules.ts';
import { FairShare, type FairShareOptions } from './fair-share.ts';

/** Time limit for a request with its redirects, in milliseconds. */
const TIME_LIMIT = 15_000;
const MAX_REDIRECTS = 5;

/** Files read from URLs at the same time: each may be large, and its server slow. */
const READS: FairShareOptions = {
  slots: { all: 32, organization: 16, user: 8 },
  waiting: { all: 400, organization: 200, user: 100 },
  messages: {
    user: 'You are reading too many files from URLs; try again soon.',
    organization: 'The organization is reading too many files from URLs; try again soon.',
    all: 'Too many files are being read from URLs; try again soon.',
  },
};

interface OutboundOptions {
  /** Private ranges that are allowed, as CIDR. */
  allowed: readonly string[];
  timeLimit?: number;
}

class TooLargeError extends OutboundError {}

/**
 * Opens the HTTP client for URLs given by callers. It connects only to public addresses, whether these come from a name, a
 * redirect or an IPv4-mapped IPv6 address: each connection is checked once its address is known.
 */
export function openOutbound({ allowed, timeLimit = TIME_LIMIT }: OutboundOptions): Outbound {
  const { requireAllowed, lookup } = addressRules(allowed);
  const settings = {
    connect: { lookup, timeout: timeLimit },
    pipelining: 1,
    keepAliveTimeout: 1000,
  };
  // The library is loaded by the first request, which makes starting faster.
  const load = async () => {
    const { Agent, fetch } = await import('undici');
    return {
      fetch,
      reader: new Agent({ ...settings, connections: 4 }).compose(dropEncodedRepeatedly),
      // No limit, so that requests that hang do not block others to the same server: callers limit them.
      poster: new Agent(settings).compose(dropEncodedRepeatedly),
    };
  };
  let loaded: ReturnType<typeof load> | undefined;
  const client = () => (loaded ??= load());

  const share = new FairShare(READS);

  async function open(
    address: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<{ response: Response; url: string }> {
    const { fetch, reader } = await client();
    let url = new URL(address);
    // guard: url-redirect-limit
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      // guard: spec-redirect-private
      requireAllowed(url);
      const response = await fetch(url.href, { dispatcher: reader, redirect: 'manual', headers, signal });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || location === null)
        return { response, url: url.href };
      await response.body?.cancel();
      if (!URL.canParse(location, url.href))
        throw new OutboundError('The URL redirects to an invalid location.');
      url = new URL(location, url.href);
    }
    throw new OutboundError(`The URL redirects more than ${MAX_REDIRECTS} times.`);
  }

  const withTimeLimit = (signal: AbortSignal | undefined): AbortSignal => {
    const limit = AbortSignal.timeout(timeLimit);
    return signal ? AbortSignal.any([limit, signal]) : limit;
  };

  return {
    async get(url, { maxBytes, truncate = false, accept, signal }): Promise<FetchResult> {
      // guard: outbound-share, outbound-organization
      const slot = await share.acquire(currentCaller() ?? { user: 'service' }, timeLimit);
      try {
        const { response } = await open(url, requestHeaders(accept), withTimeLimit(signal));
        await requireSuccess(response);
        const contentType = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
        const bytes = await (truncate ? readPrefix : readAll)(response, maxBytes);
        return { bytes, ...(contentType && { contentType }) };
      } catch (error) {
        const problem = problemOf(error, timeLimit);
        return error instanceof TooLargeError ? { problem, isTooLarge: true } : { problem };
      } finally {
        // guard: outbound-slot-released
        slot.release();
      }
    },
    async getIfChanged(
      address,
      { maxBytes, accept, signal, validators = {} },
    ): Promise<ConditionalFetchResult> {
      try {
        const headers = { ...requestHeaders(accept), ...conditionsOf(validators) };
        const { response, url } = await open(address, headers, withTimeLimit(signal));
        if (response.status === 304 && Object.keys(validators).length > 0) {
          await response.body?.cancel();
          return { unchanged: true };
        }
        await requireSuccess(response);
        return { bytes: await readAll(response, maxBytes), url, validators: validatorsOf(response) };
      } catch (error) {
        return { problem: problemOf(error, timeLimit), isTimeout: isTimeout(error) };
      }
    },
    async post(address, { body, headers, maxBytes, method = 'POST' }) {
      const signal = AbortSignal.timeout(timeLimit);
      try {
        const url = new URL(address);
        // guard: webhook-send-private
        requireAllowed(url);
        const { fetch, poster } = await client();
        const response = await fetch(url.href, {
          method,
          dispatcher: poster,
          // guard: webhook-redirect
          redirect: 'manual',
          headers: { 'content-type': 'application/json', 'user-agent': 'Colophon', ...headers },
          body,
          signal,
        });
        const retryAfter = response.headers.get('retry-after') ?? '';
        const isReadable = !hasSeveralEncodings(response);
        if (!isReadable) await response.body?.cancel();
        return {
          status: response.status,
          body: isReadable ? await readTextPrefix(response, maxBytes) : '',
          ...(/^\d{1,5}$/.test(retryAfter) && { retryAfter: Number(retryAfter) }),
        };
      } catch (error) {
        return { problem: problemOf(error, timeLimit) };
      }
    },
    problemWithUrl(address) {
      try {
        requireAllowed(new URL(address));
        return undefined;
      } catch (error) {
        return error instanceof OutboundError ? error.message : 'The URL is not valid.';
      }
    },
  };
}

const requestHeaders = (accept = '*/*') => ({ accept, 'user-agent': 'Colophon' });

const conditionsOf = ({ etag, lastModified }: Validators): Record<string, string> => ({
  ...(etag !== undefined && { 'if-none-match': etag }),
  ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
});

/** Validators longer than this are not worth keeping. */
const MAX_VALIDATOR = 1000;

function validatorsOf({ headers }: Response): Validators {
  const read = (name: string) => {
    const value = headers.get(name);
    return value !== null && value !== '' && value.length <= MAX_VALIDATOR ? value : undefined;
  };
  const etag = read('etag');
  const lastModified = read('last-modified');
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
}

async function requireSuccess(response: Response): Promise<void> {
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

const hasSeveralEncodings = ({ headers }: Response): boolean =>
  isEncodedRepeatedly(headers.get('content-encoding'));

/**
 * Drops bodies that are compressed more than once before they reach `fetch`, which would decode what has arrived to its end,
 * even if the body is cancelled.
 */
const dropEncodedRepeatedly: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
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
async function readAll(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new TooLargeError(`The file at the URL has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The beginning of a body as text, without NUL, which columns cannot store. */
const readTextPrefix = async (response: Response, maxBytes: number): Promise<string> =>
  (await readPrefix(response, maxBytes)).toString().replaceAll('\0', '\ufffd');

/** The first bytes of a body; the rest is not read. */
async function readPrefix(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

const TIMEOUTS = new Set(['TimeoutError', 'ConnectTimeoutError']);

function isTimeout(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (TIMEOUTS.has(cause.name)) return true;
  }
  return false;
}

function problemOf(error: unknown, timeLimit: number): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError) return cause.message;
    if (TIMEOUTS.has(cause.name)) return `The URL did not respond within ${timeLimit / 1000} seconds.`;
  }
  return 'The URL could not be read.';
}
