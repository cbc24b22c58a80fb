import { expect, test } from 'vitest';
import { byteLimit } from '../../routers/engine/byte-limit.ts';

test('a limit in bytes is written in the largest unit that it reaches', () => {
  expect([1000, 1024, 64 * 1024, 10 * 1024 ** 2, 3.72 * 1024 ** 2, 1024 ** 3].map(byteLimit)).toEqual([
    '1000 bytes',
    '1 kB',
    '64 kB',
    '10 MB',
    '3.7 MB',
    '1 GB',
  ]);
});
