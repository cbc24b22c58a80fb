import { kyselyOf } from '../../routers/base/db.ts';
import { objectReader, saveObjects } from '../../routers/branches/objects.operation.ts';
import type { Document } from '../../routers/engine/document/document.ts';
import { parseMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { putDocument } from '../../routers/engine/store/documents.ts';
import { editSnapshot, type Mutation, putEmptyRoot } from '../../routers/engine/store/edit.ts';
import { createObjectBuffer } from '../../routers/engine/store/objects.ts';
import { createSpace } from '../../routers/spaces/spaces.operation.ts';
import { newId } from '../../schema/ids.ts';
import type { DatabaseHandle } from '../../server/database/database.ts';
import { docsSection } from './docs-text.ts';
import type { Seed } from './seed.ts';

const PAGES_IN_CHAPTER = 100;
const PAGE_BYTES = 3000;

export interface SeededSpace {
  id: string;
  /** Ids of the pages with a document. */
  pages: string[];
  /** The paths of these pages. */
  paths: string[];
}

/** A documentation page of about 3 kB. */
export function docsPage(number: number): string {
  let text = '';
  for (let section = 1; text.length < PAGE_BYTES; section++) text += docsSection(number, section);
  return text;
}

/** Creates a space of many pages in chapters, bypassing the API; each page has a document of 3 kB, or all share one. */
export async function seedContent(
  database: DatabaseHandle,
  seed: Seed,
  pages: number,
  documents: 'own' | 'shared',
): Promise<SeededSpace> {
  const buffer = createObjectBuffer(objectReader(database.db));
  // Parsing all of them would take longer than the measurements.
  const MARK = 987_654_321;
  const json = JSON.stringify(parseMarkdown(docsPage(MARK)));
  const documentOf = (number: number) =>
    JSON.parse(json.replaceAll(String(MARK), String(number))) as Document;
  const space: SeededSpace = { id: '', pages: [], paths: [] };
  const mutations: Mutation[] = [];
  const now = new Date().toISOString();
  let chapter = '';
  let chapters = 0;
  for (let number = 0; number < pages; number++) {
    const id = newId();
    const page = { id, createdAt: now, updatedAt: now };
    const document = putDocument(buffer, documentOf(documents === 'own' ? number : 0));
    if (number % PAGES_IN_CHAPTER === 0) {
      chapter = id;
      const title = `Chapter ${++chapters}`;
      mutations.push({
        type: 'put-page',
        page: { ...page, type: 'document', title, document },
        parent: null,
      });
      continue;
    }
    const title = `Page ${number}`;
    mutations.push({
      type: 'put-page',
      page: { ...page, type: 'document', title, document },
      parent: chapter,
    });
    space.pages.push(id);
    space.paths.push(`chapter-${chapters}/page-${number}`);
  }
  const root = await editSnapshot(buffer, putEmptyRoot(buffer), mutations);
  return database.transaction(async (em) => {
    await saveObjects(kyselyOf(em), buffer.pending);
    const { id } = createSpace(em, {
      organization: seed.organization,
      parent: null,
      position: newId(),
      title: `${pages} pages`,
      author: seed.user,
      root,
    });
    await em.flush();
    return { ...space, id };
  });
}
