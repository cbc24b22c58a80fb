/**
 * The result of a request to another server; `problem` is a plain sentence saying why it failed, and `isTooLarge` that
 * there were more than `maxBytes`.
 */
export type OutboundAnswer =
  | { bytes: Uint8Array; contentType?: string }
  | { problem: string; isTooLarge?: true };

/** Reads URLs given by callers, without access to this machine or private networks. */
export interface Outbound {
  /**
   * Reads an http or https URL, following redirects, up to `maxBytes`, until `signal` aborts it or it times out. Never
   * throws for failures of the other side.
   */
  get(
    url: string,
    options: { maxBytes: number; accept?: string; signal?: AbortSignal },
  ): Promise<OutboundAnswer>;
}
