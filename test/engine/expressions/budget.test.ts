import { describe, expect, test } from 'vitest';
import { unmetRules } from '../../../routers/change-requests/merge-rules.ts';
import type { Block, Document, Text } from '../../../routers/engine/document/document.ts';
import { createBudget, MAX_STEPS, MAX_TEXT } from '../../../routers/engine/expressions/budget.ts';
import { evaluateDocument } from '../../../routers/engine/expressions/document.ts';
import { evaluate } from '../../../routers/engine/expressions/evaluate.ts';
import { ExpressionError } from '../../../routers/engine/expressions/expression-error.ts';
import { parseExpression } from '../../../routers/engine/expressions/parse.ts';

const LONG = 'ab'.repeat(45_000);
const INPUTS = {
  page: { vars: { long: LONG, part: `${LONG.slice(0, 40_000)}x` } },
  reviews: Array.from({ length: 1000 }, () => ({ text: 'x'.repeat(1000) })),
};

/** A paragraph of each expression, and conditions around paragraphs. */
function documentOf(expressions: readonly string[], conditions: readonly string[] = []): Document {
  const paragraph = (nodes: Block['nodes']): Block => ({ object: 'block', type: 'paragraph', nodes });
  const text: Text = { object: 'text', leaves: [{ object: 'leaf', text: 'Inside', marks: [] }] };
  return {
    object: 'document',
    data: { schemaVersion: 1 },
    nodes: [
      ...expressions.map((expression) =>
        paragraph([{ object: 'inline', type: 'expression', data: { expression } }]),
      ),
      ...conditions.map(
        (expression): Block => ({
          object: 'block',
          type: 'if',
          data: { expression },
          nodes: [paragraph([text])],
        }),
      ),
    ],
  };
}
const shown = (expressions: readonly string[], conditions?: readonly string[]) =>
  evaluateDocument(documentOf(expressions, conditions), INPUTS, 'all').nodes.map(
    ({ nodes }) => (nodes?.[0] as Text | undefined)?.leaves[0]?.text ?? '',
  );
const numbered = (count: number, expression: string) =>
  Array.from({ length: count }, (_, index) => expression.replaceAll('#', String(index)));

test('the expressions of one document produce no more text in total than their budget, and nothing beyond it', () => {
  const texts = shown(numbered(40, 'page.vars.long + #'));
  expect(texts[0]).toBe(`${LONG}0`);
  expect(texts.at(-1)).toBe('');
  expect(texts.join('').length).toBeLessThanOrEqual(MAX_TEXT);
});

test('the expressions of one document produce the same value only as often as their budget allows', () => {
  const texts = shown(Array.from({ length: 1000 }, () => 'page.vars.long'));
  expect(texts[0]).toBe(LONG);
  expect(texts.join('').length).toBeLessThanOrEqual(MAX_TEXT);
});

test('the content of conditions beyond the budget of a document is hidden', () => {
  const spent = numbered(40, 'page.vars.long + #');
  expect(shown([], ['!page.vars.none'])).toEqual(['Inside']);
  expect(shown(spent, ['!page.vars.none + ""', '!(page.vars.long + "x" === "")'])).not.toContain('Inside');
});

describe('a budget limits', () => {
  test.for([
    ['searching in long texts', 'page.vars.long.includes(page.vars.part)'],
    ['comparing long texts', Array(20).fill('page.vars.long.toLowerCase() === page.vars.long').join(' && ')],
    ['writing lists', `[${Array(80).fill('reviews').join()}] + ""`],
    ['joining lists', `[${Array(80).fill('reviews').join()}].join(",")`],
  ] as const)('%s', ([, source]) => {
    expect(() => evaluate(parseExpression(source), INPUTS)).toThrow(ExpressionError);
  });

  test('a budget limits the parsing of expressions', () => {
    const budget = createBudget();
    const read = () => {
      for (let count = 0; count <= MAX_STEPS / 1000; count++)
        parseExpression(`"${'x'.repeat(1000)}"`, budget);
    };
    expect(read).toThrow(ExpressionError);
  });

  test('a budget limits the expressions of merge rules, which are unmet beyond it', () => {
    const facts = {
      reviews: [],
      requestedReviewers: [],
      levels: new Map(),
      names: new Map(),
      admins: [],
      subject: '',
      description: '',
      outdated: false,
      inputs: INPUTS,
    };
    const unmet = unmetRules(
      numbered(50, 'page.vars.long + # !== ""').map((expression) => ({ rule: 'custom', expression })),
      facts,
    );
    expect(unmet.length).toBeGreaterThan(0);
    expect(unmet.length).toBeLessThan(50);
    expect(unmet.at(-1)?.message).toMatch(/cannot be evaluated/);
  });
});

test('many adjacent texts are joined with their marks in linear time', () => {
  const nodes = Array.from({ length: 5000 }, (_, index) => ({
    object: 'inline' as const,
    type: 'expression',
    data: {
      expression: '"a"',
      marks: index % 2 ? [{ object: 'mark' as const, type: 'bold' as const }] : [],
    },
  }));
  const document = { ...documentOf([]), nodes: [{ object: 'block' as const, type: 'paragraph', nodes }] };
  const [block] = evaluateDocument(document, {}, 'all').nodes;
  expect(block?.nodes).toMatchObject([{ object: 'text', leaves: { length: 5000 } }]);
});
