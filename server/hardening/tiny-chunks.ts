import { IncomingMessage, type ServerOptions } from 'node:http';

/**
 * A body may have FREE_CHUNKS chunks, plus one for each BYTES_PER_CHUNK bytes: each chunk costs as much as its first
 * thousand bytes.
 */
const FREE_CHUNKS = 1000;
const BYTES_PER_CHUNK = 64;

/**
 * A request that limits the number of chunks of its body. Node creates an object for every chunk, thousands from one
 * packet, and keeps them until they are read. Chunks beyond the limit are dropped as they arrive; the first one emits
 * `tinyChunks`.
 */
export class ChunkLimitedRequest extends IncomingMessage {
  #chunks = 0;
  #length = 0;
  #hasTinyChunks = false;

  override push(chunk: Uint8Array | null): boolean {
    if (chunk === null) return super.push(null);
    // The first dropped chunk has already returned false.
    if (this.#hasTinyChunks) return true;
    this.#length += chunk.length;
    // guard: tiny-chunks-dropped
    if (++this.#chunks <= FREE_CHUNKS + this.#length / BYTES_PER_CHUNK) return super.push(chunk);
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
  request instanceof ChunkLimitedRequest && request.hasTinyChunks;

/** The server option that makes all requests limit their chunks. */
export const chunkLimitedRequests = { IncomingMessage: ChunkLimitedRequest } satisfies ServerOptions<
  typeof ChunkLimitedRequest
>;
