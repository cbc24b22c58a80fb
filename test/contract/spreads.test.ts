import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** A call with each item of a list as an argument, which overflows the stack if the list is long. */
const SPREAD_CALL =
  /(?:\.(?:push|unshift|concat)|Math\.(?:max|min)|fromCharCode|fromCodePoint)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*?\.\.\.[^)]*\)|\.apply\(/g;

const root = `${import.meta.dirname}/../..`;
const callsIn = (path: string) =>
  [...readFileSync(`${root}/${path}`, 'utf8').matchAll(SPREAD_CALL)]
    .map(([call]) => call)
    // A list built in place is one argument.
    .filter((call) => !/^[^(]*\(\s*[[{]/.test(call));

test('no call spreads a list whose length a caller determines into arguments', () => {
  const paths = globSync(['server/**/*.ts', 'routers/**/*.ts'], { cwd: root });
  expect(paths.length).toBeGreaterThan(100);
  const found = paths.flatMap((path) => callsIn(path).map((call) => `${path}: ${call}`));
  expect(found).toEqual([]);
});
