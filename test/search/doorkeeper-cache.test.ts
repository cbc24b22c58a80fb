import { expect, test } from 'vitest';
import { DoorkeeperCache, stringBytes } from '../../routers/search/doorkeeper-cache.ts';

const cacheOf = (maxSize = 100) => new DoorkeeperCache<string>({ maxSize, sizeOf: stringBytes, maxKeys: 2 });

test('a value is kept once its key is offered a second time', () => {
  const cache = cacheOf();
  cache.offer('a', () => expect.unreachable());
  expect(cache.get('a')).toBeUndefined();
  cache.offer('a', () => 'value');
  expect(cache.get('a')).toBe('value');
});

test('a value that must not be kept is not', () => {
  const cache = cacheOf();
  for (let time = 0; time < 3; time++) cache.offer('a', () => undefined);
  expect(cache.get('a')).toBeUndefined();
});

test('keys are forgotten after others, so that only what is popular is kept', () => {
  const cache = cacheOf();
  for (const key of ['a', 'b', 'c', 'a']) cache.offer(key, () => key);
  expect(cache.get('a')).toBeUndefined();
});

test.each([
  ['ASCII', 'a'.repeat(100), true],
  ['more than ASCII, which takes twice the memory', 'é'.repeat(100), false],
])('values have a maximum size: 100 characters of %s', (_, value, isKept) => {
  const cache = cacheOf();
  for (let time = 0; time < 2; time++) cache.offer('a', () => value);
  expect(cache.get('a')).toBe(isKept ? value : undefined);
});
