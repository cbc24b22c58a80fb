import superjson from 'superjson';
import { HeldDocument, jsonText } from './engine/document/held.ts';

interface Walk {
  /** Superjson records when the same object occurs in several places. */
  seen: Set<object>;
  /** The members that are undefined, by path, as JSON without the braces. */
  undefinedPaths: string;
}

/**
 * The JSON of a value as superjson serializes it. Nearly every response is a tree of JSON values, possibly with undefined
 * members and with documents held as text: it takes a fraction of the time that superjson takes for anything else.
 */
export function outputText(output: unknown): string {
  const walk: Walk = { seen: new Set(), undefinedPaths: '' };
  const json = write(output, '', walk);
  if (json === undefined) return JSON.stringify(superjson.serialize(output));
  const { undefinedPaths } = walk;
  const meta = undefinedPaths && `,"meta":{"values":{${undefinedPaths}},"v":1}`;
  return `{"json":${jsonText(json)}${meta}}`;
}

/**
 * Returns the value itself, or a copy if something in it is serialized differently; undefined if it is not plain. `path`
 * is its path as JSON, with a trailing dot.
 */
function write(value: unknown, path: string, walk: Walk): unknown {
  if (isScalar(value)) return value;
  if (typeof value !== 'object' || walk.seen.has(value as object)) return undefined;
  walk.seen.add(value as object);
  return Array.isArray(value) ? writeArray(value, path, walk) : writeObject(value as object, path, walk);
}

/** Whether a value is a primitive that JSON preserves. */
function isScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}

function writeObject(object: object, path: string, walk: Walk): object | undefined {
  const prototype = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) {
    return object instanceof HeldDocument ? object : undefined;
  }
  const members = object as Record<string, unknown>;
  let copy: Record<string, unknown> | undefined;
  for (const key in members) {
    // Superjson refuses to serialize these.
    if (key === '__proto__' || key === 'constructor' || key === 'prototype') return undefined;
    const value = members[key];
    if (isScalar(value)) continue;
    const written =
      value === undefined ? annotate(key, path, walk) : write(value, `${path}${escapeKey(key)}.`, walk);
    if (written === undefined) return undefined;
    if (written === value) continue;
    copy ??= { ...members };
    copy[key] = written;
  }
  return copy ?? object;
}

function writeArray(array: unknown[], path: string, walk: Walk): unknown[] | undefined {
  // It may have holes, or members besides its items.
  if (Object.getPrototypeOf(array) !== Array.prototype || Object.keys(array).length !== array.length) {
    return undefined;
  }
  let copy: unknown[] | undefined;
  for (const [index, item] of array.entries()) {
    if (isScalar(item)) continue;
    const written = write(item, `${path}${index}.`, walk);
    if (written === undefined) return undefined;
    if (written === item) continue;
    copy ??= array.slice();
    copy[index] = written;
  }
  return copy ?? array;
}

/** Records that a member is undefined, and returns what is written for it. */
function annotate(key: string, path: string, walk: Walk): null | undefined {
  // Numeric keys come first in an object, so the annotations would be in a different order than superjson's.
  if (/^\d/.test(key)) return undefined;
  walk.undefinedPaths += `${walk.undefinedPaths && ','}"${path}${escapeKey(key)}":["undefined"]`;
  return null;
}

/** A key as escaped in a superjson path, and in JSON. */
const escapeKey = (key: string): string =>
  /^\w*$/.test(key) ? key : JSON.stringify(key.replace(/[.\\]/g, '\\$&')).slice(1, -1);
