import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { hasTinyChunks } from '../hardening/tiny-chunks.ts';
import { httpError } from './http-errors.ts';

/** Time limit for a body, in milliseconds, plus a second for every BODY_RATE bytes received. */
export const BODY_TIME = 10_000;
const BODY_RATE = 64 * 1024;

/** Initial buffer size for a body of unknown length. */
const INITIAL_SIZE = 16 * 1024;

const CHUNKS_TOO_SMALL = 'The request body arrives in chunks that are too small.';

/** Whether a request has a body, by its headers. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** The declared length of a body in bytes; undefined if it is chunked. */
export function declaredLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined || headers['transfer-encoding'] !== undefined ? undefined : Number(length);
}

interface ReadOptions {
  /** Maximum length in bytes. */
  limit: number;
  /** Called with the bytes as they arrive; if it throws, reading fails. */
  onBytes?: (bytes: Buffer) => void;
}

/**
 * Reads a body to its end. Chunks are copied into one buffer as they arrive, so that memory does not depend on their
 * size.
 * @throws HttpError 413 above the limit, 408 if it arrives too slowly, 400 if it ends early or its chunks are too small;
 *   DomainError if the memory for bodies is used up
 */
export function readBody(
  request: FastifyRequest,
  payload: Readable,
  { limit, onBytes }: ReadOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    let body: Buffer = Buffer.allocUnsafe(Math.min(declaredLength(request.raw) ?? INITIAL_SIZE, limit));
    let length = 0;

    const end = (error?: unknown, keepsReading = true) => {
      clearTimeout(timer);
      payload.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
      payload.off('tinyChunks', onTinyChunks);
      if (error === undefined) return resolve(body.subarray(0, length));
      body = Buffer.alloc(0);
      payload.on('error', () => {});
      // Further data is either read and dropped, or not read, so that the connection ends with the response.
      if (keepsReading) payload.resume();
      else payload.pause();
      reject(error);
    };
    const onData = (bytes: Buffer) => {
      try {
        if (length + bytes.length > limit) throw httpError(413);
        onBytes?.(bytes);
        if (length + bytes.length > body.length) {
          const capacity = Math.min(limit, Math.max(length + bytes.length, body.length * 2));
          request.bodyReservation?.growTo(capacity);
          body = Buffer.concat([body.subarray(0, length)], capacity);
        }
        length += bytes.copy(body, length);
      } catch (error) {
        end(error);
      }
    };
    const onEnd = () => end();
    const onLost = () => end(httpError(400, 'The request body ended early.'));
    const onTimeout = () => {
      const left = BODY_TIME + (length / BODY_RATE) * 1000 - (performance.now() - begun);
      if (left > 0) timer = setTimeout(onTimeout, left);
      else end(httpError(408), false);
    };
    const onTinyChunks = () => end(httpError(400, CHUNKS_TOO_SMALL), false);
    let timer = setTimeout(onTimeout, BODY_TIME);
    if (hasTinyChunks(request.raw)) return onTinyChunks();
    payload.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
    payload.on('tinyChunks', onTinyChunks);
  });
}
