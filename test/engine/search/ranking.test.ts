import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SearchArrays } from '../../../routers/engine/search/arrays.ts';
import { impactOf, MAX_IMPACT } from '../../../routers/engine/search/impacts.ts';
import { type PostingList, postingListOf } from '../../../routers/engine/search/posting-lists.ts';
import { encodePostings } from '../../../routers/engine/search/postings.ts';
import { type ExpandedWord, scoreDocuments } from '../../../routers/engine/search/ranking.ts';
import { PRECISION } from '../../../routers/engine/search/scores.ts';
import { scoresByDocument } from '../../helpers/scores.ts';

const LAST = 60;

/** The impacts of a term by document; 0 for none. */
const impacts = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 255 })), {
  minLength: LAST + 1,
  maxLength: LAST + 1,
});
const alternative = fc.record({ impacts, weight: fc.constantFrom(1, 0.7, 0.5) });
const word = fc.record({
  alternatives: fc.array(alternative, { minLength: 1, maxLength: 3 }),
  isRequired: fc.boolean(),
});

type Impacts = readonly number[];

/** The posting list of a term, from two segments. */
function listOf(impacts: Impacts, isDense: boolean): { list: PostingList; frequency: number } {
  const postings = impacts.flatMap((impact, document) =>
    impact > 0 && document > 0 ? [{ document, impact }] : [],
  );
  const middle = postings.length >> 1;
  const blocks = [postings.slice(0, middle), postings.slice(middle)].map(encodePostings);
  return {
    list: isDense ? postingListOf(blocks, LAST, LAST) : { kind: 'encoded', blocks },
    frequency: postings.length,
  };
}

test.for(['encoded', 'dense', 'mixed'])(
  'documents are scored by the best alternatives of their words, with %s posting lists',
  async (kind) => {
    const isDense = (index: number) => kind === 'dense' || (kind === 'mixed' && index % 2 === 0);
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.option(impacts),
        fc.boolean(),
        // In a large index, the documents of rare words are marked.
        fc.constantFrom(LAST + 10, LAST * 100),
        fc.option(fc.array(fc.integer({ min: 0, max: LAST + 9 }))),
        async (words, excluded, isSentence, size, searched) => {
          const expanded = words.map(
            ({ alternatives, isRequired }, at): ExpandedWord => ({
              isRequired,
              alternatives: alternatives.map(({ impacts, weight }, index) => {
                const { list, frequency } = listOf(impacts, isDense(at + index));
                return { term: `${at}.${index}`, weight, frequency, lists: [list] };
              }),
            }),
          );
          const scores = await scoreDocuments(
            expanded,
            excluded ? [listOf(excluded, isDense(0)).list] : [],
            {
              arrays: new SearchArrays(),
              size,
              documents: LAST,
              isSentence,
              searched: searched ? Int32Array.from(searched) : undefined,
            },
            async () => undefined,
          );
          const byDocument = scoresByDocument(scores, searched ?? Array(size).keys());
          expect(byDocument.findLastIndex((score) => score !== 0)).toBeLessThanOrEqual(LAST);
          const rarity = (frequency: number) => Math.log(1 + (LAST - frequency + 0.5) / (frequency + 0.5));
          for (let document = 0; document <= LAST; document++) {
            let [score, share, total, isMissing] = [0, 0, 0, false];
            for (const [at, { alternatives, isRequired }] of words.entries()) {
              const worths = alternatives.map(({ weight }, index) => {
                return weight * rarity(expanded[at]?.alternatives[index]?.frequency as number);
              });
              const importance = Math.max(...worths);
              const has = (index: number) =>
                document > 0 ? (alternatives[index]?.impacts[document] ?? 0) : 0;
              const best = Math.max(...worths.map((worth, index) => worth * impactOf(has(index))));
              total += importance;
              score += best;
              if (best > 0) share += importance;
              else if (isRequired) isMissing = true;
            }
            const isWhole = !isSentence && share >= total * 0.9999;
            const expected = isWhole ? total * MAX_IMPACT + score : score * (share / total) ** 0.25;
            const isSearched = searched?.includes(document) ?? true;
            const isMatch = score > 0 && !isMissing && !(document > 0 && excluded?.[document]) && isSearched;
            const actual = (byDocument[document] ?? 0) / PRECISION;
            if (isMatch) expect(Math.abs(actual - expected)).toBeLessThan(expected * 0.001 + 1 / PRECISION);
            else expect(actual).toBe(0);
          }
        },
      ),
      { numRuns: 200 },
    );
  },
);

test('common words are added to all documents of a large index', async () => {
  const last = 150_000;
  const impactsOf = (word: number) =>
    Uint8Array.from({ length: last + 1 }, (_, document) =>
      document < last && (document * (word + 3)) % 7 < 5 ? 51 * (word + 1) : 0,
    );
  const words = [0, 1, 2].map((word): ExpandedWord => {
    const list: PostingList = { kind: 'dense', impacts: impactsOf(word) };
    const alternatives = [{ term: `${word}`, weight: 1, frequency: last / 2, lists: [list] }];
    return { alternatives, isRequired: false };
  });
  const scores = await scoreDocuments(
    words,
    [],
    { arrays: new SearchArrays(), size: last + 1, documents: last, isSentence: true },
    async () => undefined,
  );
  const worth = Math.log(2) * PRECISION;
  const wrong = scoresByDocument(scores, Array(last).keys())
    .map((actual, document) => {
      const impacts = [0, 1, 2].map((word) => impactsIn(words[word] as ExpandedWord)[document] as number);
      const sum = impacts.reduce((total, impact) => total + impactOf(impact), 0);
      const share = impacts.filter((impact) => impact > 0).length / 3;
      return Math.abs(actual - worth * sum * share ** 0.25) > 0.001 * actual + 1 ? document : undefined;
    })
    .filter((document) => document !== undefined);
  expect(wrong).toEqual([]);
});

/** The impacts of the only term of a word. */
function impactsIn({ alternatives: [alternative] }: ExpandedWord): Uint8Array {
  const list = alternative?.lists[0];
  if (list?.kind !== 'dense') throw new Error('the list is not dense');
  return list.impacts;
}
