import { type AnyProcedure, getTRPCErrorFromUnknown, TRPCError } from '@trpc/server';

/** One call of a procedure. */
interface Call {
  /** The name of the procedure. */
  path: string;
  ctx: object;
  /** May be called several times. */
  getRawInput: () => Promise<unknown>;
  /** Position of the call in its batch. */
  batchIndex?: number;
}

/** What middleware may change for the rest of the call. */
interface Changes {
  ctx?: object;
  input?: unknown;
  getRawInput?: Call['getRawInput'];
}

interface State extends Required<Call> {
  type: AnyProcedure['_def']['type'];
  meta: unknown;
  input: unknown;
  signal: undefined;
}

type Result = { ok: true; data: unknown } | { ok: false; error: TRPCError };
type Middleware = (options: State & { next(changes?: Changes): Promise<Result> }) => Promise<Result>;

/**
 * Calls a procedure exactly as calling it does, in a tenth of the time: the library is built for engines without object
 * spread, and copies all options property by property, four times for each middleware.
 * @throws TRPCError
 */
export async function callProcedure(
  procedure: AnyProcedure,
  { path, ctx, getRawInput, batchIndex = 0 }: Call,
): Promise<unknown> {
  const { type, meta } = procedure._def;
  const { middlewares } = procedure._def as unknown as { middlewares: Middleware[] };
  const state = { path, ctx, getRawInput, batchIndex, type, meta, input: undefined, signal: undefined };
  const result: Result | undefined = await run(middlewares, 0, state);
  if (!result) throw new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: NO_RESULT });
  if (!result.ok) throw result.error;
  return result.data;
}

const NO_RESULT = 'No result from middlewares - did you forget to `return next()`?';

/** Runs the middleware at `index`, and those after it as its `next`. The last is the resolver. */
async function run(middlewares: Middleware[], index: number, state: State): Promise<Result> {
  try {
    const middleware = middlewares[index] as Middleware;
    const next = (changes: Changes = {}) =>
      run(middlewares, index + 1, {
        ...state,
        ctx: changes.ctx ? { ...state.ctx, ...changes.ctx } : state.ctx,
        input: 'input' in changes ? changes.input : state.input,
        getRawInput: changes.getRawInput ?? state.getRawInput,
      });
    return await middleware({ ...state, next });
  } catch (cause) {
    return { ok: false, error: getTRPCErrorFromUnknown(cause) };
  }
}
