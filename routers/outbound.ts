/** What a request to another server brought; `problem` is a plain sentence on why there is nothing. */
export type OutboundAnswer = { bytes: Uint8Array; contentType?: string } | { problem: string };

/** Reads addresses that callers name, without letting them reach what only this machine or its network can. */
export interface Outbound {
  /** Reads an http or https address, following redirects, up to `maxBytes`. Never throws for what the other side does. */
  get(url: string, options: { maxBytes: number; accept?: string }): Promise<OutboundAnswer>;
}
