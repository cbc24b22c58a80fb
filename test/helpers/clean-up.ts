import { afterAll, vi } from 'vitest';

/** Test files that share a process must leave it as they found it: restores whatever the file has replaced. */
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.resetConfig();
});
