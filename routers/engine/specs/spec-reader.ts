/** Reads parts of OpenAPI documents for display. Documents may be malformed in any way. */

import type { ApiPart } from '../document/api-part.ts';
import { valueAt } from './pointers.ts';

export type Spec = Record<string, unknown>;
export type Fields = Record<string, unknown>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** Maximum nesting of displayed schemas and generated examples, and maximum number of parts in one block. */
export const MAX_DEPTH = 6;
const MAX_PARTS = 800;

/** Maximum number of characters of descriptions and examples in one block: many parts may refer to the same long one. */
const MAX_TEXT = 1_000_000;

/** Maximum length of a chain of references. */
const MAX_HOPS = 20;

/** Maximum displayed length of a value in a schema. */
const MAX_VALUE = 200;

/** Reads one OpenAPI document, and bounds the number of parts, and the length of the texts, that are displayed. */
export class SpecReader {
  readonly #spec: Spec;
  #remainingParts = MAX_PARTS;
  #remainingText = MAX_TEXT;

  constructor(spec: Spec) {
    this.#spec = spec;
  }

  get spec(): Spec {
    return this.#spec;
  }

  /** Resolves references within the document; returns an empty object if a chain is too long. */
  resolve(value: unknown): Fields {
    let found = fieldsOf(value);
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      const ref = found.$ref;
      if (typeof ref !== 'string' || !ref.startsWith('#')) return found;
      found = fieldsOf(valueAt(this.#spec, ref.slice(1)));
    }
    return {};
  }

  /** The name of the schema that a value refers to; undefined if it is not a reference. */
  nameOf(value: unknown): string | undefined {
    const ref = fieldsOf(value).$ref;
    return typeof ref === 'string' ? decodeName(ref.split('/').at(-1) ?? '') : undefined;
  }

  /** Counts one more part; returns false if there are too many. */
  spendPart(): boolean {
    this.#remainingParts -= 1;
    return this.#remainingParts >= 0;
  }

  /** Counts the characters of one more text; returns false if there are too many. */
  spendText(length: number): boolean {
    this.#remainingText -= length;
    return this.#remainingText >= 0;
  }
}

const decodeName = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~');

/** Formats a value in a schema as text. */
export const valueText = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
};

/** Describes the type of a schema in a few words. */
export function typeText(reader: SpecReader, given: unknown): string {
  const schema = reader.resolve(given);
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  if (types.includes('array')) return `${typeText(reader, schema.items).slice(0, 60) || 'any'}[]`;
  const name = reader.nameOf(given) ?? (typeof schema.title === 'string' ? schema.title : undefined);
  if (types.length > 0) {
    const format = typeof schema.format === 'string' ? ` <${schema.format}>` : '';
    return types.includes('object') && name ? name.slice(0, 60) : types.join(' | ') + format;
  }
  return name?.slice(0, 60) ?? (schema.properties ? 'object' : '');
}

/** The properties of a schema, including those from `allOf`. */
export function propertiesOf(reader: SpecReader, schema: Fields, depth = 0): Fields {
  const own = fieldsOf(schema.properties);
  if (depth > MAX_DEPTH || !Array.isArray(schema.allOf)) return own;
  const all = schema.allOf
    .slice(0, 20)
    // Recursive schemas would be read again at each level.
    .map((part) => (reader.spendPart() ? propertiesOf(reader, reader.resolve(part), depth + 1) : {}));
  return Object.assign({}, ...all, own);
}

/** The names of the required properties of a schema. */
export const requiredOf = (reader: SpecReader, schema: Fields): unknown[] => [
  ...(Array.isArray(schema.required) ? schema.required : []),
  ...(Array.isArray(schema.allOf)
    ? schema.allOf.slice(0, 20).flatMap((part) => {
        const { required } = reader.resolve(part);
        return Array.isArray(required) ? required : [];
      })
    : []),
];

