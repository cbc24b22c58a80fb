import { DomainError } from '../engine/errors.ts';

/** The known annotations: the JSON that superjson writes for such a value, and the value that it stands for. */
const TYPES: ReadonlyMap<
  unknown,
  { isValid: (json: unknown) => boolean; value: (json: unknown) => unknown }
> = new Map([
  ['undefined', { isValid: (json) => json === null, value: () => undefined }],
  // As in the REST API, times are strings.
  ['Date', { isValid: (json) => typeof json === 'string', value: (json) => json }],
  // The other annotated numbers, NaN and the infinite ones, are valid in no input.
  ['number', { isValid: (json) => json === '-0', value: () => 0 }],
]);

/**
 * Applies superjson's annotations to the JSON that was sent with them, in place, and returns it. Only annotations of values
 * that inputs can have are accepted, and only for places that exist, so that the result is never larger than what was sent.
 * Members that are undefined are removed. The work is linear in the length of what was sent.
 * @param values as superjson writes them: one annotation of the whole, or annotations by path
 * @param version the version of superjson's paths; those of version 0 only escape dots
 * @throws DomainError `invalid`, naming the place
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
  // guard: decode-annotation-alone
  const type = inside.length === 0 ? TYPES.get(name) : undefined;
  // guard: decode-known-types
  if (!type) throw invalid(path, 'must be a value of JSON, a Date or undefined');
  // guard: decode-annotated-value
  if (!type.isValid(json)) throw invalid(path, `must be a ${name} as superjson writes it`);
  return type.value(json);
}

/** An own member or item, never one of a prototype. */
function memberOf(parent: unknown, key: string, path: string): unknown {
  // guard: decode-annotation-place
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key))
    throw invalid(path, 'must be a place in the input');
  return (parent as Record<string, unknown>)[key];
}

/** Splits a path into its keys, which dots separate; dots within a key follow a backslash. */
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
