import type { Db } from './context.ts';

/** The background jobs and the data each takes. Handlers are idempotent: a job may run more than once. */
export interface Jobs {
  /** Removes spaces that were deleted more than 7 days ago. */
  'remove-deleted-spaces': Record<string, never>;
  /** Removes content that no revision reaches any more. */
  'collect-garbage': Record<string, never>;
}

export interface JobQueue {
  /** Enqueues a job in the transaction that `db` is bound to: it exists exactly when the write does. */
  enqueue<Name extends keyof Jobs>(db: Db, name: Name, data: Jobs[Name]): Promise<void>;
}
