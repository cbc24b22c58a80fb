import { expect, test } from 'vitest';
import { expectLinear } from '../helpers/growth.ts';

const numbers = (size: number) => Array.from({ length: size }, (_, index) => (index * 7919) % size);

test('linear and n log n work passes', () => {
  const sum = expectLinear('sum', numbers, (list) => list.reduce((total, value) => total + value, 0));
  const sort = expectLinear('sort', numbers, (list) => list.sort((a, b) => a - b));
  expect(Math.max(sum.exponent, sort.exponent)).toBeLessThan(1.45);
});

// Tried again, since a measurement that is disturbed excuses what it measures.
test('quadratic work fails, and the error shows the times', { retry: 2 }, () => {
  const pairs = (list: number[]) => list.reduce((total, value) => total + list.lastIndexOf(-value - 1), 0);
  expect(() => expectLinear('pairs', numbers, pairs, { from: 1024 })).toThrow(
    /^pairs: time grows with the power (1\.[4-9]|[23]\.)\d* of the size \(.* ms at \d+/,
  );
});

test('quadratic work that creates much garbage fails', () => {
  const prefixes = (list: number[]) => list.map((_, index) => list.slice(0, index).reverse().at(-1));
  expect(() => expectLinear('prefixes', numbers, prefixes, { from: 1024, to: 1024 })).toThrow(
    /^prefixes: time grows with the power/,
  );
});

test('linear work whose garbage is kept passes', () => {
  const trees = (list: number[]) => list.map((value) => ({ value, path: `${value}`, children: [{ value }] }));
  expectLinear('trees', numbers, trees, { from: 2 ** 12 });
});
