import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.ts';
import {
  GLOBAL_SETUP,
  ownProcesses,
  ROOT,
  sharedProcesses,
  waitingOwnProcesses,
  waitingSharedProcesses,
} from './projects.ts';
import { OWN_PROCESS, WAITING, WAITING_OWN, WAITING_SHARED } from './suites.ts';

/** All tests. */
export default defineConfig({
  root: ROOT,
  test: {
    globalSetup: GLOBAL_SETUP,
    sequence: { sequencer: LongestFirst },
    projects: [
      sharedProcesses(['test/**/*.test.ts'], [...OWN_PROCESS, ...WAITING]),
      ownProcesses(OWN_PROCESS),
      waitingOwnProcesses(WAITING_OWN),
      waitingSharedProcesses(WAITING_SHARED),
    ],
  },
});
