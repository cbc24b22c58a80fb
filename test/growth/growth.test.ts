import { expect, test } from 'vitest';
import { expectLinear } from '../helpers/growth.ts';

const numbers = (size: number) => Array.from({ length: size }, (_, index) => (index * 7919) % size);
let sink = 0;

test('work that follows the size of its input passes, n log n included', () => {
  expectLinear('sum', numbers, (list) => {
    sink += list.reduce((sum, value) => sum + value * value, 0);
  });
  expectLinear('sort', numbers, (list) => {
    sink += list.sort((a, b) => a - b).length;
  });
});

test('work that follows the square of it fails, and the error tells the times', () => {
  expect(() =>
    expectLinear('pairs', numbers, (list) => {
      for (const a of list) for (const b of list) sink += a ^ b;
    }),
  ).toThrow(/^pairs: time grows with the power (1\.[6-9]|2)\d* of the size \(.* ms at \d+/);
});
