import type { Db, Services } from '../base/context.ts';
import type { ObjectBuffer, ObjectReader } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';

/** What computes with content: objects never change, so reading them needs no lock. */
export interface Computing {
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
 * Keeps something up to date with the content of branches. The hooks of all chapters are listed in
 * `routers/hooks.ts`.
 */
export interface BranchHook<Computed = unknown> {
  /** What follows from a change, computed before it is made. It reads; undefined if there is nothing to save. */
  compute(work: Computing, change: ContentChange): Promise<Computed | undefined>;
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
  work: Computing & { services: Services },
  objects: ObjectBuffer['pending'],
) => Promise<void>;

/** Something that was read before has changed: what was computed from it must not be saved. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
  /** Whether all of it has to be computed again, or only what hooks compute. */
  readonly what: 'content' | 'following';

  constructor(what: Outdated['what'] = 'content') {
    super(`the ${what} was computed from what has changed since`);
    this.what = what;
  }
}
