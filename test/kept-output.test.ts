import { expect, test } from 'vitest';
import { keepOutput, oncePerKeptOutput } from '../routers/kept-output.ts';

test('work is done once for an output that is kept, and each time for any other', () => {
  const worked: unknown[] = [];
  const copy = oncePerKeptOutput((output) => {
    worked.push(output);
    return structuredClone(output);
  });
  const kept = keepOutput({ id: 'kept' });
  const other = { id: 'other' };
  expect([copy(kept), copy(kept)]).toEqual([kept, kept]);
  for (const output of [other, other, 'text', 'text', null, null]) expect(copy(output)).toEqual(output);
  expect(worked).toEqual([kept, other, other, 'text', 'text', null, null]);
});

test('what is made of a kept output is kept as well', () => {
  let texts = 0;
  const copy = oncePerKeptOutput((output) => ({ ...(output as object) }));
  const write = oncePerKeptOutput((output) => `${++texts} ${JSON.stringify(output)}`);
  const kept = keepOutput({ a: 1 });
  expect([write(copy(kept)), write(copy(kept))]).toEqual(['1 {"a":1}', '1 {"a":1}']);
  expect([write(copy({ a: 1 })), write(copy({ a: 1 }))]).toEqual(['2 {"a":1}', '3 {"a":1}']);
});

test('a failure is not kept', () => {
  let calls = 0;
  const failOnce = oncePerKeptOutput(() => {
    if (++calls === 1) throw new Error('wrong');
    return 'right';
  });
  const kept = keepOutput({});
  expect(() => failOnce(kept)).toThrow('wrong');
  expect(failOnce(kept)).toBe('right');
});
