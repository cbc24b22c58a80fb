import { defineConfig } from 'vitest/config';
import { GLOBAL_SETUP, ROOT, sharedProcesses } from './projects.ts';
import { FAST, LONG, OWN_PROCESS, WAITING } from './suites.ts';

/** What `npm run test:fast` runs. */
export default defineConfig({
  root: ROOT,
  test: {
    globalSetup: GLOBAL_SETUP,
    projects: [sharedProcesses(FAST, [...OWN_PROCESS, ...WAITING, ...LONG])],
  },
});
