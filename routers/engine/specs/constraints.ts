/** Reads what a schema says about its values besides their type. Documents may be malformed in any way. */

import type { Fields } from '../values.ts';
import { partsOf, type SpecReader, valueText } from './spec-reader.ts';

/** Maximum number of allowed values that are listed. */
const MAX_VALUES = 50;

/** Nesting of lists within each other whose items are described. */
const MAX_LISTS = 2;

export type ConstraintName =
  | 'constant'
  | 'range'
  | 'multipleOf'
  | 'length'
  | 'pattern'
  | 'items'
  | 'uniqueItems'
  | 'properties';

/** A constraint with its values as text; `uniqueItems` has none. */
export interface Constraint {
  name: ConstraintName;
  values: readonly string[];
}

export interface SchemaFacts {
  constraints: readonly Constraint[];
  /** The default value as text. */
  defaultValue: string | undefined;
  allowedValues: readonly string[];
  /** How many more allowed values there are than are listed. */
  omittedValues: number;
  /** The facts of each item, if it is a list. */
  items: SchemaFacts | undefined;
}

/**
 * Reads the constraints of a schema and of those that it combines with `allOf`, its default and its allowed values;
 * undefined if it has none. Counts what is shown.
 */
export function factsOf(reader: SpecReader, given: unknown, depth = 0): SchemaFacts | undefined {
  const schema = reader.resolve(given);
  const parts = partsOf(reader, schema);
  const shown = (values: readonly string[]) => values.filter((text) => reader.spendText(text));
  const constraints = constraintsOf(parts).flatMap(({ name, values }): Constraint[] => {
    const listed = shown(values);
    return values.length > 0 && listed.length === 0 ? [] : [{ name, values: listed }];
  });
  const [defaultValue] = shown(valuesOf(parts, 'default', isGiven).slice(0, 1).map(textOf));
  const [all = []] = valuesOf(parts, 'enum', Array.isArray) as unknown[][];
  const allowedValues = shown(all.slice(0, MAX_VALUES).map(textOf));
  const items =
    schema.items !== undefined && depth < MAX_LISTS ? factsOf(reader, schema.items, depth + 1) : undefined;
  if (constraints.length === 0 && defaultValue === undefined && allowedValues.length === 0 && !items)
    return undefined;
  return {
    constraints,
    defaultValue,
    allowedValues,
    omittedValues: all.length - allowedValues.length,
    items,
  };
}

const isGiven = (value: unknown): value is unknown => value !== undefined;
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isString = (value: unknown): value is string => typeof value === 'string';

/** The different values of a keyword in the parts of a schema. */
const valuesOf = <Value>(
  parts: readonly Fields[],
  keyword: string,
  isValid: (value: unknown) => value is Value,
): Value[] => [...new Set(parts.map((part) => part[keyword]).filter(isValid))];

/** A value as text that can be seen also if it is an empty string. */
const textOf = (value: unknown): string => (value === '' ? '""' : valueText(value));

function constraintsOf(parts: readonly Fields[]): Constraint[] {
  const counted = (of: string): string[] => {
    const lower = valuesOf(parts, `min${of}`, isNumber).reduce((most, one) => Math.max(most, one), 0);
    const upper = valuesOf(parts, `max${of}`, isNumber).reduce(
      (least, one) => Math.min(least, one),
      Number.POSITIVE_INFINITY,
    );
    return intervalText(
      lower > 0 ? { value: lower, isExclusive: false } : undefined,
      upper < Number.POSITIVE_INFINITY ? { value: upper, isExclusive: false } : undefined,
    );
  };
  const found: Constraint[] = [
    { name: 'constant', values: valuesOf(parts, 'const', isGiven).map(textOf) },
    { name: 'range', values: intervalText(boundOf(parts, 'minimum'), boundOf(parts, 'maximum')) },
    { name: 'multipleOf', values: valuesOf(parts, 'multipleOf', isNumber).map(String) },
    { name: 'length', values: counted('Length') },
    { name: 'pattern', values: valuesOf(parts, 'pattern', isString).map(textOf) },
    { name: 'items', values: counted('Items') },
    { name: 'properties', values: counted('Properties') },
  ];
  const constraints = found.filter(({ values }) => values.length > 0);
  const isUnique = parts.some(({ uniqueItems }) => uniqueItems === true);
  return isUnique ? [...constraints, { name: 'uniqueItems', values: [] }] : constraints;
}

interface Bound {
  value: number;
  isExclusive: boolean;
}

const EXCLUSIVE = { minimum: 'exclusiveMinimum', maximum: 'exclusiveMaximum' } as const;

/**
 * The narrowest bound of the parts of a schema. `exclusiveMinimum` is a bound of its own since OpenAPI 3.1; before, it says
 * whether `minimum` is exclusive.
 */
function boundOf(parts: readonly Fields[], keyword: 'minimum' | 'maximum'): Bound | undefined {
  const bounds = parts.flatMap((part): Bound[] => {
    const [value, exclusive] = [part[keyword], part[EXCLUSIVE[keyword]]];
    return [
      ...(isNumber(value) ? [{ value, isExclusive: exclusive === true }] : []),
      ...(isNumber(exclusive) ? [{ value: exclusive, isExclusive: true }] : []),
    ];
  });
  const sign = keyword === 'minimum' ? 1 : -1;
  return bounds.toSorted(
    (one, other) => sign * (other.value - one.value) || Number(other.isExclusive) - Number(one.isExclusive),
  )[0];
}

/** Formats an interval, without words: `1–5`, `≥ 1`, `> 0, ≤ 5`. */
function intervalText(lower: Bound | undefined, upper: Bound | undefined): string[] {
  if (lower && upper && !lower.isExclusive && !upper.isExclusive) {
    if (lower.value === upper.value) return [String(lower.value)];
    // Before a negative number, a dash reads as a minus.
    if (lower.value >= 0 && upper.value >= 0) return [`${lower.value}–${upper.value}`];
  }
  const texts = [
    ...(lower ? [`${lower.isExclusive ? '>' : '≥'} ${lower.value}`] : []),
    ...(upper ? [`${upper.isExclusive ? '<' : '≤'} ${upper.value}`] : []),
  ];
  return texts.length > 0 ? [texts.join(', ')] : [];
}
