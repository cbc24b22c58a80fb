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

/** Deeper than any document, and shallow enough for schemas that follow the nesting. */
const MAX_DEPTH = 500;

export const UNREADABLE = 'The request holds a value that cannot be kept.';

/**
 * What no procedure could take, whatever its schema: text that is not Unicode, nesting without end, and numbers that
 * JSON does not know. Object keys are looked at as well: they end up in columns of JSON.
 * @returns the place as a dotted path and what is wrong there, or undefined.
 */
export function inputProblem(value: unknown): { path: string; message: string } | undefined {
  const keys: string[] = [];
  const message = problemIn(value, keys, 0);
  return message === undefined ? undefined : { path: keys.reverse().join('.'), message };
}

const NOT_TEXT = 'must be valid Unicode without NUL';
const isText = (value: string) => !value.includes('\0') && value.isWellFormed();

/** The path is gathered on the way back from a problem, so that a good input costs no more than its walk. */
function problemIn(value: unknown, keys: string[], depth: number): string | undefined {
  if (typeof value === 'string') return isText(value) ? undefined : NOT_TEXT;
  if (typeof value === 'bigint') return 'must be a number';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === MAX_DEPTH) return `must not be nested more than ${MAX_DEPTH} levels deep`;
  // Not by `Object.entries`: its pairs cost more than the walk.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const message = problemIn(value[index], keys, depth + 1);
      if (message !== undefined) return at(index, message, keys, depth);
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    if (!isText(key)) return NOT_TEXT;
    const message = problemIn((value as Record<string, unknown>)[key], keys, depth + 1);
    if (message !== undefined) return at(key, message, keys, depth);
  }
  return undefined;
}

/** Adds one step to the path of a problem; the way into something very deep says nothing. */
function at(key: string | number, message: string, keys: string[], depth: number): string {
  if (depth < 50) keys.push(String(key));
  return message;
}
