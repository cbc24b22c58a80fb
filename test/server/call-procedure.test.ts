import { type AnyProcedure, initTRPC, TRPCError } from '@trpc/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { cacheOutput } from '../../routers/response/output.ts';
import { callProcedure } from '../../server/trpc/call-procedure.ts';

const t = initTRPC.context<{ caller: string; log?: string[] }>().meta<{ need?: string }>().create();
const router = t.router({
  nothing: t.procedure.query(() => undefined),
  everything: t.procedure.meta({ need: 'edit' }).mutation(async (options) => {
    const {
      next: _,
      getRawInput,
      ...others
    } = options as typeof options & Record<'next' | 'getRawInput', () => unknown>;
    return { ...others, raw: await getRawInput() };
  }),
  steps: t.procedure
    .input(z.object({ a: z.number().default(1) }))
    .use(({ ctx, next }) => next({ ctx: { caller: `${ctx.caller} 1`, one: 1 } }))
    .use(({ next }) => next())
    .input(z.object({ b: z.string() }))
    .use(({ ctx, next }) => next({ ctx: { two: ctx.one + 1 } }))
    .query(({ ctx, input }) => ({ ...ctx, ...input })),
  replaced: t.procedure
    .use(({ next }) => next({ getRawInput: async () => ({ a: 'other' }) }))
    .input(z.object({ a: z.string() }))
    .query(({ input }) => input),
  inputReplaced: t.procedure
    .input(z.object({ a: z.string() }))
    .use((({ next }: { next(changes: object): unknown }) => next({ input: undefined })) as never)
    .query(({ input }) => input ?? 'none'),
  repeated: t.procedure
    .use(async ({ next }) => {
      await next({ ctx: { log: ['first'] } });
      return next({ ctx: { log: ['second'] } });
    })
    .query(({ ctx }) => ctx.log),
  recovered: t.procedure
    .use(async ({ next }) => {
      const result = await next();
      return result.ok ? result : { ...result, ok: true as const, data: result.error.code, error: undefined };
    })
    .query(() => {
      throw new TRPCError({ code: 'CONFLICT' });
    }),
  checked: t.procedure.output(z.object({ a: z.string() })).query(() => ({ a: 'a', b: 'left out' })),
  asynchronous: t.procedure
    .input(z.object({ a: z.string().refine(async (text) => text !== 'a', 'must not be a') }))
    .output(z.string().transform(async (text) => text.toUpperCase()))
    .query(({ input }) => input.a),
  otherParsers: t.procedure
    .input((given) => ({ given }))
    .input(z.looseObject({ a: z.unknown() }))
    .output((data: unknown) => ({ data }))
    .query(({ input }) => input as never),
  wrongOutput: t.procedure.output(z.string()).query(() => 5 as never),
  wrongInput: t.procedure.input(z.object({ a: z.array(z.string()) })).query(() => 'unreachable'),
  refused: t.procedure.query(() => {
    throw new TRPCError({ code: 'FORBIDDEN', message: 'no' });
  }),
  failed: t.procedure.query(() => {
    throw new Error('broken');
  }),
  threwText: t.procedure.query(() => {
    throw 'text';
  }),
  threwBefore: t.procedure
    .use(() => {
      throw new RangeError('early');
    })
    .query(() => 'unreachable'),
  withoutResult: t.procedure.use((() => undefined) as never).query(() => 'unreachable'),
});

/** What a call returns or throws. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return { data: await call };
  } catch (error) {
    const { name, code, message, cause } = error as TRPCError;
    return { name, code, message, cause, isLibrarys: error instanceof TRPCError };
  }
}

test.for(Object.keys(router._def.procedures))(
  '%s: the result is the same as with the library',
  async (path) => {
    const procedure = (router._def.procedures as unknown as Record<string, AnyProcedure>)[
      path
    ] as AnyProcedure;
    for (const input of [undefined, {}, { a: 5, b: 'b' }, { a: 'a' }, { a: 'x' }]) {
      const call = { path, ctx: { caller: 'ada' }, getRawInput: async () => input, batchIndex: 3 };
      const library = procedure({ ...call, type: procedure._def.type, signal: undefined });
      expect(await outcomeOf(callProcedure(procedure, call))).toStrictEqual(await outcomeOf(library));
    }
  },
);

test('all problems of an input are reported, but only the first if it is large', async () => {
  const problems = async (count: number) => {
    const getRawInput = async () => ({ a: Array.from({ length: count }, (_, index) => index) });
    const call = callProcedure(router.wrongInput, { path: 'wrongInput', ctx: { caller: 'me' }, getRawInput });
    const { cause } = (await call.catch((error) => error)) as TRPCError;
    return (cause as z.ZodError).issues.map(({ path }) => path.join('.'));
  };
  expect(await problems(3)).toEqual(['a.0', 'a.1', 'a.2']);
  // Otherwise, each takes several microseconds: half a second for as many as a body may have.
  expect(await problems(10_000)).toEqual(['a.0']);
});

test('a call fails if its input cannot be read', async () => {
  const getRawInput = async () => {
    throw new TRPCError({ code: 'PARSE_ERROR' });
  };
  const call = callProcedure(router.wrongInput, { path: 'wrongInput', ctx: {}, getRawInput });
  await expect(call).rejects.toMatchObject({ code: 'PARSE_ERROR' });
});

test('a cached output is validated once, and any other each time', async () => {
  let checks = 0;
  const output = z.object({ a: z.string().refine(() => ++checks > 0) });
  const kept = cacheOutput({ a: 'a', b: 'left out' });
  const outputs = t.router({
    kept: t.procedure.output(output).query(() => kept),
    other: t.procedure.output(output).query(() => ({ ...kept })),
  });
  const call = (procedure: AnyProcedure) =>
    callProcedure(procedure, { path: 'output', ctx: {}, getRawInput: async () => undefined });
  const [first, second] = [await call(outputs.kept), await call(outputs.kept)];
  expect(first).toStrictEqual({ a: 'a' });
  expect(second).toBe(first);
  expect(checks).toBe(1);
  expect([await call(outputs.other), await call(outputs.other)]).toStrictEqual([first, first]);
  expect(checks).toBe(3);
});
