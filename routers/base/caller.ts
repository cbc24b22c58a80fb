import { AsyncLocalStorage } from 'node:async_hooks';

/** Who work is done for: what all share is shared out by organization, then by user. */
export interface Caller {
  /** Id of the organization that it is about, once the caller is known to belong there. */
  organization?: string | undefined;
  /** Id of the user; of the site, for its visitors; otherwise the address of the client. */
  user: string;
}

const storage = new AsyncLocalStorage<Caller>();

/** What runs for nobody, such as a statement that several callers share. */
export const forNobody = AsyncLocalStorage.snapshot();

/** Runs work for a caller: what it waits for, such as connections to the database, counts under them. */
export const runFor = <Result>(caller: Caller, work: () => Result): Result => storage.run(caller, work);

/** Whom the code that runs now works for; undefined for work of the service itself. */
export const currentCaller = (): Caller | undefined => storage.getStore();

/** Counts what the current caller does from here on under an organization that they belong to. */
export function countUnder(organization: string): void {
  const caller = storage.getStore();
  if (caller) caller.organization = organization;
}
