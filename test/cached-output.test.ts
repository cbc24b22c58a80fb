import { expect, test } from 'vitest';
import { cacheOutput, oncePerCachedOutput } from '../routers/response/cached-output.ts';

test('work is done once for an output that is kept, and each time for any other', () => {
  const worked: unknown[] = [];
  const copy = oncePerCachedOutput((output) => {
    worked.push(output);
    return structuredClone(output);
  });
  const kept = cacheOutput({ id: 'kept' });
  const other = { id: 'other' };
  expect([copy(kept), copy(kept)]).toEqual([kept, kept]);
  for (const output of [other, other, 'text', 'text', null, null]) expect(copy(output)).toEqual(output);
  expect(worked).toEqual([kept, other, other, 'text', 'text', null, null]);
});

test('what is made of a kept output is kept as well', () => {
  let texts = 0;
  const copy = oncePerCachedOutput((output) => ({ ...(output as object) }));
  const write = oncePerCachedOutput((output) => `${++texts} ${JSON.stringify(output)}`);
  const kept = cacheOutput({ a: 1 });
  expect([write(copy(kept)), write(copy(kept))]).toEqual(['1 {"a":1}', '1 {"a":1}']);
  expect([write(copy({ a: 1 })), write(copy({ a: 1 }))]).toEqual(['2 {"a":1}', '3 {"a":1}']);
});

test('a failure is not kept', () => {
  let calls = 0;
  const failOnce = oncePerCachedOutput(() => {
    if (++calls === 1) throw new Error('wrong');
    return 'right';
  });
  const kept = cacheOutput({});
  expect(() => failOnce(kept)).toThrow('wrong');
  expect(failOnce(kept)).toBe('right');
});
