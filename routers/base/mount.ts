import type {
  inferProcedureBuilderResolverOptions,
  TRPCMutationProcedure,
  TRPCProcedureBuilder,
  TRPCQueryProcedure,
  TRPCUnsetMarker,
} from '@trpc/server';
import type { z } from 'zod';
import type { Meta } from './trpc.ts';

/** A procedure without its base: its input, output and resolver, for any base that provides this context. */
interface Handler<Type, Ctx, Input extends z.ZodType, Output extends z.ZodType> {
  type: Type;
  input: Input;
  output: Output;
  resolve: (ctx: Ctx, input: z.output<Input>) => Promise<z.input<Output>>;
}

type Definition<Ctx, Input extends z.ZodType, Output extends z.ZodType> = Omit<
  Handler<never, Ctx, Input, Output>,
  'type'
>;

/** Makes functions that define handlers for a context: `const handler = handlersFor<ReadableContent>()`. */
export const handlersFor = <Ctx>() => ({
  query: <Input extends z.ZodType, Output extends z.ZodType>(
    definition: Definition<Ctx, Input, Output>,
  ): Handler<'query', Ctx, Input, Output> => ({ type: 'query', ...definition }),
  mutation: <Input extends z.ZodType, Output extends z.ZodType>(
    definition: Definition<Ctx, Input, Output>,
  ): Handler<'mutation', Ctx, Input, Output> => ({ type: 'mutation', ...definition }),
});

// biome-ignore-start lint/suspicious/noExplicitAny: any parameters of the library's types, which are then inferred
type AnyBase = TRPCProcedureBuilder<any, Meta, any, any, any, any, any, false, any>;
type AnyHandler<Ctx> = Handler<'query' | 'mutation', Ctx, any, any>;
type TypesOf<Base> =
  Base extends TRPCProcedureBuilder<any, any, any, infer Input, any, any, any, any, infer ErrorShape>
    ? { input: Input; errorShape: ErrorShape }
    : never;
// biome-ignore-end lint/suspicious/noExplicitAny: above

type ContextOf<Base extends AnyBase> = inferProcedureBuilderResolverOptions<Base>['ctx'];

type Simplify<Intersection> = { [Key in keyof Intersection]: Intersection[Key] };

/** The combined input of a base and a handler. */
type InputOn<Base, Input> = TypesOf<Base>['input'] extends TRPCUnsetMarker
  ? Input
  : Simplify<TypesOf<Base>['input'] & Input>;

/** The type of the procedure that the builder would make of a base and a handler. */
type ProcedureOf<Base, Mountable> =
  Mountable extends Handler<infer Type, never, infer Input, infer Output>
    ? Type extends 'query'
      ? TRPCQueryProcedure<{
          input: InputOn<Base, z.input<Input>>;
          output: z.output<Output>;
          meta: Meta;
          errorShape: TypesOf<Base>['errorShape'];
        }>
      : TRPCMutationProcedure<{
          input: InputOn<Base, z.input<Input>>;
          output: z.output<Output>;
          meta: Meta;
          errorShape: TypesOf<Base>['errorShape'];
        }>
    : never;

/**
 * Mounts handlers on a base procedure, each with its route, so that procedures that several resources share are defined once:
 * `router(mount(spaceProcedure('view'), { list, get }, { list: route.get(...), get: route.get(...) }))`.
 */
export function mount<Base extends AnyBase, Handlers extends Record<string, AnyHandler<never>>>(
  base: Base,
  handlers: Handlers & Record<string, AnyHandler<ContextOf<Base>>>,
  routes: Record<keyof Handlers, Meta>,
): { [Name in keyof Handlers]: ProcedureOf<Base, Handlers[Name]> } {
  const procedures = Object.entries(handlers).map(([name, { type, input, output, resolve }]) => {
    const procedure = base
      .meta(routes[name] as Meta)
      .input(input)
      .output(output);
    return [name, procedure[type](({ ctx, input }) => resolve(ctx as ContextOf<Base>, input))];
  });
  // A builder whose type is a parameter loses the types of its inputs; the declared return type has them.
  return Object.fromEntries(procedures);
}
