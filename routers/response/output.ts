import superjson, { type SuperJSONResult } from 'superjson';
import { jsonText, SerializedDocument } from '../engine/document/serialized-document.ts';
import { PrebuiltResponse } from './prebuilt-response.ts';

const cached = new WeakSet<object>();

/**
 * Marks an output as cached, because later requests get it too: it is validated and serialized only once. It must never be
 * changed, and every caller who gets it must have been authorized.
 */
export function cacheOutput<Output extends object>(output: Output): Output {
  cached.add(output);
  return output;
}

export const isCachedOutput = (output: unknown): boolean =>
  typeof output === 'object' && output !== null && cached.has(output);

/** Memoizes a function for cached outputs; its results for these are marked as cached too. */
export function oncePerCachedOutput<Result>(work: (output: unknown) => Result): (output: unknown) => Result {
  const results = new WeakMap<object, Result>();
  return (output) => {
    if (!isCachedOutput(output)) return work(output);
    const known = results.get(output as object);
    if (known !== undefined) return known;
    const result = work(output);
    if (typeof result === 'object' && result !== null) cached.add(result);
    results.set(output as object, result);
    return result;
  };
}

/**
 * A value as superjson serializes it, except that properties that are undefined are left out. Nearly every response is a
 * tree of JSON values, possibly with documents as serialized text, and needs neither annotations nor a copy.
 */
export const serializeOutput = (output: unknown): SuperJSONResult =>
  isPlain(output) ? { json: output as SuperJSONResult['json'] } : superjson.serialize(output);

/** The JSON text of {@link serializeOutput}. */
export const outputText = (output: unknown): string =>
  isPlain(output) ? `{"json":${plainText(output)}}` : JSON.stringify(superjson.serialize(output));

/** The JSON text of an output over REST, where all outputs are plain. */
export const plainText = oncePerCachedOutput(jsonText);

const isPlain = oncePerCachedOutput((output) => isTree(output, new Set()));

/**
 * Whether JSON preserves a value, except for undefined properties. An object may occur several times, though not within
 * itself: superjson also writes it each time, and only records in addition that it is the same.
 */
function isTree(value: unknown, around: Set<object>): boolean {
  if (isScalar(value)) return true;
  if (typeof value !== 'object' || around.has(value as object)) return false;
  around.add(value as object);
  const plain = Array.isArray(value)
    ? isTreeOfItems(value, around)
    : isTreeOfMembers(value as object, around);
  around.delete(value as object);
  return plain;
}

/** Whether a value is a primitive that JSON preserves. */
function isScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}

function isTreeOfMembers(object: object, around: Set<object>): boolean {
  const prototype = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return object instanceof SerializedDocument;
  const members = object as Record<string, unknown>;
  for (const key in members) {
    // It would be lost. Other names that superjson refuses to serialize arrive unchanged.
    if (key === '__proto__') return false;
    const value = members[key];
    if (value !== undefined && !isTree(value, around)) return false;
  }
  return true;
}

function isTreeOfItems(array: unknown[], around: Set<object>): boolean {
  // It may have holes, or properties besides its items.
  if (Object.getPrototypeOf(array) !== Array.prototype || Object.keys(array).length !== array.length) {
    return false;
  }
  return array.every((item) => isTree(item, around));
}

/** The JSON text of an output over tRPC; stored text is inserted as it is. */
export async function trpcText(output: unknown): Promise<string> {
  if (!(output instanceof PrebuiltResponse)) return outputText(output);
  const text = await output.text();
  return output.kind === 'json' ? `{"json":${text}}` : outputText(text);
}
