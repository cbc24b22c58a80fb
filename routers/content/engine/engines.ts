import { type Engine, localEngine } from './engine.ts';

/** Engines for callers, who share what there is of processors. */
export interface Engines {
  /** `caller` is an id: the work of one waits behind that of others who have less under way. */
  for(caller: string): Engine;
}

export const localEngines: Engines = { for: () => localEngine };
