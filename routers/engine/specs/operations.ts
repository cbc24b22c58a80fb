import { type Fields, fieldsOf } from '../values.ts';
import { valueAt } from './pointers.ts';

/** The methods for which a path has an operation, in the order in which operations are listed. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/** Maximum length of a chain of references from a path to its operations. */
const MAX_REFERENCES = 10;

/** Maximum length of a method, in characters; longer ones are ignored. */
const MAX_METHOD = 100;

/** Counting stops here: paths can share a list of operations, which multiplies them. */
const MAX_COUNT = 1_000_000;

/** Counts the operations on the paths of a document, up to a million. */
export function countOperations(document: unknown): number {
  let count = 0;
  for (const _ of operationsIn(fieldsOf(document), 'paths')) if (++count === MAX_COUNT) break;
  return count;
}

/** Iterates over the operations of a document, in order; skips paths and names of more than `maxName` characters. */
export function* operationsIn(
  api: Fields,
  part: 'paths' | 'webhooks',
  maxName = Number.POSITIVE_INFINITY,
): Generator<[name: string, method: string, operation: Fields]> {
  const follow = createRefFollower(api);
  const additionalIn = createAdditionalOperationsReader();
  for (const [name, item] of Object.entries(fieldsOf(api[part]))) {
    if (name.length > maxName) continue;
    const items = follow(item);
    const fieldOf = (field: string) => items.find((fields) => fields[field] !== undefined)?.[field];
    for (const method of METHODS) {
      const operation = fieldOf(method);
      if (operation !== undefined) yield [name, method, fieldsOf(operation)];
    }
    for (const [method, operation] of additionalIn(fieldOf('additionalOperations'))) {
      const fixed = method.toLowerCase();
      if (!METHODS.includes(fixed) || fieldOf(fixed) === undefined) yield [name, method, fieldsOf(operation)];
    }
  }
}

/** Follows references within a document: returns a value, what it refers to, and so on. Caches lookups. */
function createRefFollower(api: Fields): (value: unknown) => Fields[] {
  const known = new Map<string, Fields>();
  return (value) => {
    const followed = [fieldsOf(value)];
    for (let count = 0; count < MAX_REFERENCES; count++) {
      const ref = followed.at(-1)?.$ref;
      if (typeof ref !== 'string' || !ref.startsWith('#/')) break;
      const target = known.get(ref) ?? fieldsOf(valueAt(api, ref.slice(1)));
      known.set(ref, target);
      followed.push(target);
    }
    return followed;
  };
}

/**
 * Reads operations with other methods, ignoring duplicates that differ in case. Lists that paths share are read only
 * once.
 */
function createAdditionalOperationsReader(): (
  value: unknown,
) => readonly [method: string, operation: unknown][] {
  const known = new Map<Fields, [string, unknown][]>();
  return (value) => {
    if (value === undefined) return [];
    const fields = fieldsOf(value);
    const read = known.get(fields);
    if (read) return read;
    const seen = new Set<string>();
    const others = Object.entries(fields).filter(([method]) => {
      if (method.length > MAX_METHOD || seen.has(method.toLowerCase())) return false;
      seen.add(method.toLowerCase());
      return true;
    });
    known.set(fields, others);
    return others;
  };
}
