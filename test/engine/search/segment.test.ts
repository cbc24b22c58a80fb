import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compareBytes,
  EntryReader,
  eachWithPrefix,
  findValue,
  packEntries,
} from '../../../routers/engine/search/entry-blocks.ts';
import { eachPosting, encodePostings, type Posting } from '../../../routers/engine/search/postings.ts';
import {
  eachTerm,
  mergeTerm,
  mergeWord,
  packTerms,
  packWords,
  readTerm,
  readTermsOfWord,
  reverse,
} from '../../../routers/engine/search/segment.ts';

const WORDS = ['', 'a', 'config', 'configuration', 'é', 'ü', '配置', '😀', '\uffff', 'x'.repeat(300)];
/** Keys with common beginnings, in all planes of Unicode. */
const key = fc
  .array(fc.oneof(fc.constantFrom(...WORDS), fc.string({ unit: 'grapheme', maxLength: 4 })), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.join(''))
  .filter((text) => text.isWellFormed());
const entries = fc.uniqueArray(fc.record({ key, value: fc.uint8Array({ maxLength: 700, size: 'max' }) }), {
  selector: (entry) => entry.key,
  maxLength: 60,
});
const byBytes = (one: string, other: string) => compareBytes(Buffer.from(one), Buffer.from(other));

describe('blocks of entries', () => {
  test('contain all entries in the order of their keys in UTF-8', () => {
    fc.assert(
      fc.property(entries, (given) => {
        const read: { key: string; value: Uint8Array }[] = [];
        const firsts: string[] = [];
        for (const { key, entries, block } of packEntries(given)) {
          const reader = new EntryReader(block);
          const before = read.length;
          while (reader.next()) {
            expect(reader.keyLength).toBe(reader.key.length);
            read.push({ key: reader.key, value: Uint8Array.from(reader.value) });
          }
          expect(read.length - before).toBe(entries);
          expect(read[before]?.key).toBe(key);
          firsts.push(key);
        }
        expect(read).toEqual(given.toSorted((one, other) => byBytes(one.key, other.key)));
        expect(firsts).toEqual(firsts.toSorted(byBytes));
      }),
    );
  });

  test('are searched by a key, and by the beginning of keys', () => {
    fc.assert(
      fc.property(entries, key, (given, other) => {
        const blocks = packEntries(given);
        for (const looked of [...given.map(({ key }) => key), other]) {
          const known = given.find(({ key }) => key === looked);
          const found = blocks.flatMap(({ block }) => findValue(block, looked) ?? []);
          expect(found.map((value) => Uint8Array.from(value))).toEqual(known ? [known.value] : []);
          const withPrefix: string[] = [];
          for (const { block } of blocks) eachWithPrefix(block, looked, ({ key }) => withPrefix.push(key));
          const expected = given.map(({ key }) => key).filter((key) => key.startsWith(looked));
          expect(withPrefix).toEqual(expected.toSorted(byBytes));
        }
      }),
    );
  });

  test('are small, except for an entry with a large value, which is alone in its block', () => {
    const given = Array.from({ length: 1000 }, (_, index) => ({
      key: `term ${index}`,
      value: new Uint8Array(index === 500 ? 100_000 : 10),
    }));
    const blocks = packEntries(given);
    const large = blocks.filter(({ block }) => block.length > 1100);
    expect(large).toMatchObject([{ key: 'term 500', entries: 1 }]);
    expect(blocks.length).toBeLessThan(30);
  });
});

const posting = fc.record({
  document: fc.integer({ min: 1, max: 300 }),
  impact: fc.integer({ min: 1, max: 255 }),
});
const postings = fc
  .uniqueArray(posting, { selector: ({ document }) => document, minLength: 1 })
  .map((list) => list.toSorted((one, other) => one.document - other.document));
const termPostings = fc.uniqueArray(fc.record({ term: key, postings }), { selector: ({ term }) => term });

const packed = (terms: readonly { term: string; postings: readonly Posting[] }[]) =>
  packTerms(
    terms.map(({ term, postings }) => ({
      term,
      frequency: postings.length,
      block: encodePostings(postings),
    })),
  );

describe('a segment', () => {
  test('has the postings of its terms, and their number beside those of a term that is alone in its block', () => {
    fc.assert(
      fc.property(termPostings, (terms) => {
        const blocks = packed(terms);
        const read = new Map<string, Posting[]>();
        eachTerm(blocks, (term, block) => {
          const list: Posting[] = [];
          eachPosting(block, (document, impact) => list.push({ document, impact }));
          read.set(term, list);
        });
        expect(read).toEqual(new Map(terms.map(({ term, postings }) => [term, postings])));
        for (const { key, frequency } of blocks)
          if (frequency !== null) expect(frequency).toBe(read.get(key)?.length);
      }),
    );
  });

  test('has the terms of its words, in both directions', () => {
    const words = [
      { word: 'connections', term: 'connect', frequency: 300 },
      { word: 'connections', term: 'connection', frequency: 1 },
      { word: 'naïve', term: 'naiv', frequency: 2 },
      { word: '😀x', term: '😀x', frequency: 5 },
    ];
    for (const kind of ['word', 'reversed'] as const) {
      const blocks = packWords(kind, words);
      expect(blocks.every((block) => block.kind === kind && block.frequency === null)).toBe(true);
      for (const { word } of words) {
        const value = findValue(blocks[0]?.block as Uint8Array, kind === 'word' ? word : reverse(word));
        const terms = readTermsOfWord(word, value as Uint8Array);
        expect(terms.map((term) => ({ word, ...term }))).toEqual(words.filter((one) => one.word === word));
      }
    }
  });

  test('is merged with others: documents that still exist keep their postings, and frequencies of words are added', () => {
    const termValue = (postings: Posting[]) =>
      findValue(packed([{ term: 'term', postings }])[0]?.block as Uint8Array, 'term') as Uint8Array;
    const values = [
      { value: termValue([{ document: 1, impact: 7 }]), shift: 0 },
      {
        value: termValue([
          { document: 1, impact: 8 },
          { document: 200, impact: 9 },
        ]),
        shift: 100,
      },
    ];
    const joined = mergeTerm(values, (document) => document !== 101);
    expect(joined.frequency).toBe(2);
    const read: Posting[] = [];
    eachPosting(joined.block, (document, impact) => read.push({ document, impact }));
    expect(read).toEqual([
      { document: 1, impact: 7 },
      { document: 300, impact: 9 },
    ]);
    expect(readTerm(values[1]?.value as Uint8Array).frequency).toBe(2);

    const wordValue = (terms: { term: string; frequency: number }[]) => ({
      value: findValue(
        packWords(
          'word',
          terms.map((term) => ({ word: 'data', ...term })),
        )[0]?.block as Uint8Array,
        'data',
      ) as Uint8Array,
    });
    expect(
      mergeWord('data', [
        wordValue([{ term: 'data', frequency: 2 }]),
        wordValue([
          { term: 'dat', frequency: 1 },
          { term: 'data', frequency: 3 },
        ]),
      ]),
    ).toEqual([
      { word: 'data', term: 'data', frequency: 5 },
      { word: 'data', term: 'dat', frequency: 1 },
    ]);
  });
});
