/** What may follow changes, and where their writers wait: features implement these, and `routers/hooks.ts` lists them. */

import type { ObjectBuffer, ObjectReader } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import type { EventObject } from '../events/events.api.ts';
import type { Db } from './db.ts';
import type { JobQueue } from './ports.ts';

/** What computes with content: objects never change, so reading them needs no lock. */
export interface ComputeContext {
  /** Outside of any transaction, except in the last try of an operation. */
  db: Db;
  engine: Engine;
}

/** A line of revisions of which one is active: of a space, of a change request, or of what a space imports. */
export interface BranchId {
  kind: 'space' | 'change-request' | 'import';
  id: string;
}

/** A change of the content of a branch, from one root to another. */
export interface ContentChange {
  branch: BranchId;
  before: string;
  after: string;
  /** Id of the revision that becomes active. */
  revision: string;
  /** Reads the objects of both. */
  reader: ObjectReader;
}

/**
 * Keeps something up to date with the content of branches. They are listed in `routers/hooks.ts`.
 */
export interface BranchHook<Computed = unknown> {
  /** What follows from a change, computed before it is made. It reads; undefined if there is nothing to save. */
  compute(work: ComputeContext, change: ContentChange): Promise<Computed | undefined>;
  /**
   * Saves it in the transaction of the change, with the branch locked.
   * @throws Outdated if what it was computed from has changed, other than the content
   */
  save(db: Db, change: ContentChange, computed: Computed | undefined): Promise<void>;
}

/**
 * Keeps what depends on single objects, by hash, of objects that have just been saved: before a branch has them, because
 * it is right wherever they are.
 */
export type ObjectHook = (
  work: ComputeContext & { services: { jobs: JobQueue } },
  objects: ObjectBuffer['pending'],
) => Promise<void>;

/** Called in the transaction of new events, once they are written. */
export type EventHook = (
  db: Db,
  services: { jobs: JobQueue },
  events: readonly EventObject[],
) => Promise<void>;

export interface BranchQueue {
  /**
   * Runs a try of a writer of a branch once those before it are done.
   * @param options.polite whether the next one begins if this one takes long before it calls `computed`; otherwise all wait
   *   for its end
   * @throws DomainError `unavailable` if too many wait, or it has waited too long
   */
  compute<Result>(
    branch: string,
    options: { polite: boolean },
    work: (computed: () => void) => Promise<Result>,
  ): Promise<Result>;
  /** Runs the transaction at the end of a try; one of a branch at a time, so that few connections wait for its row. */
  commit<Result>(branch: string, work: () => Promise<Result>): Promise<Result>;
  /** Runs a try that computes in its transaction: one at a time in all, because each holds a connection meanwhile. */
  last<Result>(work: () => Promise<Result>): Promise<Result>;
}
