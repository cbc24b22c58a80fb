import { z } from 'zod';

/** The length of a text in code points, as JSON Schema counts. */
const codePoints = (text: string) => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

/** A string of `min` to `max` code points. */
export const text = ({ min = 0, max }: { min?: number; max: number }) =>
  z
    .string()
    // A string of more than twice as many UTF-16 units is too long in any case: no need to count.
    .refine((value) => value.length <= max * 2 && codePoints(value) <= max, {
      error: `must have at most ${max} characters`,
      abort: true,
    })
    .refine((value) => min === 0 || codePoints(value) >= min, {
      error: min === 1 ? 'must not be empty' : `must have at least ${min} characters`,
    })
    .meta({ maxLength: max, ...(min > 0 && { minLength: min }) });
