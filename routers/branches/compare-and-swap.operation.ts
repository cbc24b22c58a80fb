import { isDeepStrictEqual } from 'node:util';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { ComputeContext } from '../base/hooks.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { transact } from '../sql/transact.ts';
import {
  type Advance,
  advanceBranch,
  type Branch,
  computeHooks,
  type HookResults,
  saveContent,
} from './advance.operation.ts';
import { Outdated } from './outdated.ts';
import { tooBusy } from './queue.ts';

/** How often an operation computes; the last time in its transaction, so that nobody else can change what it reads. */
// guard: branch-last-try-locks
const ATTEMPTS = 4;

/** How often hooks compute their results if these get out of date while the branch does not. */
const HOOK_ATTEMPTS = 3;

/** How long the last attempt may compute in its transaction, in milliseconds: longer than any task may take. */
const LAST_ATTEMPT_IDLE = 300_000;

/** The transaction in which an operation saves what it computed. */
export interface SaveContext {
  em: SqlEntityManager;
  db: Db;
  /** Makes computed content active on its branch, which is locked. */
  advance(branch: Branch, advance: Advance): Promise<void>;
  /** How many objects of the computed content were not stored before. */
  created: number;
}

/** What an operation computed: its result, if there is nothing to save, or how to save it. */
export type Plan<State, Locked, Result> =
  | { result: Result }
  | {
      /** The new content of branches; its objects are saved before the transaction. */
      advances: readonly Advance[];
      /**
       * Has to be fast, because everything is locked. `now` was read under the lock. May throw `Outdated`, too.
       */
      save(tx: SaveContext, locked: Locked, now: State): Promise<Result>;
    };

/** An operation on branches that computes without a lock. */
export interface SwapOperation<State, Locked, Result> {
  /** Id of the branch whose writers wait for each other; without it, none do. */
  branch?: string;
  /**
   * Reads what the operation depends on, and checks what it requires: access, status, mode. Called again under the lock.
   */
  read(db: Db): Promise<State>;
  /** The parts of the state that must not change until the result is saved, such as revisions. */
  preconditions(state: State): readonly (string | null | undefined)[];
  /** Computes from the state; all slow work belongs here. */
  compute(work: ComputeContext, state: State): Promise<Plan<State, Locked, Result>>;
  /** Locks the rows that the operation changes, in the order of `lock-order.ts`. */
  lock(em: SqlEntityManager): Promise<Locked>;
}

export type SwapContext = Pick<Context, 'authenticate' | 'transaction' | 'db' | 'services'> & {
  engine: Engine;
};

/**
 * Changes branches by compare-and-swap: reads without a lock, computes without a connection, and then, in a short
 * transaction, locks, reads again, and saves, unless something that the result depends on has changed: then it starts over.
 * On the first attempt, other writers of this process may overtake; on the next ones they may not; the last attempt computes
 * with everything locked, so that it succeeds however busy the branch is.
 * @throws DomainError `unavailable` if too many wait for the branch, or others keep it locked
 */
export async function compareAndSwap<State, Locked, Result>(
  ctx: SwapContext,
  swap: SwapOperation<State, Locked, Result>,
): Promise<Result> {
  const { branchQueue } = ctx.services;
  const { branch } = swap;
  const runQueued = <Value>(canBeOvertaken: boolean, work: (computed: () => void) => Promise<Value>) =>
    branch === undefined ? work(() => undefined) : branchQueue.compute(branch, { canBeOvertaken }, work);
  const commitQueued = <Value>(work: () => Promise<Value>) =>
    branch === undefined ? work() : branchQueue.commit(branch, work);

  // guard: branch-optimistic-tries
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    const done =
      attempt === 1
        ? await runQueued(true, (computed) => attemptOnce(ctx, swap, computed, commitQueued))
        : await runQueued(false, (computed) =>
            commitQueued(() => attemptOnce(ctx, swap, computed, (work) => work())),
          );
    if (done) return done.result;
  }
  try {
    return await runQueued(false, () =>
      commitQueued(() => branchQueue.lastAttempt(() => computeLocked(ctx, swap))),
    );
  } catch (error) {
    throw error instanceof Outdated ? tooBusy() : error;
  }
}

/** @returns undefined if something has changed meanwhile */
async function attemptOnce<State, Locked, Result>(
  ctx: SwapContext,
  swap: SwapOperation<State, Locked, Result>,
  computed: () => void,
  commitQueued: <Value>(work: () => Promise<Value>) => Promise<Value>,
): Promise<{ result: Result } | undefined> {
  const { db, engine } = ctx;
  const state = await swap.read(db);
  const plan = await swap.compute({ db, engine }, state);
  if ('result' in plan) return plan;
  const created = await saveAll(ctx, { db, engine }, plan.advances);
  for (let round = 0; round < HOOK_ATTEMPTS; round++) {
    const hookResults = await computeAllHooks(ctx, { db, engine }, plan.advances);
    computed();
    try {
      const commit = () =>
        transact(ctx, async (em) => {
          const locked = await swap.lock(em);
          // guard: branch-read-under-lock
          const now = await swap.read(kyselyOf(em));
          // guard: branch-outdated
          if (!isDeepStrictEqual(swap.preconditions(now), swap.preconditions(state))) throw new Outdated();
          return plan.save(saveContextIn(ctx, em, { created, hookResults }), locked, now);
        });
      return { result: await commitQueued(commit) };
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      if (error.what === 'content') return undefined;
    }
  }
  return undefined;
}

/** Computes and saves in one transaction. */
const computeLocked = <State, Locked, Result>(
  ctx: SwapContext,
  swap: SwapOperation<State, Locked, Result>,
): Promise<Result> =>
  transact(ctx, async (em) => {
    const work = { db: kyselyOf(em), engine: ctx.engine };
    await sql`select set_config('idle_in_transaction_session_timeout', ${String(LAST_ATTEMPT_IDLE)}, true)`.execute(
      work.db,
    );
    const locked = await swap.lock(em);
    const state = await swap.read(work.db);
    const plan = await swap.compute(work, state);
    if ('result' in plan) return plan.result;
    const created = await saveAll(ctx, work, plan.advances);
    const hookResults = await computeAllHooks(ctx, work, plan.advances);
    return plan.save(saveContextIn(ctx, em, { created, hookResults }), locked, state);
  });

async function saveAll(
  { services }: SwapContext,
  work: ComputeContext,
  advances: readonly Advance[],
): Promise<number> {
  let created = 0;
  // Branches that advance together may share their objects.
  for (const objects of new Set(advances.map((advance) => advance.objects)))
    created += await saveContent(work, services, objects);
  return created;
}

async function computeAllHooks(
  { services }: SwapContext,
  work: ComputeContext,
  advances: readonly Advance[],
): Promise<Map<Advance, HookResults>> {
  const hookResults = new Map<Advance, HookResults>();
  for (const advance of advances) hookResults.set(advance, await computeHooks(work, services, advance));
  return hookResults;
}

const saveContextIn = (
  { services }: SwapContext,
  em: SqlEntityManager,
  { created, hookResults }: { created: number; hookResults: ReadonlyMap<Advance, HookResults> },
): SaveContext => ({
  em,
  db: kyselyOf(em),
  created,
  advance: (branch, advance) =>
    advanceBranch(em, services, branch, advance, hookResults.get(advance) as HookResults),
});
