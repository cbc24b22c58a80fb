import { LRUCache } from 'lru-cache';
import type { Services } from '../context.ts';
import type { ContentRef } from '../engine/document/document.ts';
import { FILE_LIMIT } from '../engine/edit/files.ts';
import { decodeText } from '../engine/import/text.ts';
import type { FileRecord } from '../engine/store/records.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import type { ReadSources } from '../engine/templates/computed.ts';
import type { TemplatePage } from '../engine/templates/outline.ts';

type Storage = Services['storage'];
type FileRef = Extract<ContentRef, { kind: 'file' }>;

/** The result of converting a file. Files never change under their hash, so results never expire. */
interface Conversion {
  pages: readonly TemplatePage[] | undefined;
}

const MAX_CACHED = 50;
const conversions = new LRUCache<string, Conversion>({ max: MAX_CACHED });

/** Makes pages from the OpenAPI documents among the files of a space. */
export const sourcesIn =
  (snapshot: Pick<Snapshot, 'filesById' | 'reader'>, storage: Storage, engine: Engine): ReadSources =>
  async (refs) => {
    const inSpace = refs.filter((ref) => ref.kind === 'file' && ref.space === undefined) as FileRef[];
    const files = await snapshot.filesById(inSpace.map(({ file }) => file));
    const found = new Map<ContentRef, readonly TemplatePage[]>();
    for (const ref of inSpace) {
      const file = files.get(ref.file);
      const pages =
        file &&
        (await pagesFrom(storage, file, (text) =>
          engine.run('specification', { text, ref }, snapshot.reader),
        ));
      if (pages) found.set(ref, pages);
    }
    return found;
  };

async function pagesFrom(
  storage: Storage,
  file: FileRecord,
  convert: (text: string) => Promise<Conversion['pages']>,
): Promise<Conversion['pages']> {
  const key = `${file.sha256}/${file.id}`;
  const known = conversions.get(key);
  if (known) return known.pages;
  const source = await readTextFile(storage, file);
  const pages = 'text' in source ? await convert(source.text) : undefined;
  conversions.set(key, { pages });
  return pages;
}

/** The text of a file of a space, or a sentence saying why it cannot be read. */
export async function readTextFile(
  storage: Storage,
  file: FileRecord,
): Promise<{ text: string } | { problem: string }> {
  if (file.size > FILE_LIMIT) return { problem: `The file has more than ${FILE_LIMIT} bytes.` };
  const chunks: Buffer[] = [];
  for await (const chunk of await storage.read(file.sha256)) chunks.push(chunk as Buffer);
  return textOf(Buffer.concat(chunks));
}

/** Bytes as text, or a sentence saying that they are not text. */
export function textOf(bytes: Uint8Array): { text: string } | { problem: string } {
  const decoded = decodeText(bytes);
  return decoded ? { text: decoded.text } : { problem: 'This is not UTF-8 text.' };
}
