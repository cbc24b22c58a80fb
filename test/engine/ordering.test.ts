import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { positionBetween, positionsBetween } from '../../routers/engine/ordering.ts';
import { NUM_RUNS, PROPERTY_TIMEOUT } from './store/runs.ts';

const VALID = /^[0-9A-Za-z]*[1-9A-Za-z]$/;

/** Where to insert next: mostly at the ends and at the same place again, which makes positions long. */
const places = fc.array(fc.oneof(fc.constantFrom(0, 1, 0.5), fc.double({ min: 0, max: 1, noNaN: true })), {
  minLength: 1,
  maxLength: 60,
});

describe('positions', () => {
  test(
    'insertions anywhere, any number of times, keep the order',
    () => {
      fc.assert(
        fc.property(
          places,
          fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 60, maxLength: 60 }),
          (where, counts) => {
            const list: string[] = [];
            for (const [step, place] of where.entries()) {
              const at = Math.round(place * list.length);
              const made = positionsBetween(
                list[at - 1] ?? null,
                list[at] ?? null,
                counts[step] as number,
              ) as string[];
              expect(made).toHaveLength(counts[step] as number);
              list.splice(at, 0, ...made);
            }
            for (const position of list) expect(position).toMatch(VALID);
            expect(list).toEqual([...new Set(list)].sort());
          },
        ),
        { numRuns: NUM_RUNS },
      );
    },
    PROPERTY_TIMEOUT,
  );

  test('there is no room between equal positions, nor between two out of order', () => {
    expect(positionBetween('V', 'V')).toBeUndefined();
    expect(positionBetween('W', 'V')).toBeUndefined();
    expect(positionsBetween('V', 'V', 3)).toBeUndefined();
  });

  test('100,000 insertions at either end, or before a fixed neighbour, stay within ten characters', () => {
    let last = 'V';
    let first = 'V';
    let inner = 'U';
    for (let i = 0; i < 100_000; i++) {
      last = positionBetween(last, null) as string;
      first = positionBetween(null, first) as string;
      inner = positionBetween(inner, 'V') as string;
    }
    for (const position of [last, first, inner]) expect(position.length).toBeLessThanOrEqual(10);
  });
});
