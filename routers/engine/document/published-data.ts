import type { Block, BlockNode, Data, Inline } from './document.ts';
import { isDate, type PublishedType } from './published-types.ts';
import { asRef, defaultHref } from './refs.ts';

/** The published fields of a node's data; undefined if there are none and data is optional. */
export function publishedData({ data = {} }: Block | Inline, type: PublishedType): Data | undefined {
  const result: Data = {};
  let isEmpty = true;
  const chosen = type.oneOf?.find((name) => data[name] !== undefined);
  for (const field of type.data) {
    const value = data[field];
    if (value === undefined || (field !== chosen && type.oneOf?.includes(field))) continue;
    const values = type.values?.[field];
    if (field === 'date') result[field] = new Date(value as string).toISOString();
    else if (!values) result[field] = type.refs?.[field] ? publishedRef(value, type.refs[field]) : value;
    else if (values.some((allowed) => allowed === value)) result[field] = value;
    else if (type.required?.includes(field)) result[field] = values[0];
    isEmpty = false;
  }
  return isEmpty && type.isDataOptional ? undefined : result;
}

/**
 * Whether a node satisfies its published type: it has all required fields and parts, and its references are of allowed
 * kinds.
 */
export function isComplete({ data = {}, nodes = [] }: Block | Inline, type: PublishedType): boolean {
  const { refs, required = [], count, blocks, oneOf } = type;
  if (required.some((field) => data[field] === undefined)) return false;
  if (oneOf && !oneOf.some((field) => data[field] !== undefined)) return false;
  if (required.includes('date') && !isDate(data.date)) return false;
  if (count !== undefined && blocks instanceof Set) {
    const parts = (nodes as BlockNode[]).filter((node) => node.object === 'block' && blocks.has(node.type));
    if (parts.length !== count) return false;
  }
  for (const [field, kinds] of Object.entries(refs ?? {})) {
    const ref = asRef(data[field]);
    if (ref && !kinds.includes(ref.kind) && !kinds.includes('url')) return false;
  }
  return true;
}

function publishedRef(value: unknown, kinds: readonly string[]): unknown {
  const ref = asRef(value);
  if (!ref) return value;
  if (ref.kind === 'file' && kinds.includes('file')) return { kind: 'file', file: ref.file };
  return kinds.includes(ref.kind) ? ref : { kind: 'url', url: defaultHref(ref) };
}
