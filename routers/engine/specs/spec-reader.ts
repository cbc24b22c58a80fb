/** Reads parts of OpenAPI documents for display. Documents may be malformed in any way. */

import { type Fields, fieldsOf } from '../values.ts';
import { valueAt } from './pointers.ts';

export type Spec = Record<string, unknown>;

/** Maximum nesting of displayed schemas and generated examples, and maximum number of parts in one block. */
export const MAX_DEPTH = 6;
const MAX_PARTS = 800;

/** Maximum number of characters of descriptions, names and examples in one block: references can repeat long ones. */
const MAX_TEXT = 1_000_000;

/** Maximum number of entries of lists, such as of properties, that are read for one block, for the same reason. */
const MAX_ENTRIES = 50_000;

/** Maximum number of examples in one block that the document gives. */
const MAX_EXAMPLES = 200;

/** Maximum length of a chain of references. */
const MAX_HOPS = 20;

/** Maximum displayed length of a value in a schema. */
const MAX_VALUE = 200;

/** Maximum number of types of a schema, and their maximum length. */
const MAX_TYPES = 10;
const MAX_TYPE = 60;

/** Reads one OpenAPI document, and bounds what is displayed of it. */
export class SpecReader {
  readonly #spec: Spec;
  #remainingParts = MAX_PARTS;
  #remainingText = MAX_TEXT;
  #remainingEntries = MAX_ENTRIES;
  #remainingExamples = MAX_EXAMPLES;

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

  /** Counts one more example that the document gives; returns false if there are too many. */
  spendExample(): boolean {
    this.#remainingExamples -= 1;
    return this.#remainingExamples >= 0;
  }

