/**
 * Regular expressions meet texts that callers chose, so each must take time in proportion to the text. Biome checks all
 * else. An exception stands in a comment beside the expression, with its reason. Checked by `npm run check`.
 */
import parser from '@typescript-eslint/parser';
import regexp from 'eslint-plugin-regexp';

export default [
  {
    files: ['**/*.ts'],
    languageOptions: { parser },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-dupe-disjunctions': [
        'error',
        { report: 'trivial', reportExponentialBacktracking: 'potential' },
      ],
      // A search tries every position, so even /a+$/ takes the square of a run of "a".
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
      'no-restricted-syntax': [
        'error',
        {
          selector: ':function :matches(NewExpression, CallExpression)[callee.name="RegExp"]',
          message: 'Only a literal, or a constant of a module made of constants, is checked to be linear.',
        },
      ],
    },
  },
];
