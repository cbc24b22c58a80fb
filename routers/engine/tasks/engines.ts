import { type Engine, localEngine } from './engine.ts';

/** Provides engines for callers, among whom workers are shared fairly. */
export interface Engines {
  /** Workers are allocated by organization, which may become known only later, then by user. */
  for(caller: { readonly organization?: string | undefined; readonly user: string }): Engine;
}

export const localEngines: Engines = { for: () => localEngine };
