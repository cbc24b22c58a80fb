import { objectReader, saveObjects } from '../../routers/branches/objects.operation.ts';
import type { Block, Document } from '../../routers/engine/document/document.ts';
import { putDocument } from '../../routers/engine/store/documents.ts';
import { editSnapshot, type Mutation, putEmptyRoot } from '../../routers/engine/store/edit.ts';
import { createObjectBuffer } from '../../routers/engine/store/objects.ts';
import { createSpace } from '../../routers/spaces/spaces.operation.ts';
import { newId } from '../../schema/ids.ts';
import type { DatabaseHandle } from '../../server/database/database.ts';
import type { Seed } from './seed.ts';

/** The number of pages in one space. */
const IN_SPACE = 10_000;
const BATCH = 1000;
const SECTIONS = 4;

/** The text from which the queries of a bench are composed. */
export interface SearchText {
  common: string[];
  rare: string[];
  /** Sentences that occur in pages. */
  sentences: string[];
  chinese: string[];
}

export interface SeededSearch {
  spaces: string[];
  text: SearchText;
  /** The size of the text of all pages, in bytes of UTF-8. */
  bytes: number;
}

/** A deterministic generator of numbers from 0 to 1. */
function randomness(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const ONSETS = [
  'b',
  'br',
  'c',
  'ch',
  'd',
  'f',
  'g',
  'h',
  'l',
  'm',
  'n',
  'p',
  'pr',
  'r',
  's',
  'st',
  't',
  'tr',
  'v',
  'w',
];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'ou'];
const CODAS = ['', '', 'n', 'r', 's', 't', 'l', 'm', 'ck', 'nd'];
const ENDINGS = ['', '', '', 's', 'ed', 'ing', 'er', 'ation', 'ly'];

/** Words of two or three syllables with common endings, the most frequent first, for a Zipf distribution. */
function vocabulary(size: number, random: () => number): string[] {
  const pick = (of: readonly string[]) => of[Math.floor(random() * of.length)] as string;
  const words = new Set<string>();
  while (words.size < size) {
    const syllables = Array.from(
      { length: random() < 0.5 ? 2 : 3 },
      () => pick(ONSETS) + pick(VOWELS) + pick(CODAS),
    );
    words.add(syllables.join('') + pick(ENDINGS));
  }
  return [...words];
}

/** Creates pages of about 3 kB of text in four sections, bypassing the API; one page in 50 is in Chinese. */
export async function seedSearch(database: DatabaseHandle, seed: Seed, pages: number): Promise<SeededSearch> {
  const random = randomness(11);
  const words = vocabulary(60_000, random);
  const zipf = () => words[Math.floor(words.length ** random()) - 1] as string;
  const han = () => String.fromCharCode(0x4e00 + Math.floor(3000 ** random()) * 5);
  const sentenceOf = (word: () => string, length: number, space: string) =>
    Array.from({ length: Math.ceil(length * (0.5 + random())) }, word).join(space);
  const text: SearchText = {
    common: words.slice(5, 25),
    rare: words.slice(30_000, 30_040),
    sentences: [],
    chinese: [],
  };
  let bytes = 0;
  const block = (type: string, content: string): Block => {
    bytes += Buffer.byteLength(content);
    return {
      object: 'block',
      type,
      isVoid: false,
      data: {},
      nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: content, marks: [] }] }],
    };
  };
  const documentOf = (number: number): Document => {
    const isChinese = number % 50 === 0;
    const nodes: Block[] = [];
    for (let section = 0; section < SECTIONS; section++) {
      nodes.push(block('heading-1', isChinese ? sentenceOf(han, 6, '') : sentenceOf(zipf, 3, ' ')));
      for (let paragraph = 0; paragraph < 3; paragraph++) {
        const sentences = Array.from({ length: 3 }, () =>
          isChinese ? sentenceOf(han, 25, '') : sentenceOf(zipf, 11, ' '),
        );
        if (number % 997 === 0) text.sentences.push(sentences[0] as string);
        if (isChinese && text.chinese.length < 40) text.chinese.push((sentences[0] as string).slice(0, 4));
        nodes.push(block('paragraph', sentences.join('. ')));
      }
    }
    return { object: 'document', data: { schemaVersion: 8 }, nodes };
  };
  const spaces: string[] = [];
  for (let start = 0; start < pages; start += IN_SPACE)
    spaces.push(
      await seedSpace(database, seed, Math.min(IN_SPACE, pages - start), (at) => ({
        title: sentenceOf(zipf, 3, ' '),
        document: documentOf(start + at),
      })),
    );
  return { spaces, text, bytes };
}

async function seedSpace(
  database: DatabaseHandle,
  seed: Seed,
  pages: number,
  pageOf: (at: number) => { title: string; document: Document },
): Promise<string> {
  const mutations: Mutation[] = [];
  const now = new Date().toISOString();
  let chapter: string | null = null;
  let buffer = createObjectBuffer(objectReader(database.db));
  for (let at = 0; at < pages; at++) {
    const { title, document } = pageOf(at);
    const id = newId();
    const page = { id, createdAt: now, updatedAt: now, type: 'document' as const, title };
    const parent: string | null = at % 100 === 0 ? null : chapter;
    mutations.push({ type: 'put-page', page: { ...page, document: putDocument(buffer, document) }, parent });
    if (parent === null) chapter = id;
    if (at % BATCH === BATCH - 1) {
      await saveObjects(database.db, buffer.pending);
      buffer = createObjectBuffer(objectReader(database.db));
    }
  }
  const root = await editSnapshot(buffer, putEmptyRoot(buffer), mutations);
  await saveObjects(database.db, buffer.pending);
  return database.transaction(async (em) => {
    const { id } = createSpace(em, {
      organization: seed.organization,
      parent: null,
      position: newId(),
      title: `${pages} pages`,
      author: seed.user,
      root,
    });
    await em.flush();
    return id;
  });
}
