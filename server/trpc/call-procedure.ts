import { type AnyProcedure, getTRPCErrorFromUnknown, TRPCError } from '@trpc/server';
import { z } from 'zod';
import { isRecord } from '../../routers/engine/values.ts';
import { oncePerCachedOutput } from '../../routers/response/output.ts';
import { definitionOf, type ProcedureDefinition, type ProcedureStep } from './trpc-internals.ts';

interface ProcedureCall {
  /** The name of the procedure. */
  path: string;
  ctx: object;
  /** May be called several times. */
  getRawInput: () => Promise<unknown>;
  /** Position of the call in its batch. */
  batchIndex?: number;
}

/** The options that each step of a procedure gets. */
interface Call extends Required<ProcedureCall> {
  type: string;
  meta: unknown;
  input: unknown;
  signal: AbortSignal | undefined;
  /** Runs the following steps, with some values changed; a given context is merged into the current one. */
  next: (changes?: Partial<Pick<Call, 'ctx' | 'input' | 'getRawInput'>>) => Promise<Result>;
}

type Result = { ok: true; data: unknown } | { ok: false; error: TRPCError };

type Step = ProcedureStep<Call, Result>;

const stepsOf = new WeakMap<AnyProcedure, Step[]>();

/**
 * Calls a procedure as the library's own caller does, but in a fraction of the time: that one copies its options property by
 * property several times for each step, and lets Zod parse asynchronously, which takes several times as long.
 * @throws TRPCError
 */
export async function callProcedure(
  procedure: AnyProcedure,
  { path, ctx, getRawInput, batchIndex = 0 }: ProcedureCall,
): Promise<unknown> {
  const { type, meta } = definitionOf(procedure);
  let steps = stepsOf.get(procedure);
  if (!steps) {
    steps = fastSteps(definitionOf(procedure));
    stepsOf.set(procedure, steps);
  }
  const result: Result | undefined = await runStep(steps, 0, {
    path,
    type,
    meta,
    ctx,
    getRawInput,
    input: undefined,
    signal: undefined,
    batchIndex,
  });
  if (!result) throw new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: NO_RESULT });
  if (!result.ok) throw result.error;
  return result.data;
}

/** The library's error message for middleware that returns nothing. */
const NO_RESULT = 'No result from middlewares - did you forget to `return next()`?';

async function runStep(steps: readonly Step[], index: number, call: Omit<Call, 'next'>): Promise<Result> {
  const { path, type, meta, ctx, getRawInput, input, signal, batchIndex } = call;
  const next: Call['next'] = (changes = {}) =>
    runStep(steps, index + 1, {
      path,
      type,
      meta,
      ctx: changes.ctx ? { ...ctx, ...changes.ctx } : ctx,
      getRawInput: changes.getRawInput ?? getRawInput,
      input: 'input' in changes ? changes.input : input,
      signal,
      batchIndex,
    });
  try {
    const step = steps[index] as Step;
    return await step({ path, type, meta, ctx, getRawInput, input, signal, batchIndex, next });
  } catch (cause) {
    return { ok: false, error: getTRPCErrorFromUnknown(cause) };
  }
}

/** The steps of a procedure, with our own in place of those that parse. */
function fastSteps({ middlewares, inputs, output }: ProcedureDefinition): Step[] {
  const schemas = [...inputs];
  return (middlewares as Step[]).map((step) => {
    if (step._type === 'input') {
      const schema = schemas.shift();
      return schema instanceof z.ZodType ? inputStep(schema) : step;
    }
    return step._type === 'output' && output instanceof z.ZodType ? outputStep(output) : step;
  });
}

const inputStep =
  (schema: z.ZodType): Step =>
  async ({ getRawInput, input, next }) => {
    const raw = await getRawInput();
    let parsed: unknown;
    try {
      parsed = await parseInput(schema, raw);
    } catch (cause) {
      throw new TRPCError({ code: 'BAD_REQUEST', cause });
    }
    return next({ input: isRecord(input) && isRecord(parsed) ? { ...input, ...parsed } : parsed });
  };

const outputStep = (schema: z.ZodType): Step => {
  const check = oncePerCachedOutput((output) => parse(schema, output));
  return async ({ next }) => {
    const result = await next();
    if (!result.ok) return result;
    try {
      return { ...result, data: await check(result.data) };
    } catch (cause) {
      throw new TRPCError({ message: 'Output validation failed', code: 'INTERNAL_SERVER_ERROR', cause });
    }
  };
};

/** An input with more values than this is rejected with its first problem alone. */
const MANY_VALUES = 5000;

/** `z.validate` passes this option to its schemas; Zod does not declare it for `parse`, which passes it as well. */
const FIRST_PROBLEM = { abortEarly: true } as z.core.ParseContext<z.core.$ZodIssue>;

/** Parses an input. All problems are reported unless it is large: 100,000 problems take half a second. */
async function parseInput(schema: z.ZodType, value: unknown): Promise<unknown> {
  try {
    return await parse(schema, value, FIRST_PROBLEM);
  } catch (error) {
    // guard: problems-of-large-input
    if (hasManyValues(value)) throw error;
    return parse(schema, value);
  }
}

function hasManyValues(root: unknown): boolean {
  const stack = [root];
  for (let count = 0; stack.length > 0; count++) {
    if (count + stack.length > MANY_VALUES) return true;
    const value = stack.pop();
    if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) stack.push(inner);
  }
  return false;
}

/** Parses a value, synchronously unless a part of the schema is asynchronous. */
function parse(schema: z.ZodType, value: unknown, context?: z.core.ParseContext<z.core.$ZodIssue>): unknown {
  try {
    return schema.parse(value, context);
  } catch (error) {
    if (error instanceof z.core.$ZodAsyncError) return schema.parseAsync(value, context);
    throw error;
  }
}
