/**
 * What a request to another server brought; `problem` is a plain sentence on why there is nothing, and `isTooLarge` says
 * that there were more bytes than asked for.
 */
export type OutboundAnswer =
  | { bytes: Uint8Array; contentType?: string }
  | { problem: string; isTooLarge?: true };

/** Reads addresses that callers name, without letting them reach what only this machine or its network can. */
export interface Outbound {
  /**
   * Reads an http or https address, following redirects, up to `maxBytes`, until `signal` ends it or it takes too long.
   * Never throws for what the other side does.
   */
  get(
    url: string,
    options: { maxBytes: number; accept?: string; signal?: AbortSignal },
  ): Promise<OutboundAnswer>;
}
