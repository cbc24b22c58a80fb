import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { initTRPC, type TRPC_ERROR_CODE_KEY, type TRPC_ERROR_CODE_NUMBER, TRPCError } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
import { inputProblem } from '../../schema/json/value.ts';
import type { RequiredPermission } from '../access/needs.ts';
import { DomainError } from '../engine/errors.ts';
import { InvalidInput } from '../engine/invalid-input.ts';
import type { Engines } from '../engine/tasks/engines.ts';
import { PrebuiltResponse } from '../response/prebuilt-response.ts';
import { transact } from '../sql/transact.ts';
import { attributeTo, type Caller, runFor } from './caller.ts';
import { findCallerOrganization } from './caller-organization.ts';
import type { Context } from './context.ts';
import { type Db, kyselyOf } from './db.ts';
import { outageOf } from './outage.ts';
import type { Actor, Principal, Visitor } from './principal.ts';
import { transformer } from './transformer.ts';
import { asKnownError, errorDetails, publicMessage, toTRPCError } from './trpc-errors.ts';

/** What the REST facade needs to know about a procedure. */
export interface Meta extends OpenApiMeta {
  /** The status of a success. `removal` is 205 if something was removed, and 204 if there was nothing to remove. */
  success?: 200 | 201 | 204 | 'removal';
  /** The media type of the response, if it is not JSON. */
  produces?: 'application/zip' | 'application/x-ndjson' | '*/*';
  /** The name of the input that is the whole body, which then need not be an object. */
  body?: string;
  /** The largest request body in bytes, if not the default. */
  bodyLimit?: number;
  /** The subscription that serves this path to clients that accept `text/event-stream`. */
  stream?: string;
  /** Statuses of denials that follow neither from the required permission nor from the path. */
  denials?: readonly (401 | 403 | 404)[];
  /** The permission that the base procedure requires; absent if a token is enough. */
  need?: RequiredPermission;
  /** Whether it admits visitors of a site, who have no user's API token. */
  visitors?: true;
}

