import type { FileStorage } from '../base/ports.ts';
import { LimitExceeded } from '../engine/errors.ts';
import { SPEC_LIMIT } from '../engine/specs/limits.ts';
import { NO_OBJECTS } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { FileCache } from './file-cache.ts';
import { readBytes } from './stored-files.query.ts';

/** The maximum of bytes of documents in memory, approximately. */
const CACHE_BYTES = 16 * 1024 * 1024;

const cache = new FileCache<string | null>(CACHE_BYTES);

/** What documents are read with. */
interface DocumentReader {
  storage: FileStorage;
  engine: Engine;
}

/** The OpenAPI document in a stored file, as the JSON that pages show; null if there is none, or it is too large. */
export const readShownDocument = (reader: DocumentReader, hash: string): Promise<string | null> =>
  cache.get(hash, async () => {
    const json = await read(reader, hash);
    return { value: json, size: 200 + (json?.length ?? 0) };
  });

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
