import { AsyncLocalStorage } from 'node:async_hooks';

/** Whom work is done for: shared resources are divided by organization, then by user. */
export interface Caller {
  /** The id of the organization that the work is about, once the caller is known to belong to it. */
  organization?: string | undefined;
  /** The id of the user; for visitors, of the site; otherwise the address of the client. */
  user: string;
}

const storage = new AsyncLocalStorage<Caller>();

/** Runs work that belongs to no caller, such as reading events for all who wait for them. */
export const runWithoutCaller = AsyncLocalStorage.snapshot();

/** The storage of the current span, if tracing is on. */
let spans: AsyncLocalStorage<unknown> | undefined;

export function setSpanStorage(storage: AsyncLocalStorage<unknown>): void {
  spans = storage;
}

/** Runs work that several callers share, such as a statement: it counts for none of them, but belongs to the trace of the first. */
export function runForSeveralCallers(work: () => void): void {
  const span = spans?.getStore();
  runWithoutCaller(() => (spans && span !== undefined ? spans.run(span, work) : work()));
}

/** Runs work for a caller: what it uses, such as database connections, counts for them. */
export const runFor = <Result>(caller: Caller, work: () => Result): Result => storage.run(caller, work);

/** The caller that the current code works for; undefined for work of the service itself. */
export const currentCaller = (): Caller | undefined => storage.getStore();

/** Attributes what the current caller does from now on to an organization that they belong to. */
export function attributeTo(organization: string): void {
  const caller = storage.getStore();
  if (caller) caller.organization = organization;
}
