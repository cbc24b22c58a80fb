import { callTRPCProcedure, initTRPC, TRPCError } from '@trpc/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { callProcedure } from '../../server/call-procedure.ts';

interface Context {
  caller: string;
  level?: number;
}

const t = initTRPC.context<Context>().create();

const base = t.procedure
  .meta({ of: 'base' })
  .use(({ ctx, next, path, type, meta }) => next({ ctx: { seen: { ...ctx, path, type, meta } } }))
  .input(z.object({ id: z.string().trim() }));

const router = t.router({
  plain: t.procedure.query(({ ctx, input, path, signal }) => ({ ctx, input, path, signal })),
  context: base
    .use(({ ctx, next }) => next({ ctx: { ...ctx, level: 2, caller: undefined } }))
    .query(({ ctx, input }) => ({ ctx, input })),
  inputs: base
    .input(z.object({ count: z.number().default(3) }))
    .use(({ input, getRawInput, next }) =>
      next({ getRawInput: async () => ({ ...((await getRawInput()) as object), late: input.count }) }),
    )
    .input(z.object({ late: z.number() }))
    .mutation(({ input }) => input),
  output: t.procedure.output(z.object({ a: z.string() })).query(() => ({ a: 'a', b: 'left out' })),
  asynchronous: t.procedure
    .input(z.object({ id: z.string().refine(async (id) => id !== 'x', 'must not be x') }))
    .output(z.string().transform(async (text) => text.toUpperCase()))
    .query(({ input }) => input.id),
  otherParsers: t.procedure
    .input((given) => ({ given }))
    .input(z.looseObject({ id: z.unknown() }))
    .output((data: unknown) => ({ data }))
    .query(({ input }) => input as never),
  wrongOutput: t.procedure.output(z.object({ a: z.string() })).query((): never => ({ b: 1 }) as never),
  caught: t.procedure
    .use(async ({ next }) => {
      const result = await next();
      return result.ok ? result : ({ ...result, ok: true, data: `caught ${result.error.message}` } as never);
    })
    .query((): string => {
      throw new TRPCError({ code: 'NOT_FOUND', message: 'nothing here' });
    }),
  thrown: t.procedure.query((): string => {
    throw new TRPCError({ code: 'FORBIDDEN', message: 'no' });
  }),
  unexpected: base.query((): string => {
    throw new TypeError('a mistake');
  }),
  inMiddleware: t.procedure
    .use((): never => {
      throw new TypeError('before the rest');
    })
    .query(() => 'never'),
});

type Name = keyof typeof router._def.procedures;

const described = (outcome: PromiseSettledResult<unknown>) => {
  if (outcome.status === 'fulfilled') return { value: outcome.value };
  const { code, message, cause } = outcome.reason as TRPCError;
  expect(outcome.reason).toBeInstanceOf(TRPCError);
  return { code, message, cause: String(cause) };
};

const INPUTS = [undefined, { id: ' one ' }, { id: 1 }, { id: 'x', count: 7 }, { id: 'x', count: 'y' }];
const calls = (Object.keys(router._def.procedures) as Name[]).flatMap((name) =>
  INPUTS.map((input) => [`${name}(${JSON.stringify(input)})`, name, input] as const),
);

test.for(calls)('%s is the same as by the library', async ([, path, input]) => {
  const procedure = router._def.procedures[path];
  const ctx = { caller: 'me', level: 1 };
  const getRawInput = async () => input;
  const [ours, theirs] = await Promise.allSettled([
    callProcedure(procedure, { path, ctx, getRawInput }),
    callTRPCProcedure({
      router,
      path,
      type: procedure._def.type,
      ctx,
      getRawInput,
      signal: undefined,
      batchIndex: 0,
    }),
  ]);
  expect(described(ours)).toEqual(described(theirs));
  expect(ctx).toEqual({ caller: 'me', level: 1 });
});
