import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.ts';
import { GLOBAL_SETUP, ownProcesses, ROOT, sharedProcesses, waitingProcesses } from './projects.ts';
import { OWN_PROCESS, WAITING } from './suites.ts';

/** All tests. */
export default defineConfig({
  root: ROOT,
  test: {
    globalSetup: GLOBAL_SETUP,
    sequence: { sequencer: LongestFirst },
    projects: [
      sharedProcesses(['test/**/*.test.ts'], [...OWN_PROCESS, ...WAITING]),
      ownProcesses(OWN_PROCESS),
      waitingProcesses(WAITING),
    ],
  },
});
