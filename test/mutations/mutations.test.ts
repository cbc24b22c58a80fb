import { expect, test } from 'vitest';
import { guard } from './guard.ts';
import { parse, withoutGuard } from './markers.ts';
import {
  always,
  at,
  becomes,
  both,
  keep,
  later,
  type Mutation,
  never,
  replace,
  unwrap,
} from './mutations.ts';

test.each<[string, Mutation | undefined, string]>([
  ['// guard: g\nif (a) throw b;', undefined, 'if (false) throw b;'],
  ['// guard: g\nif (a) throw b;', always, 'if (true) throw b;'],
  ['// guard: g\na();\nb();', undefined, '\nb();'],
  ['db\n  // guard: g\n  .where(a)\n  .limit(1);', undefined, 'db\n  .limit(1);'],
  ['f([\n  // guard: g\n  a,\n  b,\n]);', undefined, 'f([\n  b,\n]);'],
  ['f({\n  a,\n  // guard: g\n  b: 1,\n});', undefined, 'f({\n  a,\n});'],
  ['x =\n  a &&\n  // guard: g\n  b &&\n  c;', undefined, 'x =\n  a &&\n  c;'],
  ['x = a\n  ? // guard: g\n    f(b)\n  : c;', unwrap, 'x = a\n  ? b\n  : c;'],
  ['// guard: g\nif (a || b || c) throw d;', at('operand 2'), 'if (a || c) throw d;'],
  [
    '// guard: g\nx = f(a, b > 1 && c);',
    at('side 2 of argument 2', becomes('2 * $()')),
    'x = f(a, b > 2 * 1 && c);',
  ],
  ['// guard: g\nx = a ? b : c;', never, 'x = false ? b : c;'],
  ['// guard: g\nx = a ? b : c;', at('value', becomes('$(then) ?? $(else)')), 'x = b ?? c;'],
  ['// guard: g\nreturn a?.b === c;', at('value', keep('object')), 'return a;'],
  ['{\n  // guard: g\n  a();\n  b();\n}', later, '{\n  b();\n  a();\n}'],
  ['// guard: g\nf(a, { b, c: 1 });', both(at('argument 1'), at('member 2')), 'f({ b });'],
  ['// guard: g\nsql`select a where b`;', replace({ ' where b': '' }), 'sql`select a`;'],
])('removes a guard: %j', (source, mutation, expected) => {
  const changed = withoutGuard(parse('guards.ts', source), guard('g', '', [], mutation));
  expect(withoutMarkers(changed)).toBe(expected);
});

test.each([
  ['f(a);', 'marks no guard as "g"'],
  ['// guard: g\nf(a);', 'There is no "operand 2"'],
])('refuses to remove what is not there: %j', (source, message) => {
  const file = parse('guards.ts', source);
  expect(() => withoutGuard(file, guard('g', '', [], at('operand 2')))).toThrow(message);
});

function withoutMarkers(source: string): string {
  return source.replace(/^ *\/\/ guard: g\n/gm, '').replace(/\/\/ guard: g\n */g, '');
}
