import type { Revision } from '../../schema/entities/revision.ts';
import type { ObjectBuffer } from '../engine/store/objects.ts';
import type { Branch, Work } from './advance.operation.ts';

/** A branch that has just advanced to a new revision. */
export interface Advanced {
  branch: Branch;
  revision: Revision;
  /** The objects that the transaction stored for it. */
  objects: ObjectBuffer['pending'];
}

/**
 * Called in the transaction that changes the content of a branch; long work is enqueued there as a job. The followers
 * of all chapters are listed in `routers/followers.ts`.
 */
export type Follower = (work: Work, advanced: Advanced) => Promise<void>;
