import { ESLint } from 'eslint';
import { expect, test } from 'vitest';

const root = `${import.meta.dirname}/../..`;
const eslint = new ESLint({ cwd: root, overrideConfigFile: `${root}/.eslint.config.mjs` });

async function refusals(source: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(source, { filePath: `${root}/routers/planted.ts` });
  return result?.messages.map(({ ruleId }) => ruleId) ?? [];
}

const BACKTRACKING = 'regexp/no-super-linear-backtracking';
const MOVE = 'regexp/no-super-linear-move';

test.each([
  ['nested quantifiers', '/^(?:a+)+$/', BACKTRACKING],
  ['adjacent quantifiers over the same characters', String.raw`/^(.*?)[ \t]+\{#x\}$/s`, BACKTRACKING],
  ['two ways to read a character in a loop', String.raw`/^(?:\w|a)*$/`, 'regexp/no-dupe-disjunctions'],
  ['a blank that two parts can take', '/^ .*[^ ].* $/', BACKTRACKING],
  ['a run that is tried from each of its characters', '/ +$/', MOVE],
  ['a run before a line end', String.raw`/\s*\n\s*/g`, MOVE],
  ['an expression put together from constants', "new RegExp('^(?:a+)' + '+$')", BACKTRACKING],
  ['an expression made of what is not known', '(name: string) => new RegExp(name)', 'no-restricted-syntax'],
])('the check of regular expressions refuses %s', async (_name, expression, rule) => {
  expect(await refusals(`export const planted = ${expression};\n`)).toContain(rule);
});

test.each([
  ['a run that is tried from its beginning alone', '/(?<! ) +$/'],
  ['quantifiers over different characters', String.raw`/^#+[ \t]+\w+$/`],
])('the check of regular expressions accepts %s', async (_name, expression) => {
  expect(await refusals(`export const planted = ${expression};\n`)).toEqual([]);
});
