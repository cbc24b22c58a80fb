import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.ts';
import {
  GLOBAL_SETUP,
  longFiles,
  ownProcesses,
  ROOT,
  sharedProcesses,
  waitingOwnProcesses,
  waitingSharedProcesses,
} from './projects.ts';
import { LONG, OWN_PROCESS, WAITING, WAITING_OWN, WAITING_SHARED } from './suites.ts';

/** All tests. `npm test` runs all projects except `long`. */
export default defineConfig({
  root: ROOT,
  test: {
    globalSetup: GLOBAL_SETUP,
    sequence: { sequencer: LongestFirst },
    projects: [
      sharedProcesses(['test/**/*.test.ts'], [...OWN_PROCESS, ...WAITING, ...LONG]),
      ownProcesses(OWN_PROCESS, LONG),
      waitingOwnProcesses(WAITING_OWN, LONG),
      waitingSharedProcesses(WAITING_SHARED),
      longFiles(LONG),
    ],
  },
});
