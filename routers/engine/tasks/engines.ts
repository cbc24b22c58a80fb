import { type Engine, localEngine } from './engine.ts';

/** Engines for callers, who share what there is of processors. */
export interface Engines {
  /** `caller` is an id: the work of one waits behind that of others who have less under way. */
  for(caller: string): Engine;
  /**
   * Does what comes to a large task, when it is the caller's turn: one of a caller at a time, and few in all. For what
   * would hold a connection to the database while its task waits.
   * @throws DomainError `unavailable` where too many wait.
   */
  turn<Result>(caller: string, work: () => Promise<Result>): Promise<Result>;
}

export const localEngines: Engines = { for: () => localEngine, turn: (_, work) => work() };
