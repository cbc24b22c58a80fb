import { type Engine, localEngine } from './engine.ts';

/** Engines for callers, who share the processors. */
export interface Engines {
  /** Workers are shared out by organization, which may become known later, then by user. */
  for(caller: { readonly organization?: string | undefined; readonly user: string }): Engine;
}

export const localEngines: Engines = { for: () => localEngine };
