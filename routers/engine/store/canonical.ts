import { ContentError } from './errors.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json | undefined };

/**
 * Serializes a value to canonical JSON: keys sorted by UTF-16 code unit, no white space, and no undefined fields.
 * Throws {@link ContentError} `invalid-value` for what JSON or the database cannot represent: NaN, infinities, NUL
 * characters, lone surrogates, undefined in an array, and anything but plain values.
 */
export function canonicalJson(value: Json | undefined): string {
  switch (typeof value) {
    case 'string':
      return canonicalString(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      if (!Number.isFinite(value)) throw new ContentError('invalid-value', `${value} is not a JSON number`);
      return JSON.stringify(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value)
        ? `[${value.map(canonicalJson).join()}]`
        : canonicalObject(value as JsonObject);
    default:
      throw new ContentError('invalid-value', `A value of type ${typeof value} is not JSON`);
  }
}

function canonicalObject(value: JsonObject): string {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new ContentError('invalid-value', 'Only plain objects are JSON');
  }
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const field = value[key];
    if (field === undefined) continue;
    text += `${text ? ',' : ''}${canonicalKey(key)}:${canonicalJson(field)}`;
  }
  return `{${text}}`;
}

/** The same few keys occur in every document, so they are cached as JSON; long keys come from callers. */
const keyTexts = new Map<string, string>();
const MAX_KEY_TEXTS = 1000;
const MAX_KEY_LENGTH = 50;

function canonicalKey(key: string): string {
  const cached = keyTexts.get(key);
  if (cached !== undefined) return cached;
  const text = canonicalString(key);
  if (keyTexts.size < MAX_KEY_TEXTS && key.length <= MAX_KEY_LENGTH) keyTexts.set(key, text);
  return text;
}

function canonicalString(value: string): string {
  const json = JSON.stringify(value);
  // Both kinds of invalid text are serialized with such an escape, which is rare otherwise.
  if (!json.includes('\\u')) return json;
  if (!value.isWellFormed())
    throw new ContentError('invalid-value', 'A text contains half of a surrogate pair');
  if (value.includes('\0')) throw new ContentError('invalid-value', 'A text contains a NUL character');
  return json;
}

/** Returns an own field of an object: its name may be that of an inherited property. */
export const ownField = (object: object | undefined, name: string): unknown =>
  object && Object.hasOwn(object, name) ? object[name as keyof typeof object] : undefined;

/** Whether two plain values have the same canonical JSON; undefined fields count as absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => sameJson(item, b[index]));
  }
  const left = a as JsonObject;
  const right = b as JsonObject;
  let fields = 0;
  for (const key of Object.keys(left)) {
    if (left[key] === undefined) continue;
    if (!Object.hasOwn(right, key) || !sameJson(left[key], right[key])) return false;
    fields += 1;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined) fields -= 1;
  return fields === 0;
}
