import type { TestProjectConfiguration } from 'vitest/config';

export const ROOT = `${import.meta.dirname}/..`;

/** Set up once for a run, and torn down in reverse order. */
export const GLOBAL_SETUP = [
  'test/helpers/folders.ts',
  'test/helpers/cluster.ts',
  'test/helpers/checkout.ts',
];

const common = {
  root: ROOT,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // The first process that loads a module compiles it, and the others use the cache.
  env: { NODE_COMPILE_CACHE: `${ROOT}/node_modules/.cache/colophon-tests` },
};

/** The number of processes for files that keep a core busy. */
const CORES = 2;

/** Files that run one after the other in shared processes, because loading the product takes longer than most of them. */
export const sharedProcesses = (include: string[], exclude: string[]): TestProjectConfiguration => ({
  test: {
    ...common,
    name: 'shared',
    include,
    exclude,
    isolate: false,
    setupFiles: ['test/helpers/clean-up.ts'],
    maxWorkers: CORES,
    sequence: { groupOrder: 1 },
  },
});

/** Files that each run in their own process. */
export const ownProcesses = (include: string[]): TestProjectConfiguration => ({
  test: { ...common, name: 'own', include, maxWorkers: CORES, sequence: { groupOrder: 1 } },
});

/** The same for files that often wait for other processes and for clocks, so that two more can run concurrently. */
export const waitingProcesses = (include: string[]): TestProjectConfiguration => ({
  test: { ...common, name: 'waiting', include, maxWorkers: CORES + 2, sequence: { groupOrder: 2 } },
});
