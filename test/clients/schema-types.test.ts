import { expect, test } from 'vitest';
import { z } from 'zod';
import { declaredAs } from '../../schema/json/declared-type.ts';
import { writeSchemaTypes } from '../../server/client/schema-types.ts';

/** The types of a schema, and what they refer to, on one line each. */
function typesOf(schema: z.ZodType): { input: string; output: string; declarations: string[] } {
  let input = '';
  let output = '';
  const { declarations } = writeSchemaTypes((writer) => {
    input = writer.typeOf(schema, 'input');
    output = writer.typeOf(schema, 'output');
  });
  const line = (text: string) => text.replaceAll('\n', ' ');
  return { input: line(input), output: line(output), declarations: declarations.map(line) };
}

test.for<[string, z.ZodType, input: string, output?: string]>([
  ['literals', z.literal(['a', 1, null, undefined]), '"a" | 1 | null | undefined'],
  ['an array of alternatives', z.array(z.string().nullable()), '(string | null)[]'],
  ['alternatives that are equal', z.union([z.string(), z.string().min(2)]), 'string'],
  ['no members', z.object({}), 'Record<string, never>'],
  ['an intersection in an array', z.array(z.intersection(z.string(), z.string())), '(string & string)[]'],
  ['a default', z.object({ a: z.number().default(1) }), '{ a?: number | undefined; }', '{ a: number; }'],
  ['another output', z.unknown().pipe(z.array(z.string())), 'unknown', 'string[]'],
  ['other members', z.object({ 'a-b': z.string() }).loose(), '{ "a-b": string; [name: string]: unknown; }'],
  [
    'members of another type than all others',
    z.object({ a: z.number().optional() }).catchall(z.boolean()),
    '{ a?: number | undefined; [name: string]: boolean | number | undefined; }',
  ],
  ['a description', z.object({ a: z.string().describe('An */ end.') }), '{ /** An *\\/ end. */ a: string; }'],
  ['a tuple', z.tuple([z.string()], z.number()), '[string, ...number[]]'],
])('%s', ([, schema, input, output = input]) => {
  expect(typesOf(schema)).toEqual({ input, output, declarations: [] });
});

test('a schema with a name is declared once, also where it is checked further, described or contains itself', () => {
  const Tree = z
    .object({
      get below() {
        return z.array(Tree);
      },
    })
    .meta({ id: 'TestTree' });
  const schema = z.tuple([Tree, Tree.describe('Another'), Tree.refine(() => true)]);
  const declarations = ['export interface TestTree { below: TestTree[]; }'];
  const type = '[TestTree, TestTree, TestTree]';
  expect(typesOf(schema)).toEqual({ input: type, output: type, declarations });
});

test('a name denotes the output, and gets a suffix for an input that differs at any depth', () => {
  const Inner = z.object({ a: z.string().default('') }).meta({ id: 'TestInner' });
  const Outer = z.object({ inner: Inner }).meta({ id: 'TestOuter' });
  expect(typesOf(Outer)).toEqual({
    input: 'TestOuterInput',
    output: 'TestOuter',
    declarations: expect.arrayContaining([
      'export interface TestOuter { inner: TestInner; }',
      'export interface TestOuterInput { inner: TestInnerInput; }',
      'export interface TestInnerInput { a?: string | undefined; }',
    ]),
  });
});

test('a schema without a TypeScript type must be given one', () => {
  const opaque = z.custom<Date>((value) => value instanceof Date);
  expect(() => typesOf(opaque)).toThrow('declaredAs()');
  expect(typesOf(declaredAs<Date>(opaque, 'Date', import.meta.url)).output).toBe('Date');
});

test('a schema without a name that contains itself is rejected', () => {
  const Tree = z.object({
    get below() {
      return z.array(Tree);
    },
  });
  expect(() => typesOf(Tree)).toThrow('needs a name');
});

test('two schemas with the same name are rejected', () => {
  const named = () => z.object({ a: z.string() }).meta({ id: 'TestTwice' });
  expect(() => typesOf(z.tuple([named(), named()]))).toThrow('Two schemas are named TestTwice');
});
