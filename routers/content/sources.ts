import { LRUCache } from 'lru-cache';
import type { Services } from '../context.ts';
import type { ReadSources } from './computed.ts';
import type { ContentRef } from './document/document.api.ts';
import { FILE_LIMIT } from './edit/files.ts';
import { decodeText } from './import/text.ts';
import type { FileRecord } from './store/records.ts';
import type { Snapshot } from './store/snapshot.ts';
import { readSpecification } from './templates/openapi.ts';

type Storage = Services['storage'];

/** A specification read before. Files never change under their hash, so it never needs to be read again. */
interface Known {
  specification: unknown;
}

/** Bytes of the texts of the specifications that are kept parsed, which take a few times as much. */
const CACHE_BYTES = 16 * 1024 * 1024;
const specifications = new LRUCache<string, Known>({ maxSize: CACHE_BYTES });

/** Reads the OpenAPI documents among the files of a space, for the pages that are computed from them. */
export const sourcesIn =
  (snapshot: Pick<Snapshot, 'file'>, storage: Storage): ReadSources =>
  async (refs) => {
    const found = new Map<ContentRef, unknown>();
    for (const ref of refs) {
      if (ref.kind !== 'file' || ref.space !== undefined) continue;
      const file = await snapshot.file(ref.file);
      if (file) found.set(ref, await readSpecificationFile(storage, file));
    }
    return found;
  };

async function readSpecificationFile(storage: Storage, file: FileRecord): Promise<unknown> {
  const known = specifications.get(file.sha256);
  if (known) return known.specification;
  const source = await readTextFile(storage, file);
  const specification = 'text' in source ? readSpecification(source.text) : undefined;
  specifications.set(file.sha256, { specification }, { size: Math.max(1, file.size) });
  return specification;
}

/** The text of a file of a space, or a sentence that says why it has none. */
export async function readTextFile(
  storage: Storage,
  file: FileRecord,
): Promise<{ text: string } | { problem: string }> {
  if (file.size > FILE_LIMIT) return { problem: `The file has more than ${FILE_LIMIT} bytes.` };
  const chunks: Buffer[] = [];
  for await (const chunk of await storage.read(file.sha256)) chunks.push(chunk as Buffer);
  return textOf(Buffer.concat(chunks));
}

/** Bytes as text, or a sentence that says that they are none. */
export function textOf(bytes: Uint8Array): { text: string } | { problem: string } {
  const decoded = decodeText(bytes);
  return decoded ? { text: decoded.text } : { problem: 'It is not a text in UTF-8.' };
}
