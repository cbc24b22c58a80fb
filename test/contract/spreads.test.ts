import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** A call that takes each item of a list as an argument: a long list overflows the stack. */
const SPREAD_CALL =
  /(?:\.(?:push|unshift|concat)|Math\.(?:max|min)|fromCharCode|fromCodePoint)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*?\.\.\.[^)]*\)|\.apply\(/g;

/** Where the length is bounded, with what bounds it. */
const BOUNDED = new Map([
  // An emoji has at most 50 characters.
  ['routers/emoji.ts', 1],
  // The parameters of the method itself.
  ['routers/content/document/markdown/plain-tokens.ts', 2],
]);

const root = `${import.meta.dirname}/../..`;
const callsIn = (path: string) =>
  [...readFileSync(`${root}/${path}`, 'utf8').matchAll(SPREAD_CALL)]
    .map(([call]) => call)
    // A list built in place is one argument.
    .filter((call) => !/^[^(]*\(\s*[[{]/.test(call));

test('no call takes each item of a list whose length a caller decides as an argument', () => {
  const paths = globSync(['server/**/*.ts', 'routers/**/*.ts'], { cwd: root });
  expect(paths.length).toBeGreaterThan(100);
  const found = paths.flatMap((path) =>
    callsIn(path)
      .slice(BOUNDED.get(path) ?? 0)
      .map((call) => `${path}: ${call}`),
  );
  expect(found).toEqual([]);
});
