import { AsyncLocalStorage } from 'node:async_hooks';

/** Who work is done for: what all share is shared out by organization, then by user. */
export interface Caller {
  /** Id of the organization that it is about, once the caller is known to belong there. */
  organization?: string | undefined;
  /** Id of the user; of the site, for its visitors; otherwise the address of the client. */
  user: string;
}

const storage = new AsyncLocalStorage<Caller>();

/** What runs for nobody, such as reading events for all who wait for them. */
export const runWithoutCaller = AsyncLocalStorage.snapshot();

/** Where the current span is kept while work is traced. */
let spans: AsyncLocalStorage<unknown> | undefined;

export function setSpanStorage(storage: AsyncLocalStorage<unknown>): void {
  spans = storage;
}

/** What several callers share, such as a statement: it takes no share of the first one, but is a part of its trace. */
export function runForSeveralCallers(work: () => void): void {
  const span = spans?.getStore();
  runWithoutCaller(() => (spans && span !== undefined ? spans.run(span, work) : work()));
}

/** Runs work for a caller: what it waits for, such as connections to the database, counts under them. */
export const runFor = <Result>(caller: Caller, work: () => Result): Result => storage.run(caller, work);

/** Whom the code that runs now works for; undefined for work of the service itself. */
export const currentCaller = (): Caller | undefined => storage.getStore();

/** Counts what the current caller does from here on under an organization that they belong to. */
export function attributeTo(organization: string): void {
  const caller = storage.getStore();
  if (caller) caller.organization = organization;
}
