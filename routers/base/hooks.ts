/** The hooks that features implement, which are listed in `routers/hooks.ts`, and the queue of writers. */

import type { ObjectBuffer, ObjectReader } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import type { EventObject } from '../events/events.api.ts';
import type { Db } from './db.ts';
import type { JobQueue } from './ports.ts';

/** The means to compute with content, whose objects never change, so that reading them needs no lock. */
export interface ComputeContext {
  /** Outside of any transaction, except in the last attempt of an operation. */
  db: Db;
  engine: Engine;
}

/** Names a branch, which has an active revision: a space, a change request, or the imports of a space from one source. */
export interface BranchId {
  kind: 'space' | 'change-request' | 'import';
  id: string;
}

/** A change of the content of a branch, from one root to another. */
export interface ContentChange {
  branch: BranchId;
  before: string;
  after: string;
  /** The id of the revision that becomes active. */
  revision: string;
  /** Reads the objects of both roots. */
  reader: ObjectReader;
}

/**
 * Keeps something up to date with the content of branches.
 */
export interface BranchHook<Computed = unknown> {
  /** Computes what follows from a change before it is made, without writing; undefined if there is nothing to save. */
  compute(work: ComputeContext, change: ContentChange): Promise<Computed | undefined>;
  /**
   * Saves the result in the transaction of the change, with the branch locked.
   * @throws Outdated if something that it was computed from, other than the content, has changed
   */
  save(db: Db, change: ContentChange, computed: Computed | undefined): Promise<void>;
}

/**
 * Stores, by hash, what depends on single objects that have just been saved. Called before a branch has them, since the
 * result is valid wherever they are used.
 */
export type ObjectHook = (
  work: ComputeContext & { services: { jobs: JobQueue } },
  objects: ObjectBuffer['pending'],
) => Promise<void>;

/** Called in the transaction of new events, after they have been written. */
export type EventHook = (
  db: Db,
  services: { jobs: JobQueue },
  events: readonly EventObject[],
) => Promise<void>;

export interface BranchQueue {
  /**
   * Runs an attempt of a branch's writer when those before it are done.
   * @param options.canBeOvertaken whether the next writer starts if this one takes long before it calls `computed`; otherwise
   *   the others wait until it ends
   * @throws DomainError `unavailable` if too many wait, or this one has waited too long
   */
  compute<Result>(
    branch: string,
    options: { canBeOvertaken: boolean },
    work: (computed: () => void) => Promise<Result>,
  ): Promise<Result>;
  /** Runs the transaction at the end of an attempt, one per branch at a time, so that few connections wait for its row. */
  commit<Result>(branch: string, work: () => Promise<Result>): Promise<Result>;
  /** Runs an attempt that computes in its transaction: one at a time in this process, because each holds a connection. */
  lastAttempt<Result>(work: () => Promise<Result>): Promise<Result>;
}
