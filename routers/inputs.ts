import { z } from 'zod';
import { DEFAULT_LEVELS, ROLES } from '../schema/enums.ts';

/** Length as people count it: in code points, which is also how JSON Schema counts. */
const codePoints = (text: string) => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

/** A string of `min` to `max` code points. */
export const text = ({ min = 0, max }: { min?: number; max: number }) =>
  z
    .string()
    // A string of more than twice the UTF-16 units is too long whatever it holds: no need to count.
    .refine((value) => value.length <= max * 2 && codePoints(value) <= max, {
      error: `must have at most ${max} characters`,
      abort: true,
    })
    .refine((value) => min === 0 || codePoints(value) >= min, {
      error: min === 1 ? 'must not be empty' : `must have at least ${min} characters`,
    })
    .meta({ maxLength: max, ...(min > 0 && { minLength: min }) });

export const RoleSchema = z.enum(ROLES);
/** A role, or null for a guest. */
export const NullableRole = RoleSchema.nullable();
/** A default level as set: a role, `inherit`, or null for no default access. */
export const DefaultLevelSchema = z.enum(DEFAULT_LEVELS).nullable();

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Where in a value there is a string that is not Unicode text, as a dotted path, or undefined.
 * Object keys are looked at as well: they end up in columns of JSON.
 */
export function illFormedString(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') {
    return value.includes('\0') || LONE_SURROGATE.test(value) ? path : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const at = path ? `${path}.${key}` : key;
    const found = illFormedString(key, path) ?? illFormedString(inner, at);
    if (found !== undefined) return found;
  }
  return undefined;
}
