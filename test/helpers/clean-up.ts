import { afterAll, vi } from 'vitest';

/** Files that share a process get it as they would a new one: what one of them replaces is put back at its end. */
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.resetConfig();
});
