import { expect, test } from 'vitest';
import { ratingOf, starsOf } from '../../../routers/engine/document/ratings.ts';

test.each([
  [3, 5, '★★★☆☆'],
  [3, undefined, '★★★☆☆'],
  ['2', '4', '★★☆☆'],
  [2.5, 5, '★★★☆☆'],
  [7, 5, '★★★★★'],
  [-1, 3, '☆☆☆'],
  [1e9, 1e9, '★★★★★★★★★★'],
  [Number.NaN, 2, '☆☆'],
  ['many', 2, '☆☆'],
  [3, -1, ''],
  [3, 'none', ''],
  [3, {}, ''],
  [{}, 2, '☆☆'],
])('a rating of %j out of %j is shown as %s', (value, max, stars) => {
  expect(starsOf(ratingOf(value, max))).toBe(stars);
});
