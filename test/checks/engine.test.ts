import { ESLint } from 'eslint';
import { expect, test } from 'vitest';

const root = `${import.meta.dirname}/../..`;
const eslint = new ESLint({ cwd: root, overrideConfigFile: `${root}/.eslint.config.mjs` });

async function lintErrors(source: string, file: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(source, { filePath: `${root}/${file}` });
  return result?.messages.map(({ ruleId }) => ruleId) ?? [];
}

const IMPURE = [
  ['the clock', 'export const planted = Date.now();', 'no-restricted-properties'],
  ['the time of day', 'export const planted = new Date();', 'no-restricted-syntax'],
  ['the time as text', 'export const planted = Date();', 'no-restricted-syntax'],
  ['a stopwatch', 'export const planted = performance.now();', 'no-restricted-globals'],
  ['a timer', 'setTimeout(() => {}, 1);', 'no-restricted-globals'],
  ['chance', 'export const planted = Math.random();', 'no-restricted-properties'],
  ['random bytes', "import { randomBytes } from 'node:crypto';", 'no-restricted-imports'],
  ['the environment', 'export const planted = process.env.HOME;', 'no-restricted-globals'],
] as const;

test.each(IMPURE)('the engine may not read %s', async (_name, source, rule) => {
  expect(await lintErrors(source, 'routers/engine/planted.ts')).toContain(rule);
});

test.each(IMPURE)('code outside the engine may read %s', async (_name, source) => {
  expect(await lintErrors(source, 'routers/planted.ts')).toEqual([]);
});

test('the engine may parse a time that it is given', async () => {
  const source = 'export const planted = (time: string) => new Date(time).getTime();';
  expect(await lintErrors(source, 'routers/engine/planted.ts')).toEqual([]);
});