/** An error as clients get it. */
export interface ErrorShape {
  message: string;
  code: TRPC_ERROR_CODE_NUMBER;
  data: {
    code: TRPC_ERROR_CODE_KEY;
    httpStatus: number;
    path?: string;
    /** The invalid places of the input, at most 100. */
    details?: { path: string; message: string }[];
  };
}

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    transformer,
    isDev: false,
    errorFormatter({ shape, error }): ErrorShape {
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

/** The part of a procedure's result that middleware uses. */
type Result = { ok: true } | { ok: false; error: TRPCError };

/** The part of a call that `wrapHandler` uses. */
interface WrappedCall {
  ctx: Context;
  type: string;
  getRawInput: () => Promise<unknown>;
  meta: Meta | undefined;
}

/**
 * Wraps every procedure, in one middleware because each costs time on every call: the input is read after the caller is
 * known; domain errors get their statuses; values that no column, client or schema can hold are rejected anywhere in the
 * input; and removing what does not exist, or may not be viewed, removes nothing and is not an error.
 * @param identify authenticates the caller; throws if they may not call the procedure
 */
async function wrapHandler<Caller, Rest extends Result>(
  { ctx, type, getRawInput, meta }: WrappedCall,
  identify: (ctx: Context, type: string) => Promise<Caller>,
  rest: (caller: Caller) => Promise<Rest>,
): Promise<Rest> {
  let result: Rest;
  try {
    // guard: decode-caller-first
    const caller = await identify(ctx, type);
    const problem = inputProblem(await getRawInput());
    if (problem) throw new InvalidInput(problem);
    result = await rest(caller);
  } catch (error) {
    throw asKnownError(error) ?? error;
  }
  if (result.ok) return result;
  const cause = outageOf(result.error.cause) ?? result.error.cause;
  if (!(cause instanceof DomainError)) return result;
  if (meta?.success === 'removal' && cause.code === 'not-found') {
    return { ...result, ok: true as const, data: { removed: false }, error: undefined };
  }
  throw toTRPCError(cause);
}

const UNAUTHENTICATED = 'A valid API token is required: send it as "Authorization: Bearer <token>".';

const NOT_FOR_VISITORS = 'There is nothing here for visitors of a site.';

const FOR_USERS = 'This is for users: call it as a user, with `actAs`.';

const unauthenticated = (principal: Principal | null) =>
  new TRPCError({
    // guard: token-required
    code: 'UNAUTHORIZED',
    message: principal?.kind === 'operator' ? FOR_USERS : UNAUTHENTICATED,
  });

// guard: visitors-admitted
async function requireUser(ctx: Context): Promise<Actor> {
  const principal = await ctx.authenticate();
  // Their token is valid, so that another one would not help: what they may not see does not exist for them.
  // guard: visitors-not-found
  if (principal?.kind === 'visitor') throw new DomainError('not-found', NOT_FOR_VISITORS);
  if (principal?.kind !== 'user') throw unauthenticated(principal);
  return principal;
}

/** The caller of a query that admits visitors. @throws if they are not authenticated */
export async function requireReader(ctx: Context): Promise<Actor | Visitor> {
  const principal = await ctx.authenticate();
  if (principal?.kind !== 'user' && principal?.kind !== 'visitor') throw unauthenticated(principal);
  return principal;
}

/**
 * The caller of a mutation.
 * @throws if the caller is not authenticated, or the token has the scope `read`
 */
export async function requireWriter(ctx: Context): Promise<Actor> {
  const actor = await requireUser(ctx);
  requireWriteScope(actor);
  return actor;
}

/** @throws DomainError `forbidden` if the caller's token has the scope `read` */
export function requireWriteScope(actor: Actor): void {
  // guard: token-scope
  if (actor.credential.scope === 'read') throw new DomainError('forbidden', 'This API token is read-only.');
}

/** The context of a procedure after authentication. */
interface CallerContext extends Context {
  actor: Actor;
  /** The name of the procedure, to which the cursors of its lists are bound. */
  path: string;
  /** Runs the caller's expensive work on content. */
  engine: ReturnType<Engines['for']>;
}

/** Converts a result for the caller: those that need plain values get no prebuilt response. */
async function responseFor<Rest extends Result & { data?: unknown }>(
  { needsPlainValues }: Context,
  result: Rest,
): Promise<Rest> {
  return needsPlainValues && result.ok && result.data instanceof PrebuiltResponse
    ? { ...result, data: await result.data.value() }
    : result;
}

const requireActor = (ctx: Context, type: string): Promise<Actor> =>
  type === 'mutation' ? requireWriter(ctx) : requireUser(ctx);

async function requireQueryReader(ctx: Context, type: string): Promise<Actor | Visitor> {
  if (type !== 'query') throw new Error('visitors only read');
  return requireReader(ctx);
}

/** Records the activity of a member, for the caller, unless the call was refused. */
function recordActivity(ctx: Context, result: Result, caller: Caller): void {
  const { user, organization } = caller;
  // guard: seen-refused
  if (result.ok && organization !== undefined) runFor(caller, () => ctx.recordActivity?.(user, organization));
}

/** A procedure for callers with a valid token. A token with the scope `read` may not change anything. */
export const authenticatedProcedure = t.procedure.use((call) =>
  wrapHandler(call, requireActor, async (actor) => {
    const { ctx, next, path } = call;
    const caller: Caller = { user: actor.user.id };
    const engine = ctx.services.engines.for(caller);
    const result = await runFor(caller, () => next({ ctx: { actor, path, engine } }));
    recordActivity(ctx, result, caller);
    return responseFor(ctx, result);
  }),
);

/** A procedure for anyone, which does not authenticate the caller. */
export const publicProcedure = t.procedure.use((call) =>
  wrapHandler(
    call,
    async () => undefined,
    () => runFor({ user: call.ctx.origin?.().address ?? 'anyone' }, () => call.next()),
  ),
);

/**
 * A query for callers with a valid token and for visitors of a site: `ctx.reader` is either of them. All other procedures
 * refuse visitors.
 */
export const readerProcedure = t.procedure.meta({ visitors: true }).use((call) =>
  wrapHandler(call, requireQueryReader, async (reader) => {
    const { ctx, next, path } = call;
    const caller: Caller =
      reader.kind === 'user'
        ? { user: reader.user.id }
        : { organization: reader.organization, user: reader.site };
    const engine = ctx.services.engines.for(caller);
    const result = await runFor(caller, () => next({ ctx: { reader, path, engine } }));
    if (reader.kind === 'user') recordActivity(ctx, result, caller);
    return responseFor(ctx, result);
  }),
);

/**
 * The base of partial procedures, which run after authentication: they are concatenated to `authenticatedProcedure`, or to a
 * procedure built on it, and do not authenticate again.
 */
export const partialProcedure = initTRPC
  .context<CallerContext>()
  .meta<Meta>()
  .create({ transformer, isDev: false }).procedure;

/** Thrown with the error of a failed procedure out of its transaction, so that it is rolled back. */
class Rollback extends Error {
  readonly error: TRPCError;
  constructor(error: TRPCError) {
    super('rolled back');
    this.error = error;
  }
}

/** The unit of work of queries, which must read through `ctx.db`: using it throws. */
const noUnitOfWork = new Proxy({} as SqlEntityManager, {
  get() {
    throw new Error('a query has no unit of work: read through ctx.db');
  },
});

/**
 * Runs the rest of a mutation in one transaction, see `transact`. The unit of work is `ctx.em`, and `ctx.db` reads what it
 * has flushed.
 */
export async function inTransaction<Rest extends Result>(
  { ctx, type, input }: { ctx: Context; type: string; input?: unknown },
  rest: (ctx: { em: SqlEntityManager; db: Db }) => Promise<Rest>,
): Promise<Rest> {
  if (type !== 'mutation') return rest({ em: noUnitOfWork, db: ctx.db });
  const principal = await ctx.authenticate();
  if (principal?.kind === 'user') {
    // Before the transaction, which may have to wait for others of the organization.
    const organization = await findCallerOrganization(ctx.db, principal.user.id, input);
    if (organization !== undefined) attributeTo(organization);
  }
  const work = async (em: SqlEntityManager) => {
    const result = await rest({ em, db: kyselyOf(em) });
    if (!result.ok) throw new Rollback(result.error);
    return result;
  };
  try {
    return await transact(ctx, work, (error) => (error instanceof Rollback ? error.error.cause : error));
  } catch (error) {
    throw error instanceof Rollback ? error.error : error;
  }
}

async function requireOperator(ctx: Context): Promise<void> {
  const principal = await ctx.authenticate();
  // guard: operator-only
  if (principal?.kind !== 'operator')
    throw new DomainError('forbidden', 'Only the operator of this installation may do this.');
}

/** A procedure for the operator's in-process tools, which manages its own transactions. */
export const operatorJobProcedure = t.procedure.use((call) =>
  wrapHandler(call, requireOperator, () => call.next({ ctx: { path: call.path } })),
);

/** The same in one transaction, like every other procedure. */
export const operatorProcedure = operatorJobProcedure.use((call) =>
  inTransaction(call, (ctx) => call.next({ ctx })),
);