/** The parameters of an operation, and those of its path that it does not override. */
export function parametersOf(reader: SpecReader, item: Fields, operation: Fields): Fields[] {
  const listed = (value: unknown) =>
    (Array.isArray(value) ? value : []).slice(0, 200).map((one) => reader.resolve(one));
  const byName = new Map<string, Fields>();
  for (const one of [...listed(item.parameters), ...listed(operation.parameters)])
    if (typeof one.name === 'string') byName.set(`${String(one.in)} ${one.name}`, one);
  return [...byName.values()];
}

/** The content of a request or a response. */
export interface Media {
  type: string;
  schema: unknown;
  example: unknown;
}

/** Selects the media type to display: JSON, or else the first. */
export function mediaOf(reader: SpecReader, content: unknown): Media | undefined {
  const types = Object.entries(fieldsOf(content));
  const found = types.find(([type]) => type.includes('json')) ?? types[0];
  if (!found) return undefined;
  const media = reader.resolve(found[1]);
  const [first] = Object.values(fieldsOf(media.examples));
  return { type: found[0], schema: media.schema, example: media.example ?? reader.resolve(first).value };
}

/** The responses of an operation by status. */
export const responsesOf = (operation: Fields): [string, unknown][] =>
  Object.entries(fieldsOf(operation.responses)).slice(0, 40);

/** Finds an operation or webhook, with the item of its path; undefined if there is none. */
export function operationOf(
  reader: SpecReader,
  part: Exclude<ApiPart, { kind: 'models' }>,
): { name: string; method: string; item: Fields; operation: Fields } | undefined {
  const items = fieldsOf(part.kind === 'operation' ? reader.spec.paths : reader.spec.webhooks);
  const name = part.kind === 'operation' ? part.path : part.name;
  if (!Object.hasOwn(items, name)) return undefined;
  const item = reader.resolve(items[name]);
  const method = part.method.toLowerCase();
  const operation = reader.resolve(Object.hasOwn(item, method) ? item[method] : undefined);
  return Object.keys(operation).length === 0 ? undefined : { name, method, item, operation };
}

/** The named schemas of a document. */
export const schemasOf = (spec: Spec): Fields =>
  fieldsOf(fieldsOf(spec.components).schemas ?? spec.definitions);

const BY_TYPE: Record<string, unknown> = {
  string: 'text',
  integer: 1,
  number: 1.5,
  boolean: true,
  null: null,
};
const BY_FORMAT: Record<string, unknown> = {
  'date-time': '2025-01-31T12:00:00Z',
  date: '2025-01-31',
  email: 'name@example.com',
  uri: 'https://example.com',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
};

/** The example that a schema itself has. */
function ownExampleOf({ example, examples, default: preset, const: only, enum: values }: Fields): unknown {
  if (example !== undefined) return example;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (preset !== undefined) return preset;
  if (only !== undefined) return only;
  return Array.isArray(values) ? values[0] : undefined;
}

// guard: spec-examples-length
const spendExample = (reader: SpecReader, example: unknown): boolean =>
  reader.spendText(0) && reader.spendText(JSON.stringify(example).length);

/** Returns the example of a schema, or generates one. */
export function exampleOf(reader: SpecReader, given: unknown, depth = 0): unknown {
  const schema = reader.resolve(given);
  const own = ownExampleOf(schema);
  if (own !== undefined) return spendExample(reader, own) ? own : null;
  if (depth > MAX_DEPTH || !reader.spendPart()) return null;
  const alternatives = [schema.oneOf, schema.anyOf].find(Array.isArray) as unknown[] | undefined;
  const properties = Object.entries(propertiesOf(reader, schema));
  if (properties.length > 0)
    return Object.fromEntries(properties.map(([name, inner]) => [name, exampleOf(reader, inner, depth + 1)]));
  if (alternatives) return exampleOf(reader, alternatives[0], depth + 1);
  const [type] = [schema.type].flat().filter((one) => one !== 'null');
  if (type === 'array' || schema.items !== undefined) return [exampleOf(reader, schema.items, depth + 1)];
  if (typeof schema.format === 'string' && Object.hasOwn(BY_FORMAT, schema.format))
    return BY_FORMAT[schema.format];
  return typeof type === 'string' && Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : {};
}
