import { describe, expect, test } from 'vitest';
import { mathOf } from '../../../routers/engine/pdf/math.ts';

describe('a formula', () => {
  test('the columns of numbered equations are those of the formula, without room for their numbers', () => {
    const columns = (name: string) => {
      const tree = mathOf(`\\begin{${name}}x&=1\\\\y&=2\\end{${name}}`, { isBlock: true });
      return tree?.k === 'table' ? tree.rows.map((row) => row.length) : undefined;
    };
    expect([columns('align'), columns('aligned'), columns('split')]).toEqual([
      [2, 2],
      [2, 2],
      [2, 2],
    ]);
  });

  test.for([
    '\\frac{a}{b}',
    '\\sum_{i=1}^n i^2',
    '\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}',
    '\\text{if } x',
    'x^2_i',
    '\\hat a',
    '\\overbrace{x}^y',
    'a \\quad b',
  ])('a formula is converted: %s', (formula) => {
    expect(mathOf(formula, { isBlock: true })).toBeDefined();
  });

  test.for([
    '\\frac{a',
    '\\unknown',
    '{'.repeat(5000),
    `${'\\sqrt{'.repeat(40)}x${'}'.repeat(40)}`,
    '\\def\\a{\\a\\a}\\a',
    '\\def\\a{xxxxxxxxxx}\\def\\b{\\a\\a\\a\\a\\a\\a\\a\\a\\a\\a}\\def\\c{\\b\\b\\b\\b\\b\\b\\b\\b\\b\\b}\\c\\c\\c\\c\\c\\c\\c\\c\\c\\c',
    'x'.repeat(10_001),
    '\\href{javascript:alert(1)}{x}',
  ])('a formula that is invalid or too large is not converted', (formula) => {
    const tree = mathOf(formula, { isBlock: true });
    if (tree) expect(JSON.stringify(tree)).not.toContain('javascript');
    else expect(tree).toBeUndefined();
  });
});
