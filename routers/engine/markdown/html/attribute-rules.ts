import type { Data } from '../../document/document.ts';
import { asRef, type Href, type RefKind, type RefOf } from '../../document/refs.ts';
import { attributesToHtml, type HtmlElement, hasOnly } from './html.ts';

/** How an attribute of an element corresponds to a field of the node that the element stands for. */
export interface AttributeRule {
  name: string;
  /** `action.query` is a field within a field. Undefined if the attribute is the same for all nodes. */
  field?: string;
  /** Whether an element without the attribute stands for something else. */
  isRequired?: boolean;
  /** The value of the field; undefined if the element stands for something else, null if the field is absent. */
  read(text: string, refOf: RefOf): unknown;
  /** The attribute; true for its name alone, undefined for none. */
  write(value: unknown, hrefOf: Href): string | number | boolean | undefined;
}

type Options = Pick<AttributeRule, 'isRequired'>;

const asString = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** An attribute that says which element this is. */
export const exactly = (name: string, text: string): AttributeRule => ({
  name,
  isRequired: true,
  read: (given) => (given === text ? null : undefined),
  write: () => (text === '' ? true : text),
});

/** An attribute of which only the presence is written, and nothing read. */
export const marker = (name: string): AttributeRule => ({ name, read: () => null, write: () => true });

export const textual = (name: string, field: string, options: Options = {}): AttributeRule => ({
  ...options,
  name,
  field,
  read: (text) => text,
  write: asString,
});

/** A text that says nothing if it is empty. */
export const optional = (name: string, field: string): AttributeRule => ({
  ...textual(name, field),
  read: (text) => text || null,
});

/** What a pattern captures. */
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

/** The address of what a field refers to. */
export const reference = (name: string, field: string, kind: RefKind): AttributeRule => ({
  name,
  field,
  isRequired: true,
  read: (href, refOf) => refOf(href, kind),
  write: (value, hrefOf) => {
    const ref = asRef(value);
    return ref ? hrefOf(ref) : '';
  },
});

/** The fields that the attributes of an element give; undefined if it has others, or not all that it needs. */
export function readAttributes(
  element: HtmlElement,
  rules: readonly AttributeRule[],
  refOf: RefOf,
): Data | undefined {
  const names = rules.map(({ name }) => name);
  if (!hasOnly(element, names)) return undefined;
  const data: Data = {};
  for (const { name, field, isRequired, read } of rules) {
    const text = element.attributes.get(name);
    if (text === undefined) {
      if (isRequired) return undefined;
      continue;
    }
    const value = read(text, refOf);
    if (value === undefined) return undefined;
    if (field !== undefined && value !== null) setField(data, field, value);
  }
  return data;
}

/** The attributes of the element for a node, each behind a blank. */
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
