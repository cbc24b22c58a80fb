import { describe, expect, test } from 'vitest';
import { resolveExpiry } from '../../server/cli/expiry.ts';

const NOW = Date.parse('2027-01-30T12:00:00.000Z');

describe('the expiry of a token', () => {
  test.each([
    ['45m', '2027-01-30T12:45:00.000Z'],
    ['12h', '2027-01-31T00:00:00.000Z'],
    ['30d', '2027-03-01T12:00:00.000Z'],
    ['2w', '2027-02-13T12:00:00.000Z'],
    ['2027-02-01', '2027-02-01T00:00:00.000Z'],
    ['2027-02-01T08:00+02:00', '2027-02-01T06:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ])('%s gives %s', (text, expected) => {
    expect(resolveExpiry(text, NOW)).toBe(expected);
  });

  test.each([
    ...['', '30', 'd', '0d', '-1d', '1y', '999999d', 'tomorrow', '30 d'],
    // Days that do not exist, times without a time zone, and the past.
    ...['2027-02-29', '2027-13-01', '2027-02-01T08:00', '2027-02-01T25:00Z', '2027-01-30', '2026-12-31'],
  ])('%j is invalid', (text) => {
    expect(resolveExpiry(text, NOW)).toBeUndefined();
  });
});
