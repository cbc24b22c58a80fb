/** The interfaces through which procedures use other servers and the DNS; `server/` implements them. */

/**
 * The result of a request to another server. `problem` is a plain sentence about why it failed; `isTooLarge` is set if
 * the response had more than `maxBytes`.
 */
export type FetchResult =
  | { bytes: Uint8Array; contentType?: string }
  | { problem: string; isTooLarge?: true };

/** The validators of HTTP caching, which identify a version of the file at a URL. */
export interface Validators {
  etag?: string;
  lastModified?: string;
}

/**
 * The result of a request for a file that may not have changed. `url` is the final URL, after redirects; `isTimeout` is set
 * if the other server was too slow.
 */
export type ConditionalFetchResult =
  | { bytes: Uint8Array; url: string; validators: Validators }
  | { unchanged: true }
  | { problem: string; isTimeout: boolean };

/** The response to a request that was sent to another server; `problem` says in a plain sentence why there is none. */
export type OutboundResponse =
  | {
      status: number;
      body: string;
      /** The seconds to wait before another request, if the server says so. */
      retryAfter?: number;
    }
  | { problem: string };

export interface FetchOptions {
  maxBytes: number;
  /** Whether to read only the first `maxBytes` of a longer response, instead of refusing it. */
  truncate?: boolean;
  /** The media types to ask for. */
  accept?: string;
  signal?: AbortSignal;
}

export interface ConditionalFetchOptions extends Omit<FetchOptions, 'truncate'> {
  /** The validators of the version that the caller has. */
  validators?: Validators;
}

export interface OutboundRequest {
  body: string;
  headers: Record<string, string>;
  /** The length to which the body of the response is cut. */
  maxBytes: number;
  method?: 'POST' | 'PUT';
}

/** Fetches URLs given by callers, without giving them access to this machine or its private network. */
export interface Outbound {
  /**
   * Fetches an http or https URL, following redirects, until it times out or is aborted. Never throws because of the other
   * server.
   * @throws DomainError `too-many` or `unavailable` if the caller, their organization or all read too many
   */
  get(url: string, options: FetchOptions): Promise<FetchResult>;
  /** The same, unless the file has not changed since it had these validators. */
  getIfChanged(url: string, options: ConditionalFetchOptions): Promise<ConditionalFetchResult>;
  /**
   * Posts JSON, or puts it, to an http or https URL, without following redirects. Never throws because of the other server.
   */
  post(url: string, request: OutboundRequest): Promise<OutboundResponse>;
  /** Why requests to a URL are always refused, as far as the URL alone tells; otherwise undefined. */
  problemWithUrl(url: string): string | undefined;
}

/** Looks up DNS records. A result is empty if there are no such records; throws if no name server responds. */
export interface Dns {
  /** The name that this one is an alias of, in lower case and without a trailing dot. */
  aliases(name: string): Promise<string[]>;
  /** IPv4 and IPv6 addresses. */
  addresses(name: string): Promise<string[]>;
  texts(name: string): Promise<string[]>;
}
