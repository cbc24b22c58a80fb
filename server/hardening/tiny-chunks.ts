import { IncomingMessage, type ServerOptions } from 'node:http';

/**
 * Chunks that a body may have, plus one for every this many bytes: each chunk costs as much as its first thousand
 * bytes.
 */
const FREE_PIECES = 1000;
const PIECE_SIZE = 64;

/**
 * A request that limits the number of chunks of its body. Node makes an object of every chunk, thousands from one
 * packet, and keeps them until they are read. Chunks beyond the limit are dropped as they arrive; the first one emits
 * `tinyChunks`.
 */
export class CountedRequest extends IncomingMessage {
  #pieces = 0;
  #length = 0;
  #hasTinyChunks = false;

  override push(piece: Uint8Array | null): boolean {
    if (piece === null) return super.push(null);
    // The first dropped chunk has already returned false.
    if (this.#hasTinyChunks) return true;
    this.#length += piece.length;
    if (++this.#pieces <= FREE_PIECES + this.#length / PIECE_SIZE) return super.push(piece);
    this.#hasTinyChunks = true;
    this.emit('tinyChunks');
    return false;
  }

  get hasTinyChunks(): boolean {
    return this.#hasTinyChunks;
  }
}

/** Whether the body of a request had too many chunks, so that the rest of it was dropped. */
export const hasTinyChunks = (request: IncomingMessage): boolean =>
  request instanceof CountedRequest && request.hasTinyChunks;

/** The server option that makes all requests limit their chunks. */
export const countedRequests = { IncomingMessage: CountedRequest } satisfies ServerOptions<
  typeof CountedRequest
>;
