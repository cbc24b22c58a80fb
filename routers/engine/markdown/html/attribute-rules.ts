import type { Data, Format } from '../../document/document.ts';
import { asRef, type Href, type RefKind, type RefOf } from '../../document/refs.ts';
import { attributesToHtml, type HtmlElement, hasOnly } from './html.ts';

/** How an attribute of an HTML element maps to a field of the node that the element represents. */
export interface AttributeRule {
  name: string;
  /** A dot leads to a nested field: `action.query`. Undefined for an attribute that is the same on all nodes. */
  field?: string;
  /** Whether an element without the attribute does not match. */
  isRequired?: boolean;
  /** Whether the attribute is a URL, which is resolved to a reference. */
  isUrl?: boolean;
  /** Whether the field is a formatting hint, not data. */
  isHint?: boolean;
  /** The value of the field; null leaves the field out, undefined means that the element does not match. */
  read(text: string, refOf: RefOf): unknown;
  /** The attribute's value; true writes the bare name, undefined or false nothing. */
  write(value: unknown, hrefOf: Href): string | number | boolean | undefined;
}

type Options = Pick<AttributeRule, 'isRequired' | 'isHint'>;

const asString = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A required attribute with a fixed value. */
export const exactly = (name: string, text: string): AttributeRule => ({
  name,
  isRequired: true,
  read: (given) => (given === text ? null : undefined),
  write: () => (text === '' ? true : text),
});

/** An attribute that is always written, by its bare name, and ignored when read. */
export const marker = (name: string): AttributeRule => ({ name, read: () => null, write: () => true });

export const textual = (name: string, field: string, options: Options = {}): AttributeRule => ({
  ...options,
  name,
  field,
  read: (text) => text,
  write: asString,
});

/** A string that counts as absent when it is empty. */
export const optional = (name: string, field: string): AttributeRule => ({
  ...textual(name, field),
  read: (text) => text || null,
});

/** One of a list of values. */
export const oneOf = (
  name: string,
  field: string,
  values: readonly string[],
  options: Options = {},
): AttributeRule => ({
  ...textual(name, field, options),
  read: (text) => (values.includes(text) ? text : undefined),
});

/** `true` or `false`. */
export const flag = (name: string, field: string): AttributeRule => ({
  name,
  field,
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  write: (value) => (typeof value === 'boolean' ? String(value) : undefined),
});

/** The first capture group of a pattern. */
export const matching = (
  name: string,
  field: string,
  pattern: RegExp,
  write: (value: string | undefined) => string | undefined,
  options: Options = {},
): AttributeRule => ({
  ...options,
  name,
  field,
  read: (text) => pattern.exec(text)?.[1],
  write: (value) => write(asString(value)),
});

/** The URL of a reference. */
export const reference = (name: string, field: string, kind: RefKind): AttributeRule => ({
  name,
  field,
  isRequired: true,
  isUrl: true,
  read: (href, refOf) => refOf(href, kind),
  write: (value, hrefOf) => {
    const ref = asRef(value);
    return ref ? hrefOf(ref) : '';
  },
});

/** The fields read from an element's attributes; undefined if one is unknown, invalid or missing. */
export function readAttributes(
  element: HtmlElement,
  rules: readonly AttributeRule[],
  refOf: RefOf,
): Data | undefined {
  const names = rules.map(({ name }) => name);
  if (!hasOnly(element, names)) return undefined;
  if (rules.some(({ name, isRequired }) => isRequired && !element.attributes.has(name))) return undefined;
  const data: Data = {};
  // URLs last: those of an element that does not match are not resolved.
  for (const isUrl of [false, true]) {
    for (const rule of rules) {
      const text = element.attributes.get(rule.name);
      if (text === undefined || (rule.isUrl === true) !== isUrl) continue;
      const value = rule.read(text, refOf);
      if (value === undefined) return undefined;
      if (rule.field !== undefined && value !== null) setField(data, rule.field, value);
    }
  }
  return data;
}

/** Separates the fields that {@link readAttributes} returned into data and formatting hints. */
export function splitHints(fields: Data, rules: readonly AttributeRule[]): { data: Data; format: Format } {
  const data = { ...fields };
  const format: Format = {};
  for (const { field, isHint } of rules) {
    if (!isHint || field === undefined || data[field] === undefined) continue;
    format[field] = data[field];
    delete data[field];
  }
  return { data, format };
}

/** The fields that a node's attributes are written from: its data, and the formatting hints that are attributes. */
export function fieldsOf(
  { data = {}, format = {} }: { data?: Data; format?: Format },
  rules: readonly AttributeRule[],
): Data {
  const hints = rules.flatMap(({ field, isHint }) => (isHint && field !== undefined ? [field] : []));
  return hints.length === 0
    ? data
    : { ...data, ...Object.fromEntries(hints.map((name) => [name, format[name]])) };
}

/** The attributes of a node's element, each preceded by a space. */
export const writeAttributes = (data: Data, rules: readonly AttributeRule[], hrefOf: Href): string =>
  attributesToHtml(
    rules.map(({ name, field, write }) => [
      name,
      write(field === undefined ? undefined : fieldIn(data, field), hrefOf),
    ]),
  );

function setField(data: Data, field: string, value: unknown): void {
  const [outer = '', inner] = field.split('.');
  data[outer] = inner === undefined ? value : { ...(data[outer] as Data), [inner]: value };
}

export function fieldIn(data: Data, field: string): unknown {
  const [outer = '', inner] = field.split('.');
  const value = data[outer];
  if (inner === undefined) return value;
  return typeof value === 'object' && value !== null ? (value as Data)[inner] : undefined;
}
