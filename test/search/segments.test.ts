import { afterAll, beforeAll, expect, test } from 'vitest';
import { kyselyOf } from '../../routers/base/db.ts';
import { EntryReader } from '../../routers/engine/search/entry-blocks.ts';
import { eachPosting, encodePostings } from '../../routers/engine/search/postings.ts';
import {
  eachTerm,
  packTerms,
  packWords,
  readTermsOfWord,
  reverse,
} from '../../routers/engine/search/segment.ts';
import { insertDocuments, lockIndex } from '../../routers/search/documents.operation.ts';
import { mergeSegments } from '../../routers/search/merge-segments.operation.ts';
import { insertSegment } from '../../routers/search/segments.operation.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { contextOf } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const SEGMENTS = 8;
/** More than are read at once, and with other words in each segment. */
const WORDS = 6000;
const wordsOf = (segment: number) =>
  Array.from({ length: WORDS }, (_, index) => index)
    .filter((index) => (index * 7 + segment) % (segment + 2) < 2)
    .map((index) => `word${(index * 7919) % WORDS}${index % 10 === 0 ? '詞' : ''}`);

test('segments with many words and terms are merged into one without losing any', async () => {
  const { id: organization } = await service.build.organization();
  const context = contextOf(service);
  const frequencies = new Map<string, number>();
  const documents = new Map<string, number[]>();
  for (let segment = 0; segment < SEGMENTS; segment++) {
    const words = wordsOf(segment).map((word) => ({ word, term: word.slice(0, 6), frequency: segment + 1 }));
    const terms = words.map(({ word: term }) => ({
      term,
      frequency: 1,
      block: encodePostings([{ document: 1, impact: 100 + segment }]),
    }));
    const number = segment + 1;
    for (const { word, frequency } of words) {
      frequencies.set(word, (frequencies.get(word) ?? 0) + frequency);
      // The document of the third segment is removed.
      if (number !== 3) documents.set(word, [...(documents.get(word) ?? []), number]);
    }
    const blocks = [...packTerms(terms), ...packWords('word', words), ...packWords('reversed', words)];
    await context.transaction(async (em) => {
      const db = kyselyOf(em);
      await lockIndex(db, organization);
      const document = { key: `${number}`, part: 0, conditions: [], includes: [], text: '' };
      if (number !== 3) await insertDocuments(db, organization, [document], number);
      await insertSegment(db, organization, { first: number, documents: 1, blocks });
    });
  }
  await mergeSegments(context, organization);

  const { db } = service.runtime.database;
  const segments = await db
    .selectFrom('search_segment')
    .select(['number', 'first_document', 'documents'])
    .where('organization_id', '=', organization)
    .execute();
  expect(segments).toEqual([{ number: SEGMENTS + 1, first_document: 1, documents: SEGMENTS }]);
  const blocks = await db
    .selectFrom('search_block')
    .select(['segment', 'kind', 'key', 'frequency', 'block'])
    .where('organization_id', '=', organization)
    .orderBy('kind')
    .orderBy('key')
    .execute();
  expect(new Set(blocks.map(({ segment }) => segment))).toEqual(new Set([SEGMENTS + 1]));
  const merged = new Map<string, number[]>();
  eachTerm(blocks, (term, block) => {
    const list: number[] = [];
    eachPosting(block, (document) => list.push(document));
    merged.set(term, list);
  });
  expect(merged).toEqual(documents);
  for (const kind of ['word', 'reversed']) {
    const read: [string, number][] = [];
    for (const { block } of blocks.filter((one) => one.kind === kind)) {
      const reader = new EntryReader(block);
      while (reader.next()) {
        const word = kind === 'word' ? reader.key : reverse(reader.key);
        const [{ term, frequency } = { term: '', frequency: 0 }] = readTermsOfWord(word, reader.value);
        expect(term).toBe(word.slice(0, 6));
        read.push([word, frequency]);
      }
    }
    expect(read).toHaveLength(frequencies.size);
    expect(new Map(read)).toEqual(frequencies);
  }
});
