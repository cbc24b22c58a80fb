import { type Engine, localEngine } from './engine.ts';

/** Engines for callers, who share the processors. */
export interface Engines {
  /** Workers are shared out by organization, which may become known later, then by user. */
  for(caller: { readonly organization?: string | undefined; readonly user: string }): Engine;
  /**
   * Runs work that includes a large task when it is the caller's turn: one per caller at a time, and few in all. For work
   * that would hold a database connection while its task waits.
   * @throws DomainError `unavailable` if too many wait.
   */
  turn<Result>(caller: string, work: () => Promise<Result>): Promise<Result>;
}

export const localEngines: Engines = { for: () => localEngine, turn: (_, work) => work() };
