import type { Constraint, SchemaFacts } from '../specs/constraints.ts';
import { truncate } from '../text.ts';
import type { ApiTexts } from './layout.ts';
import type { Cell, Inline, Node } from './nodes.ts';
import { breakable, cleanLine } from './text.ts';

/** Maximum word lengths in the columns of a table: names, types, and the rest. */
export const MAX_WORD = { name: 22, type: 14, text: 30 };

export const paragraph = (...c: Inline[]): Node => ({ t: 'p', c });
export const label = (...c: Inline[]): Node => ({ t: 'p', c, keep: true });
export const bold = (s: string): Inline => ({ t: 'run', s: breakable(s), m: 'b' });
export const italic = (s: string): Inline => ({ t: 'run', s, m: 'i' });
export const code = (s: string, maxWord = MAX_WORD.text): Inline => ({
  t: 'run',
  s: breakable(cleanLine(truncate(s, 500)), maxWord) || ' ',
  m: 'c',
});
export const codes = (values: readonly string[]): Inline[] =>
  values.flatMap((value, index) => (index === 0 ? [code(value)] : [', ', code(value)]));
export const cell = (c: Node[]): Cell => ({ c });

export const table = (rows: Cell[][]): Node => ({
  t: 'table',
  columns: [
    { width: 30, align: 'start' },
    { width: 18, align: 'start' },
    { width: 52, align: 'start' },
  ],
  head: null,
  rows,
  size: 8.5,
});

/** What a schema says about its values: a paragraph each for its constraints, its default, and its allowed values. */
export function factParagraphs(
  texts: ApiTexts,
  { constraints, defaultValue, allowedValues, omittedValues, items }: SchemaFacts,
): Node[] {
  const nodes: Node[] = [];
  if (constraints.length > 0)
    nodes.push(paragraph(...constraints.flatMap((one, index) => constraintInlines(texts, one, index > 0))));
  if (defaultValue !== undefined) nodes.push(paragraph(`${texts.defaultValue}: `, code(defaultValue)));
  if (allowedValues.length > 0) {
    const omitted = omittedValues > 0 ? [` … (+${omittedValues})`] : [];
    nodes.push(paragraph(`${texts.allowedValues}: `, ...codes(allowedValues), ...omitted));
  }
  return items ? [...nodes, paragraph(italic(texts.eachItem)), ...factParagraphs(texts, items)] : nodes;
}

const constraintInlines = (texts: ApiTexts, { name, values }: Constraint, isNext: boolean): Inline[] => [
  `${isNext ? '; ' : ''}${texts.constraints[name]}${values.length > 0 ? ': ' : ''}`,
  ...codes(values),
];
