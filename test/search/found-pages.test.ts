import { expect, test } from 'vitest';
import { SearchArrays } from '../../routers/engine/search/arrays.ts';
import { scoreDocuments } from '../../routers/engine/search/ranking.ts';
import { findPages } from '../../routers/search/found-pages.ts';

test('many pages are scored with pauses, and their ranks are exact', async () => {
  const length = 250_000;
  const arrays = new SearchArrays();
  const impacts = Uint8Array.from({ length: length + 1 }, (_, document) =>
    document < length ? document & 127 : 0,
  );
  const lists = [{ kind: 'dense' as const, impacts }];
  const word = { alternatives: [{ term: 'term', weight: 1, frequency: length, lists }], isRequired: true };
  const scoring = { arrays, size: length, documents: 2 * length, isSentence: false };
  const scores = await scoreDocuments([word], [], scoring, async () => undefined);
  const numbers = Int32Array.from({ length }, (_, index) => index);
  const row = {
    numbers,
    shift: 0,
    pageOf: numbers,
    hasSingleDocuments: true,
    pages: Array.from(numbers, (number) => `${number}`.padStart(6, '0')),
    conditions: new Map(),
  };
  const visibleBy = 'not-hidden' as const;
  const space = { id: 'space', rows: [row], restrictions: new Map(), isVisible: () => true, visibleBy };
  let pauses = 0;
  const found = await findPages([space], scores, arrays, async () => void pauses++);
  expect(pauses).toBeGreaterThan(1);
  expect(found.count).toBe(length - Math.ceil(length / 128));
  const best = found.best(3);
  expect(best.map(({ page }) => page)).toEqual(['000127', '000255', '000383']);
  const [, second] = best;
  const next = found.best(2000, second);
  expect(next[0]?.page).toBe('000383');
  // Those with the second highest impact come after all with the highest.
  const highest = Math.floor(length / 128);
  const after = next.findIndex(({ page }) => Number(page) % 128 === 126);
  expect(after).toBe(highest - 2);
  expect(found.ranks([best[0], next[after]].filter((page) => page !== undefined))).toEqual([1, highest + 1]);
});
