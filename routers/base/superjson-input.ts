import { DomainError } from '../engine/errors.ts';

/** What an annotation makes of the JSON at its place, which must be what superjson writes for such a value. */
const TYPES: ReadonlyMap<
  unknown,
  { written: (json: unknown) => boolean; value: (json: unknown) => unknown }
> = new Map([
  ['undefined', { written: (json) => json === null, value: () => undefined }],
  // As over REST, a time is its text.
  ['Date', { written: (json) => typeof json === 'string', value: (json) => json }],
  // No input can have the other numbers that are annotated: NaN and the infinite ones.
  ['number', { written: (json) => json === '-0', value: () => 0 }],
]);

/**
 * Applies the annotations of superjson to the JSON that was sent with them, in place, and returns it. Only annotations of
 * values that an input can have are known, and each is of a place that is there, so what they make is never larger than
 * what was sent; members that are undefined are left out. The work is linear in the length of what was sent.
 * @param values as superjson writes them: one annotation of the whole, or annotations by path.
 * @param version of superjson's paths; those of version 0 escape dots only.
 * @throws DomainError `invalid` with the place.
 */
export function applyAnnotations(json: unknown, values: unknown, version: unknown): unknown {
  if (Array.isArray(values)) return annotatedValue(json, values, '');
  if (typeof values !== 'object' || values === null)
    throw invalid('', 'must have annotations as superjson writes them');
  const isEscaped = typeof version === 'number' && version >= 1;
  for (const [path, annotation] of Object.entries(values)) {
    const keys = keysOf(path, isEscaped);
    const last = keys.pop() as string;
    let parent = json;
    for (const key of keys) parent = memberOf(parent, key, path);
    const value = annotatedValue(memberOf(parent, last, path), annotation, path);
    const members = parent as Record<string, unknown>;
    if (value !== undefined || Array.isArray(parent)) members[last] = value;
    else Reflect.deleteProperty(members, last);
  }
  return json;
}

function annotatedValue(json: unknown, annotation: unknown, path: string): unknown {
  const [name, ...inside] = Array.isArray(annotation) ? annotation : [];
  const type = inside.length === 0 ? TYPES.get(name) : undefined;
  if (!type) throw invalid(path, 'must be a value of JSON, a Date or undefined');
  if (!type.written(json)) throw invalid(path, `must be a ${name} as superjson writes it`);
  return type.value(json);
}

/** A member or item of its own, and nothing of a prototype. */
function memberOf(parent: unknown, key: string, path: string): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key))
    throw invalid(path, 'must be a place in the input');
  return (parent as Record<string, unknown>)[key];
}

/** The keys of a path: dots separate them, and those of a key follow a backslash. */
function keysOf(path: string, isEscaped: boolean): string[] {
  const keys: string[] = [];
  let key = '';
  for (let index = 0; index < path.length; index++) {
    const next = path.charAt(index);
    const escaped = next === '\\' ? path.charAt(index + 1) : '';
    if (escaped === '.' || (isEscaped && escaped === '\\')) {
      key += escaped;
      index++;
    } else if (next === '.') {
      keys.push(key);
      key = '';
    } else if (next === '\\' && isEscaped) throw invalid(path, 'must be a path as superjson writes it');
    else key += next;
  }
  return [...keys, key];
}

const invalid = (path: string, message: string) =>
  new DomainError('invalid', 'The input has an annotation of superjson that cannot be applied.', [
    { path, message },
  ]);
