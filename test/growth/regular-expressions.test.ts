import { ESLint } from 'eslint';
import { expect, test } from 'vitest';

const root = `${import.meta.dirname}/../..`;
const eslint = new ESLint({ cwd: root, overrideConfigFile: `${root}/.eslint.config.mjs` });

async function lintErrors(source: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(source, { filePath: `${root}/routers/planted.ts` });
  return result?.messages.map(({ ruleId }) => ruleId) ?? [];
}

const BACKTRACKING = 'regexp/no-super-linear-backtracking';
const MOVE = 'regexp/no-super-linear-move';

test.each([
  ['nested quantifiers', '/^(?:a+)+$/', BACKTRACKING],
  ['adjacent quantifiers over the same characters', String.raw`/^(.*?)[ \t]+\{#x\}$/s`, BACKTRACKING],
  ['two ways to read a character in a loop', String.raw`/^(?:\w|a)*$/`, 'regexp/no-dupe-disjunctions'],
  ['a space that two parts can match', '/^ .*[^ ].* $/', BACKTRACKING],
  ['a run that can be matched from each of its characters', '/ +$/', MOVE],
  ['a run before a line end', String.raw`/\s*\n\s*/g`, MOVE],
  ['an expression assembled from constants', "new RegExp('^(?:a+)' + '+$')", BACKTRACKING],
  ['an expression from an unknown string', '(name: string) => new RegExp(name)', 'no-restricted-syntax'],
])('the check of regular expressions rejects %s', async (_name, expression, rule) => {
  expect(await lintErrors(`export const planted = ${expression};\n`)).toContain(rule);
});

test.each([
  ['a run that can be matched only from its beginning', '/(?<! ) +$/'],
  ['quantifiers over different characters', String.raw`/^#+[ \t]+\w+$/`],
])('the check of regular expressions accepts %s', async (_name, expression) => {
  expect(await lintErrors(`export const planted = ${expression};\n`)).toEqual([]);
});
