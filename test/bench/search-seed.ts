import { objectReader, saveObjects } from '../../routers/branches/objects.operation.ts';
import { putDocument } from '../../routers/engine/store/documents.ts';
import { editSnapshot, type Mutation, putEmptyRoot } from '../../routers/engine/store/edit.ts';
import { createObjectBuffer } from '../../routers/engine/store/objects.ts';
import { createSpace } from '../../routers/spaces/spaces.operation.ts';
import { newId } from '../../schema/ids.ts';
import type { DatabaseHandle } from '../../server/database/database.ts';
import type { QueryWords, SearchPage, SearchText } from './search-text.ts';
import type { Seed } from './seed.ts';

/** The number of pages in one space. */
const IN_SPACE = 10_000;
const BATCH = 1000;

export interface SeededSearch {
  spaces: string[];
  words: QueryWords;
  pages: number;
  /** The size of the text of all pages, in bytes of UTF-8. */
  bytes: number;
}

/** Creates pages in spaces of 10,000, bypassing the API. */
export async function seedSearch(
  database: DatabaseHandle,
  seed: Seed,
  { pages, queryWords }: SearchText,
): Promise<SeededSearch> {
  const spaces: string[] = [];
  let [seeded, bytes] = [0, 0];
  let space = startSpace(database, seed);
  for await (const page of pages) {
    await space.add(page);
    bytes += page.bytes;
    if (++seeded % IN_SPACE > 0) continue;
    spaces.push(await space.finish());
    space = startSpace(database, seed);
  }
  if (seeded % IN_SPACE > 0) spaces.push(await space.finish());
  return { spaces, words: queryWords(), pages: seeded, bytes };
}

function startSpace(database: DatabaseHandle, seed: Seed) {
  const mutations: Mutation[] = [];
  const now = new Date().toISOString();
  let chapter: string | null = null;
  let buffer = createObjectBuffer(objectReader(database.db));
  return {
    async add({ title, document }: SearchPage): Promise<void> {
      const at = mutations.length;
      const id = newId();
      const page = { id, createdAt: now, updatedAt: now, type: 'document' as const, title };
      const parent: string | null = at % 100 === 0 ? null : chapter;
      mutations.push({
        type: 'put-page',
        page: { ...page, document: putDocument(buffer, document) },
        parent,
      });
      if (parent === null) chapter = id;
      if (at % BATCH < BATCH - 1) return;
      await saveObjects(database.db, buffer.pending);
      buffer = createObjectBuffer(objectReader(database.db));
    },
    /** Returns the id of the space. */
    async finish(): Promise<string> {
      const root = await editSnapshot(buffer, putEmptyRoot(buffer), mutations);
      await saveObjects(database.db, buffer.pending);
      return database.transaction(async (em) => {
        const { id } = createSpace(em, {
          organization: seed.organization,
          parent: null,
          position: newId(),
          title: `${mutations.length} pages`,
          author: seed.user,
          root,
        });
        await em.flush();
        return id;
      });
    },
  };
}
