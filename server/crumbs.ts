import { IncomingMessage, type ServerOptions } from 'node:http';

/** A body may come in so many pieces, and in one more for each so many bytes: each costs as much as its first thousand bytes. */
const FREE_PIECES = 1000;
const PIECE_SIZE = 64;

/**
 * A request that takes no body in crumbs. Node makes an object of every piece, thousands from one packet, and keeps them
 * until somebody reads; those past the bound are dropped as they come, and an event `crumbs` tells of the first.
 */
export class CountedRequest extends IncomingMessage {
  #pieces = 0;
  #length = 0;
  #isCrumbs = false;

  override push(piece: Uint8Array | null): boolean {
    if (piece === null) return super.push(null);
    // Reading has stopped with the first, which need not be said again.
    if (this.#isCrumbs) return true;
    this.#length += piece.length;
    if (++this.#pieces <= FREE_PIECES + this.#length / PIECE_SIZE) return super.push(piece);
    this.#isCrumbs = true;
    this.emit('crumbs');
    return false;
  }

  get isCrumbs(): boolean {
    return this.#isCrumbs;
  }
}

/** Whether the body of a request came in crumbs, so that the rest of it was dropped. */
export const isCrumbs = (request: IncomingMessage): boolean =>
  request instanceof CountedRequest && request.isCrumbs;

/** The option of a server by which its requests are counted. */
export const countedRequests = { IncomingMessage: CountedRequest } satisfies ServerOptions<
  typeof CountedRequest
>;