  /** Counts the length of a value as text; returns false if there is too much text. */
  spendText(value: unknown): boolean {
    const length = lengthOf(value);
    if (length > this.#remainingText) return false;
    this.#remainingText -= length;
    return true;
  }

  /** A list, such as of properties or their names, or none of it if too many have been read. */
  entries<List extends Fields | unknown[]>(list: List): List | undefined {
    const count = countOf(list);
    if (count > this.#remainingEntries) return undefined;
    this.#remainingEntries -= count;
    return list;
  }
}

/** Computes something once for each object of a spec: references can lead to the same one very often. */
function oncePerObject<Result>(compute: (value: object) => Result): (value: object) => Result {
  const results = new WeakMap<object, Result>();
  return (value) => {
    const result = results.get(value) ?? compute(value);
    results.set(value, result);
    return result;
  };
}

const countOf = oncePerObject((list) => Object.keys(list).length);
const lengthOfObject = oncePerObject((value) => JSON.stringify(value)?.length ?? 0);
const lengthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? lengthOfObject(value) : String(value).length;

const decodeName = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~');

const cutValue = (text: string): string => (text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text);
const textOfObject = oncePerObject((value) => cutValue(JSON.stringify(value) ?? ''));

/** Formats a value in a schema as text. */
export const valueText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? textOfObject(value) : cutValue(String(value));

/** The names of the types of a schema. */
const typesOf = ({ type }: Fields): string[] =>
  (Array.isArray(type) ? type.slice(0, MAX_TYPES) : [type]).flatMap((one) =>
    typeof one === 'string' ? one.slice(0, MAX_TYPE) : [],
  );

/** Describes the type of a schema in a few words. @param outer the arrays that it is in */
export function typeText(reader: SpecReader, given: unknown, outer: readonly Fields[] = []): string {
  const schema = reader.resolve(given);
  const types = typesOf(schema);
  if (types.includes('array')) {
    // The items of an array may be such arrays themselves.
    // guard: recursive-array-types
    if (outer.includes(schema) || outer.length > MAX_DEPTH)
      return reader.nameOf(given)?.slice(0, MAX_TYPE) ?? '';
    return `${typeText(reader, schema.items, [...outer, schema]).slice(0, MAX_TYPE) || 'any'}[]`;
  }
  const name = reader.nameOf(given) ?? (typeof schema.title === 'string' ? schema.title : undefined);
  const format = typeof schema.format === 'string' ? `<${schema.format.slice(0, MAX_TYPE)}>` : '';
  if (types.length > 0)
    return types.includes('object') && name
      ? name.slice(0, MAX_TYPE)
      : [types.join(' | '), format].filter((part) => part !== '').join(' ');
  return name?.slice(0, MAX_TYPE) ?? (schema.properties ? 'object' : format);
}

/** The properties of a schema, including those from `allOf`. */
export function propertiesOf(reader: SpecReader, schema: Fields, depth = 0): Fields {
  const own = reader.entries(fieldsOf(schema.properties)) ?? {};
  if (depth > MAX_DEPTH || !Array.isArray(schema.allOf)) return own;
  const all = schema.allOf
    .slice(0, 20)
    // Recursive schemas would be read again at each level.
    .map((part) => (reader.spendPart() ? propertiesOf(reader, reader.resolve(part), depth + 1) : {}));
  return Object.assign({}, ...all, own);
}

/** The schema of all properties of an object that have no schema of their own, as in a map; undefined if it says nothing. */
function otherPropertiesOf(reader: SpecReader, schema: Fields): unknown {
  return partsOf(reader, schema)
    .map(({ additionalProperties }) => additionalProperties)
    .find((other) => Object.keys(fieldsOf(other)).length > 0);
}

/** The properties of a schema to display. Those of a map have the name of the keyword that describes them. */
export function shownPropertiesOf(reader: SpecReader, schema: Fields): [string, unknown][] {
  const other = otherPropertiesOf(reader, schema);
  const named = Object.entries(propertiesOf(reader, schema));
  return other === undefined ? named : [...named, ['additionalProperties', other]];
}

/** The alternatives of a schema, its own or those of a part of it. */
export const alternativesOf = (reader: SpecReader, schema: Fields): unknown[] | undefined =>
  partsOf(reader, schema)
    .flatMap(({ oneOf, anyOf }) => [oneOf, anyOf])
    .find(Array.isArray);

/** The schema itself, and those that it combines. */
export function partsOf(reader: SpecReader, schema: Fields): Fields[] {
  const parts = Array.isArray(schema.allOf) ? schema.allOf.slice(0, 20) : [];
  return [schema, ...parts.map((part) => reader.resolve(part))];
}

/** The names of the required properties of a schema. */
export function requiredOf(reader: SpecReader, schema: Fields): unknown[] {
  return partsOf(reader, schema).flatMap(({ required }) =>
    Array.isArray(required) ? (reader.entries(required as unknown[]) ?? []) : [],
  );
}

/** The content of a request or a response. */
export interface Media {
  type: string;
  schema: unknown;
  example: unknown;
  /** How the fields of a form are written. */
  encoding: Fields;
}

/** Selects the media type to display: JSON, or else the first. */
export function mediaOf(reader: SpecReader, content: unknown): Media | undefined {
  const types = Object.entries(fieldsOf(content));
  const found = types.find(([type]) => type.includes('json')) ?? types[0];
  if (!found) return undefined;
  const media = reader.resolve(found[1]);
  const [first] = Object.values(fieldsOf(media.examples));
  return {
    type: found[0],
    schema: media.schema,
    example: media.example ?? reader.resolve(first).value,
    encoding: fieldsOf(media.encoding),
  };
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

const firstOf = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);

/** Returns the example of a schema, or generates one. */
export function exampleOf(reader: SpecReader, of: unknown, depth = 0): unknown {
  const schema = reader.resolve(of);
  const [given] = [
    schema.example,
    firstOf(schema.examples),
    schema.default,
    schema.const,
    firstOf(schema.enum),
  ].filter((value) => value !== undefined);
  // guard: spec-examples-length
  if (given !== undefined) return reader.spendText(given) ? given : null;
  if (depth > MAX_DEPTH || !reader.spendPart()) return null;
  const alternatives = alternativesOf(reader, schema);
  const properties = Object.entries(propertiesOf(reader, schema)).filter(([name]) => reader.spendText(name));
  if (properties.length > 0)
    return Object.fromEntries(properties.map(([name, inner]) => [name, exampleOf(reader, inner, depth + 1)]));
  if (alternatives) return exampleOf(reader, alternatives[0], depth + 1);
  const other = otherPropertiesOf(reader, schema);
  if (other !== undefined) return { key: exampleOf(reader, other, depth + 1) };
  const type = typesOf(schema).find((one) => one !== 'null');
  if (type === 'array' || schema.items !== undefined) return [exampleOf(reader, schema.items, depth + 1)];
  if (typeof schema.format === 'string' && Object.hasOwn(BY_FORMAT, schema.format))
    return BY_FORMAT[schema.format];
  return type !== undefined && Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : {};
}
