/** How procedures reach other servers, and the DNS; `server/` implements it. */

/**
 * The result of a request to another server. `problem` is a plain sentence about why it failed; `isTooLarge` is set if
 * the response had more than `maxBytes`.
 */
export type FetchResult =
  | { bytes: Uint8Array; contentType?: string }
  | { problem: string; isTooLarge?: true };

/** What tells one state of a file at a URL from another, as its server says. */
export interface Validators {
  etag?: string;
  lastModified?: string;
}

/**
 * The result of a request for a file that may be known already. `url` is where its URL led to; `isTimeout` is set if the
 * other server was too slow.
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
      /** Seconds after which the server wants to be asked again, if it says so. */
      retryAfter?: number;
    }
  | { problem: string };

/** Fetches URLs given by callers, without giving them access to this machine or its private network. */
export interface Outbound {
  /**
   * Fetches an http or https URL of up to `maxBytes`, or with `cut` the first `maxBytes` of it, following redirects, until
   * it times out or `signal` aborts it. Never throws because of the other server.
   * @throws DomainError `too-many` or `unavailable` if the caller, their organization or all read too many
   */
  get(
    url: string,
    options: { maxBytes: number; truncate?: boolean; accept?: string; signal?: AbortSignal },
  ): Promise<FetchResult>;
  /** The same, unless the file is still the one that these validators came with. */
  getIfChanged(
    url: string,
    options: { maxBytes: number; accept?: string; signal?: AbortSignal; validators?: Validators },
  ): Promise<ConditionalFetchResult>;
  /**
   * Posts JSON, or puts it, to an http or https URL, without following redirects. The body of the response is cut to `maxBytes`.
   * Never throws because of the other server.
   */
  post(
    url: string,
    request: { body: string; headers: Record<string, string>; maxBytes: number; method?: 'POST' | 'PUT' },
  ): Promise<OutboundResponse>;
  /** Why a URL can never be reached from here, as far as the URL alone tells; undefined otherwise. */
  problemWithUrl(url: string): string | undefined;
}

/** Looks names up in the DNS. Each answer is empty if there are no such records; fails if no name server answers. */
export interface Dns {
  /** The name that this one is an alias of, in lower case and without a dot at the end. */
  aliases(name: string): Promise<string[]>;
  /** IPv4 and IPv6 addresses. */
  addresses(name: string): Promise<string[]>;
  texts(name: string): Promise<string[]>;
}
