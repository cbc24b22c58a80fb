import { LRUCache } from 'lru-cache';
import type { FileStorage } from '../base/ports.ts';
import { LimitExceeded } from '../engine/errors.ts';
import { SPEC_LIMIT } from '../engine/specs/limits.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { NO_OBJECTS } from './api-outlines.operation.ts';
import { readBytes } from './stored-files.query.ts';

/** The maximum of bytes of documents in memory, approximately. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** Documents by the hash of the file, which never changes. */
const cache = new LRUCache<string, { json: string | null }>({ maxSize: CACHE_BYTES });

/** Documents that are being read, which concurrent callers share. */
const inFlight = new Map<string, Promise<string | null>>();

/** What documents are read with. */
interface DocumentReader {
  storage: FileStorage;
  engine: Engine;
}

/** The OpenAPI document in a stored file, as the JSON that pages show; null if there is none, or it is too large. */
export async function readShownDocument(reader: DocumentReader, hash: string): Promise<string | null> {
  const known = cache.get(hash);
  if (known) return known.json;
  let reading = inFlight.get(hash);
  if (!reading) {
    reading = readAndCache(reader, hash).finally(() => inFlight.delete(hash));
    inFlight.set(hash, reading);
  }
  return reading;
}

async function readAndCache(reader: DocumentReader, hash: string): Promise<string | null> {
  const json = await read(reader, hash);
  cache.set(hash, { json }, { size: 200 + (json?.length ?? 0) });
  return json;
}

async function read({ storage, engine }: DocumentReader, hash: string): Promise<string | null> {
  const bytes = await readBytes(storage, hash, SPEC_LIMIT);
  if (!bytes) return null;
  try {
    return (await engine.run('shownSpec', { bytes }, NO_OBJECTS)) ?? null;
  } catch (error) {
    if (error instanceof LimitExceeded) return null;
    throw error;
  }
}
