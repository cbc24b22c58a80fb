/**
 * Regular expressions meet texts that callers chose, so each must take time in proportion to the text. The engine
 * computes the same from the same: it reads no clock, no randomness and nothing of the process. Biome checks all else.
 * An exception stands in a comment beside the code, with its reason. Checked by `npm run check`.
 */
import parser from '@typescript-eslint/parser';
import regexp from 'eslint-plugin-regexp';

const FROM_OUTSIDE = 'The engine takes times, ids and settings as arguments.';

/** Expressions put together while the program runs are not checked. */
const dynamicRegExp = {
  selector: ':function :matches(NewExpression, CallExpression)[callee.name="RegExp"]',
  message: 'Only a literal, or a constant of a module made of constants, is checked to be linear.',
};

const trpcInternals = {
  selector: ':matches(MemberExpression[property.name="_def"], Property[key.name="_def"])',
  message: 'What tRPC does not promise is read in server/trpc/trpc-internals.ts alone: add it there.',
};

const ormStatements = {
  selector:
    ':matches(MemberExpression[object.name="em"], MemberExpression[object.property.name="em"])[property.name=/^(native\\w+|count|findAll|findAndCount|findByCursor|stream|qb|createQueryBuilder|execute|insert|insertMany|upsert\\w*)$/]',
  message:
    'MikroORM inserts, and loads what is changed; Kysely runs every other statement: use kyselyOf(em), deleteRows or countRows.',
};

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
      'no-restricted-syntax': ['error', dynamicRegExp],
    },
  },
  {
    files: ['server/**/*.ts', 'routers/**/*.ts'],
    ignores: ['server/trpc/trpc-internals.ts'],
    rules: { 'no-restricted-syntax': ['error', dynamicRegExp, trpcInternals, ormStatements] },
  },
  {
    files: ['routers/engine/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['process', 'performance', 'crypto', 'fetch', 'setTimeout', 'setInterval'].map((name) => ({
          name,
          message: FROM_OUTSIDE,
        })),
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: FROM_OUTSIDE },
        { object: 'Math', property: 'random', message: FROM_OUTSIDE },
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: ['node:crypto', 'crypto'].map((name) => ({
            name,
            importNames: [
              'randomBytes',
              'randomInt',
              'randomUUID',
              'randomFillSync',
              'getRandomValues',
              'webcrypto',
            ],
            message: FROM_OUTSIDE,
          })),
        },
      ],
      'no-restricted-syntax': [
        'error',
        dynamicRegExp,
        {
          selector: ':matches(NewExpression[arguments.length=0], CallExpression)[callee.name="Date"]',
          message: FROM_OUTSIDE,
        },
      ],
    },
  },
];
