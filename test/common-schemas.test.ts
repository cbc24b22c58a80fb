import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from '../routers/base/common-schemas.ts';

const dates = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

/** As PostgreSQL writes a timestamptz(3) in UTC: without trailing zeros in the fraction. */
const written = (date: Date) =>
  `${date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.?0*Z$/, '')}+00`;

test('a time is formatted as ISO 8601 with milliseconds, whatever the format of the database', () => {
  fc.assert(
    fc.property(dates, (date) => {
      expect(isoTime(written(date))).toBe(date.toISOString());
      expect(isoTime(date)).toBe(date.toISOString());
    }),
  );
  expect(isoTime('2026-01-02 03:04:05+00')).toBe('2026-01-02T03:04:05.000Z');
  expect(isoTime('2026-01-02 03:04:05.6+02')).toBe('2026-01-02T01:04:05.600Z');
  expect(isoTime('2026-01-02 03:04:05.123456+00')).toBe('2026-01-02T03:04:05.123Z');
  expect(isoTime('2026-01-02T03:04:05Z')).toBe('2026-01-02T03:04:05.000Z');
});
