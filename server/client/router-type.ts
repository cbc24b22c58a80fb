import type { AnyProcedure } from '@trpc/server';
import ts from 'typescript';
import type { z } from 'zod';
import { definitionOf, type RouterRecord } from '../trpc/trpc-internals.ts';
import { declarationsFor } from './declared-types.ts';
import { comment, type SchemaWriter, writeSchemaTypes } from './schema-types.ts';

/** The part of the router that requests cannot call. */
const OPERATOR_ONLY = 'installation';

const TRPC_MODULE = new URL('../../routers/base/trpc.ts', import.meta.url).href;

/** The types of tRPC for each kind of procedure, and the others that the declarations use. */
const KINDS = {
  query: 'TRPCQueryProcedure',
  mutation: 'TRPCMutationProcedure',
  subscription: 'TRPCSubscriptionProcedure',
} as const;
const TRPC_TYPES = ['TRPCBuiltRouter', ...Object.values(KINDS), 'TrackedEnvelope'];

/**
 * The type of a router as declarations that depend only on tRPC, written from the schemas of its procedures. The compiler
 * would emit declarations of every module that a procedure depends on, queries included, and expand each type that has no
 * name: that takes minutes, and a client has no use for most of it.
 */
export function routerDeclarations(record: RouterRecord): string {
  let router = '';
  const { declarations, declared } = writeSchemaTypes((writer) => {
    router = recordType(record, writer, []);
  });
  const modules = Map.groupBy(
    [...declared, { name: 'ErrorShape', module: TRPC_MODULE }],
    ({ module }) => module,
  );
  const imports = new Map([['@trpc/server', new Set<string>(TRPC_TYPES)]]);
  for (const [module, names] of modules) {
    const types = declarationsFor(
      module,
      names.map(({ name }) => name),
    );
    for (const declaration of types.declarations) declarations.push(declaration);
    for (const [from, used] of types.imports) imports.set(from, used.union(imports.get(from) ?? new Set()));
  }
  return formatted([
    ...[...imports].map(([from, names]) => `import type { ${[...names].sort().join(', ')} } from '${from}';`),
    ...declarations,
    'interface Definition<Input, Output> { meta: object; input: Input; output: Output; errorShape: ErrorShape; }',
    'interface Root { ctx: object; meta: object; errorShape: ErrorShape; transformer: true; }',
    '/** Every procedure, by feature. */',
    `export type AppRouter = TRPCBuiltRouter<Root, ${router}>;`,
  ]);
}

/** Declarations as the compiler would print them. */
function formatted(declarations: readonly string[]): string {
  const file = ts.createSourceFile('router.d.ts', declarations.join('\n'), ts.ScriptTarget.Latest);
  return ts.createPrinter().printFile(file);
}

function recordType(record: RouterRecord, writer: SchemaWriter, path: readonly string[]): string {
  const members = Object.entries(record).flatMap(([name, member]) => {
    const at = [...path, name];
    if (at.join('.') === OPERATOR_ONLY) return [];
    if (typeof member !== 'function') return [`${name}: ${recordType(member, writer, at)};`];
    try {
      return [`${docOf(member)}${name}: ${procedureType(member, writer)};`];
    } catch (cause) {
      throw new Error(`The types of ${at.join('.')} cannot be written: ${(cause as Error).message}`, {
        cause,
      });
    }
  });
  return `{\n${members.join('\n')}\n}`;
}

function docOf(procedure: AnyProcedure): string {
  const { openapi } = definitionOf(procedure).meta ?? {};
  if (!openapi?.summary) return '';
  const lines = [`${openapi.summary}.`, openapi.description, openapi.deprecated && '@deprecated'];
  return comment(lines.filter(Boolean).join('\n'));
}

function procedureType(procedure: AnyProcedure, writer: SchemaWriter): string {
  const { type, inputs, output } = definitionOf(procedure);
  if (!output) throw new Error('it has no output schema');
  return `${KINDS[type]}<Definition<${inputType(inputs, writer)}, ${writer.typeOf(output, 'output')}>>`;
}

/** Each base procedure adds to the input. */
function inputType(inputs: readonly z.ZodType[], writer: SchemaWriter): string {
  if (inputs.length === 0) return 'void';
  return inputs.map((input) => writer.typeOf(input, 'input')).join(' & ');
}
