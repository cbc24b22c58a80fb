import { valueAt } from '../../../routers/engine/specs/pointers.ts';
import { Html, html } from '../../http/html.ts';
import type { Texts } from '../languages/texts.ts';
import type { Spec } from '../specs.ts';

export type Fields = Record<string, unknown>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** How deep schemas are drawn and examples made, and how many parts of one block in all. */
const MAX_DEPTH = 6;
const MAX_PARTS = 800;

/** How far references may lead to other references. */
const MAX_HOPS = 20;

/** Longest text that is shown of a value in a schema. */
const MAX_VALUE = 200;

/** What is drawn of one specification: what is left of the parts that it may have. */
export class SpecReader {
  readonly #spec: Spec;
  #left = MAX_PARTS;

  constructor(spec: Spec) {
    this.#spec = spec;
  }

  get spec(): Spec {
    return this.#spec;
  }

  /** Follows references within the document. */
  resolve(value: unknown): Fields {
    let found = fieldsOf(value);
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      const ref = found.$ref;
      if (typeof ref !== 'string' || !ref.startsWith('#')) return found;
      found = fieldsOf(valueAt(this.#spec, ref.slice(1)));
    }
    return {};
  }

  /** The name of the schema that a reference leads to. */
  nameOf(value: unknown): string | undefined {
    const ref = fieldsOf(value).$ref;
    return typeof ref === 'string' ? decodeName(ref.split('/').at(-1) ?? '') : undefined;
  }

  /** Counts one more part; false if there are too many. */
  take(): boolean {
    this.#left -= 1;
    return this.#left >= 0;
  }
}

const decodeName = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~');

/** Descriptions were made into HTML when the specification was stored, without any HTML of its author. */
export function described(value: Fields): Html | undefined {
  const made = value['x-gitbook-description-html'];
  if (typeof made === 'string') return new Html(`<div class="said">${made}</div>`);
  return typeof value.description === 'string' && value.description !== ''
    ? html`<div class="said"><p>${value.description}</p></div>`
    : undefined;
}

const short = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
};

/** The type of a schema in a few words. */
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

/** One named value with its type, what is said of it, and what it consists of. */
export function property(
  reader: SpecReader,
  texts: Texts,
  { name, schema: given, isRequired, said, isDeprecated, depth }: Property,
): Html {
  if (!reader.take()) return html``;
  const schema = reader.resolve(given);
  const values = Array.isArray(schema.enum) ? schema.enum.slice(0, 50) : [];
  return html`<li class="property"><div class="property-head"><code class="property-name">${name}</code> <span class="type">${typeText(reader, given)}</span>${
    isRequired && html` <span class="required">${texts.required}</span>`
  }${(isDeprecated || schema.deprecated === true) && html` <span class="deprecated">${texts.deprecated}</span>`}</div>${
    said ?? described(schema)
  }${schema.default !== undefined && html`<p class="fact">${texts.defaultValue}: <code>${short(schema.default)}</code></p>`}${
    values.length > 0 &&
    html`<p class="fact">${texts.allowedValues}: ${values.map((value) => html`<code>${short(value)}</code> `)}</p>`
  }${nested(reader, texts, given, depth + 1)}</li>`;
}

interface Property {
  name: string;
  schema: unknown;
  isRequired: boolean;
  said?: Html | undefined;
  isDeprecated?: boolean;
  depth: number;
}

/** What an object or list consists of, folded. */
function nested(reader: SpecReader, texts: Texts, given: unknown, depth: number): Html | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const inner = parts(reader, texts, given, depth);
  if (!inner) return undefined;
  const name = typeText(reader, given) || 'object';
  return html`<details class="nested"><summary>${name}</summary>${inner}</details>`;
}

/** The properties of a schema, or its alternatives; undefined for one that has none. */
export function parts(reader: SpecReader, texts: Texts, given: unknown, depth = 0): Html | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const schema = reader.resolve(given);
  if (schema.items !== undefined) return parts(reader, texts, schema.items, depth + 1);
  const properties = propertiesOf(reader, schema);
  const required = new Set(requiredOf(reader, schema));
  const drawn = Object.entries(properties).map(([name, inner]) =>
    property(reader, texts, { name, schema: inner, isRequired: required.has(name), depth }),
  );
  const alternatives = [schema.oneOf, schema.anyOf].find(Array.isArray) as unknown[] | undefined;
  const choices = alternatives?.slice(0, 20).map((one, index) => {
    if (!reader.take()) return html``;
    const inner = parts(reader, texts, one, depth + 1);
    const label = typeText(reader, one) || String(index + 1);
    return inner
      ? html`<li class="property"><details class="nested"><summary>${label}</summary>${described(reader.resolve(one))}${inner}</details></li>`
      : html`<li class="property"><span class="type">${label}</span></li>`;
  });
  if (drawn.length === 0 && !choices) return undefined;
  return html`${drawn.length > 0 && html`<ul class="properties">${drawn}</ul>`}${choices && html`<p class="fact">${texts.oneOf}</p><ul class="properties">${choices}</ul>`}`;
}

/** The properties of a schema and of all that it consists of. */
function propertiesOf(reader: SpecReader, schema: Fields, depth = 0): Fields {
  const own = fieldsOf(schema.properties);
  if (depth > MAX_DEPTH || !Array.isArray(schema.allOf)) return own;
  const all = schema.allOf.slice(0, 20).map((part) => propertiesOf(reader, reader.resolve(part), depth + 1));
  return Object.assign({}, ...all, own);
}

const requiredOf = (reader: SpecReader, schema: Fields): unknown[] => [
  ...(Array.isArray(schema.required) ? schema.required : []),
  ...(Array.isArray(schema.allOf)
    ? schema.allOf.slice(0, 20).flatMap((part) => {
        const { required } = reader.resolve(part);
        return Array.isArray(required) ? required : [];
      })
    : []),
];

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

/** An example of a schema: its own, or one made of its parts. */
export function exampleOf(reader: SpecReader, given: unknown, depth = 0): unknown {
  const schema = reader.resolve(given);
  if (schema.example !== undefined) return schema.example;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  if (depth > MAX_DEPTH || !reader.take()) return null;
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
