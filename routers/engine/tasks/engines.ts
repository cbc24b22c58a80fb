import { type Engine, localEngine } from './engine.ts';

/** Engines for callers, who share the processors. */
export interface Engines {
  /** `caller` is an id: work of a caller waits behind that of others with fewer running tasks. */
  for(caller: string): Engine;
}

export const localEngines: Engines = { for: () => localEngine };
