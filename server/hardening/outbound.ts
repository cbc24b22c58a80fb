import type { Response } from 'undici';
import { currentCaller } from '../../routers/base/caller.ts';
import type {
  ConditionalFetchOptions,
  ConditionalFetchResult,
  FetchOptions,
  FetchResult,
  Outbound,
  OutboundRequest,
  OutboundResponse,
  Validators,
} from '../../routers/base/outbound-ports.ts';
import { type AddressRules, addressRules, OutboundError } from './address-rules.ts';
import { FairShare, type FairShareOptions } from './fair-share.ts';
import {
  dropEncodedRepeatedly,
  hasSeveralEncodings,
  readAll,
  readPrefix,
  readTextPrefix,
  requireSuccess,
  TooLargeError,
} from './outbound-responses.ts';

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

/**
 * Opens the HTTP client for URLs given by callers. It connects only to public addresses, whether these come from a name, a
 * redirect or an IPv4-mapped IPv6 address: each connection is checked once its address is known.
 */
export const openOutbound = (options: OutboundOptions): Outbound => new GuardedOutbound(options);

class GuardedOutbound implements Outbound {
  readonly #rules: AddressRules;
  readonly #timeLimit: number;
  readonly #share = new FairShare(READS);
  #loading: ReturnType<typeof loadClient> | undefined;

  constructor({ allowed, timeLimit = TIME_LIMIT }: OutboundOptions) {
    this.#rules = addressRules(allowed);
    this.#timeLimit = timeLimit;
  }

  async get(url: string, { maxBytes, truncate = false, accept, signal }: FetchOptions): Promise<FetchResult> {
    // guard: outbound-share, outbound-organization
    const slot = await this.#share.acquire(currentCaller() ?? { user: 'service' }, this.#timeLimit);
    try {
      const { response } = await this.#open(url, requestHeaders(accept), signal);
      await requireSuccess(response);
      const contentType = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
      const bytes = await (truncate ? readPrefix : readAll)(response, maxBytes);
      return { bytes, ...(contentType && { contentType }) };
    } catch (error) {
      const problem = problemOf(error, this.#timeLimit);
      return error instanceof TooLargeError ? { problem, isTooLarge: true } : { problem };
    } finally {
      // guard: outbound-slot-released
      slot.release();
    }
  }

  async getIfChanged(
    address: string,
    { maxBytes, accept, signal, validators = {} }: ConditionalFetchOptions,
  ): Promise<ConditionalFetchResult> {
    try {
      const headers = { ...requestHeaders(accept), ...conditionsOf(validators) };
      const { response, url } = await this.#open(address, headers, signal);
      if (response.status === 304 && Object.keys(validators).length > 0) {
        await response.body?.cancel();
        return { unchanged: true };
      }
      await requireSuccess(response);
      return { bytes: await readAll(response, maxBytes), url, validators: validatorsOf(response) };
    } catch (error) {
      return { problem: problemOf(error, this.#timeLimit), isTimeout: isTimeout(error) };
    }
  }

  async post(
    address: string,
    { body, headers, maxBytes, method = 'POST' }: OutboundRequest,
  ): Promise<OutboundResponse> {
    const signal = AbortSignal.timeout(this.#timeLimit);
    try {
      const url = new URL(address);
      // guard: webhook-send-private
      this.#rules.requireAllowed(url);
      const { fetch, poster } = await this.#client();
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
      return { problem: problemOf(error, this.#timeLimit) };
    }
  }

  problemWithUrl(address: string): string | undefined {
    try {
      this.#rules.requireAllowed(new URL(address));
      return undefined;
    } catch (error) {
      return error instanceof OutboundError ? error.message : 'The URL is not valid.';
    }
  }

  /** Requests a URL, and follows its redirects. */
  async #open(
    address: string,
    headers: Record<string, string>,
    abort: AbortSignal | undefined,
  ): Promise<{ response: Response; url: string }> {
    const limit = AbortSignal.timeout(this.#timeLimit);
    const signal = abort ? AbortSignal.any([limit, abort]) : limit;
    const { fetch, reader } = await this.#client();
    let url = new URL(address);
    // guard: url-redirect-limit
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      // guard: spec-redirect-private
      this.#rules.requireAllowed(url);
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

  /** The library is loaded by the first request, which makes starting faster. */
  #client(): ReturnType<typeof loadClient> {
    this.#loading ??= loadClient(this.#rules, this.#timeLimit);
    return this.#loading;
  }
}

async function loadClient({ lookup }: AddressRules, timeout: number) {
  const { Agent, fetch } = await import('undici');
  const settings = { connect: { lookup, timeout }, pipelining: 1, keepAliveTimeout: 1000 };
  return {
    fetch,
    reader: new Agent({ ...settings, connections: 4 }).compose(dropEncodedRepeatedly),
    // No limit, so that requests that hang do not block others to the same server: callers limit them.
    poster: new Agent(settings).compose(dropEncodedRepeatedly),
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
