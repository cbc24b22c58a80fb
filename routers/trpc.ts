import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { initTRPC, TRPCError } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
import { ZodError } from 'zod';
import { inputProblem, UNREADABLE } from '../schema/json/value.ts';
import type { Need } from './access/needs.ts';
import { type Actor, type Context, kyselyOf } from './context.ts';
import { DomainError, type DomainErrorCode } from './engine/errors.ts';
import { outageOf } from './outage.ts';
import { isLostStatement } from './statement.ts';
import { transformer } from './transformer.ts';

/** What the facade needs to know of a procedure beyond the route. */
export interface Meta extends OpenApiMeta {
  /** Status of success. `removal` is 205 when something was removed and 204 when there was nothing to remove. */
  success?: 200 | 201 | 204 | 'removal';
  /** Largest request body in bytes, where the general limit does not fit. */
  bodyLimit?: number;
  /** What the base procedure asks of the caller; absent where it asks for nothing but a token. */
  need?: Need & { on: 'organization' | 'collection' | 'space' | 'team' | 'member' };
}

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    transformer,
    isDev: false,
    errorFormatter({ shape, error }) {
      const details = errorDetails(error);
      return {
        ...shape,
        message: publicMessage(error),
        data: {
          code: shape.data.code,
          httpStatus: shape.data.httpStatus,
          path: shape.data.path,
          ...(details && { details }),
        },
      };
    },
  });

export const router = t.router;
export const mergeRouters = t.mergeRouters;
export const createCallerFactory = t.createCallerFactory;

const CODES: Record<DomainErrorCode, TRPCError['code']> = {
  invalid: 'BAD_REQUEST',
  forbidden: 'FORBIDDEN',
  'not-found': 'NOT_FOUND',
  conflict: 'CONFLICT',
  precondition: 'PRECONDITION_FAILED',
  unavailable: 'SERVICE_UNAVAILABLE',
};

/** The one plain sentence that a caller reads; what was not foreseen says nothing of the inside. */
export function publicMessage(error: TRPCError): string {
  if (error.code === 'INTERNAL_SERVER_ERROR') return 'Something went wrong on the server.';
  // The words of the JSON parser and of superjson are about their code, not about the request.
  if (error.cause && !(error.cause instanceof DomainError) && !(error.cause instanceof ZodError)) {
    return 'The input could not be read.';
  }
  if (error.cause instanceof ZodError) {
    const [first] = errorDetails(error) ?? [];
    return first?.path
      ? `The request is not valid: ${first.path}: ${first.message}`
      : 'The request is not valid.';
  }
  return error.message;
}

/** Each place of the input that is wrong, or undefined when the error is not about the input. */
export function errorDetails(error: TRPCError): { path: string; message: string }[] | undefined {
  if (error.cause instanceof ZodError && error.code === 'BAD_REQUEST') {
    return error.cause.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
  }
  return error.cause instanceof DomainError ? error.cause.details : undefined;
}

/**
 * What surrounds every procedure, in one middleware because each costs every call: errors of the domain get their
 * statuses; what no column, no client or no schema could hold is refused wherever in the input it is; and removing what
 * is not there, or may not be seen, removes nothing and is no error.
 */
const surround = t.middleware(async ({ next, getRawInput, meta }) => {
  const problem = inputProblem(await getRawInput());
  if (problem) throw domainFailure(new DomainError('invalid', UNREADABLE, [problem]));
  const result = await next();
  if (result.ok) return result;
  const cause = outageOf(result.error.cause) ?? result.error.cause;
  if (!(cause instanceof DomainError)) return result;
  if (meta?.success === 'removal' && cause.code === 'not-found') {
    return { ...result, ok: true as const, data: { removed: false }, error: undefined };
  }
  throw domainFailure(cause);
});

const domainFailure = (cause: DomainError) =>
  new TRPCError({ code: CODES[cause.code], message: cause.message, cause });

/** An error that somebody foresaw, as an error of the API; undefined for any other. */
export function asKnownError(thrown: unknown): TRPCError | undefined {
  if (thrown instanceof TRPCError) return thrown;
  const cause = outageOf(thrown) ?? thrown;
  return cause instanceof DomainError ? domainFailure(cause) : undefined;
}

/** The base of every procedure; `publicProcedure` for those that need no caller. */
const publicProcedure = t.procedure.use(surround);

const UNAUTHENTICATED = 'A valid access token is required: send it as "Authorization: Bearer <token>".';

async function callerOf(ctx: Context): Promise<Actor> {
  const actor = await ctx.authenticate();
  if (!actor) throw new TRPCError({ code: 'UNAUTHORIZED', message: UNAUTHENTICATED });
  return actor;
}

/**
 * Who sends something to be changed.
 * @throws where that is nobody known, or one whose token has the scope `read`.
 */
export async function senderOf(ctx: Context): Promise<Actor> {
  const actor = await callerOf(ctx);
  if (actor.token.scope === 'read') throw new DomainError('forbidden', 'This access token is read-only.');
  return actor;
}

/** A procedure for whoever has a valid token. A token of scope `read` may not change anything. */
export const authenticatedProcedure = publicProcedure.use(async ({ ctx, next, type }) => {
  const actor = await (type === 'mutation' ? senderOf(ctx) : callerOf(ctx));
  return next({ ctx: { actor, engine: ctx.services.engines.for(actor.user.id) } });
});

const ATTEMPTS = 5;

/** PostgreSQL's serialization failure and deadlock: the transaction may well succeed when run again. */
const RETRYABLE = new Set<unknown>(['40001', '40P01']);

/** By code, because the unit of work and typed SQL throw errors of different classes. */
const isRetryable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (RETRYABLE.has(error.code) || isLostStatement(error));

/** Signals a failed attempt out of the transaction, so that it is rolled back. */
class Rollback extends Error {
  readonly result: { ok: false; error: TRPCError };
  constructor(result: { ok: false; error: TRPCError }) {
    super('rolled back');
    this.result = result;
  }
}

/** Queries read through `ctx.db`; a unit of work in one is a mistake, and says so. */
const noUnitOfWork = new Proxy({} as SqlEntityManager, {
  get() {
    throw new Error('a query has no unit of work: read through ctx.db');
  },
});

/**
 * Runs the rest of a mutation in one transaction; a deadlock, a serialization failure or a lost prepared statement
 * starts it again from the top.
 * The unit of work is `ctx.em`, and `ctx.db` reads what it has flushed.
 */
export const inTransaction = t.middleware(async ({ ctx, next, type }) => {
  if (type !== 'mutation') return next({ ctx: { em: noUnitOfWork, db: ctx.db } });
  for (let attempt = 1; ; attempt++) {
    try {
      return await ctx.transaction(async (em) => {
        const result = await next({ ctx: { em, db: kyselyOf(em) } });
        if (!result.ok) throw new Rollback(result);
        return result;
      });
    } catch (error) {
      const cause = error instanceof Rollback ? error.result.error.cause : error;
      if (isRetryable(cause) && attempt < ATTEMPTS) continue;
      if (error instanceof Rollback) throw error.result.error;
      throw error;
    }
  }
});

/** A procedure for whoever runs the installation, in-process tooling alone, that keeps its transactions itself. */
export const operatorJobProcedure = publicProcedure.use(async ({ ctx, next }) => {
  if (!ctx.operator)
    throw new DomainError('forbidden', 'Only the operator of this installation may do this.');
  return next();
});

/** The same in one transaction, as every other procedure. */
export const operatorProcedure = operatorJobProcedure.use(inTransaction);
