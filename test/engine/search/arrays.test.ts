import { expect, test } from 'vitest';
import { SearchArrays } from '../../../routers/engine/search/arrays.ts';

test('a search gets zeros in memory that another search has released', () => {
  const first = new SearchArrays();
  const used = first.zeros(5000).fill(7);
  first.release();
  const zeros = new SearchArrays().zeros(4900);
  expect(zeros.buffer).toBe(used.buffer);
  expect(zeros).toHaveLength(4900);
  expect(zeros.some((value) => value !== 0)).toBe(false);
});

test('concurrent searches share no memory, even if another search was released twice', () => {
  const first = new SearchArrays();
  first.zeros(5000);
  first.release();
  first.release();
  const second = new SearchArrays();
  const third = new SearchArrays();
  expect(second.zeros(5000).buffer).not.toBe(third.zeros(5000).buffer);
  const own = second.integers(2);
  own.set([1, 2]);
  third.integers(2).fill(9);
  expect([...own]).toEqual([1, 2]);
});
