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

/** A process runs one file after the other. */
const sharing = { isolate: false, setupFiles: ['test/helpers/clean-up.ts'] };

/** Files that run one after the other in shared processes, because loading the product takes longer than most of them. */
export const sharedProcesses = (include: string[], exclude: string[]): TestProjectConfiguration => ({
  test: {
    ...common,
    ...sharing,
    name: 'shared',
    include,
    exclude,
    maxWorkers: CORES,
    sequence: { groupOrder: 1 },
  },
});

/** Files that each run in their own process. */
export const ownProcesses = (include: string[], exclude: string[]): TestProjectConfiguration => ({
  test: { ...common, name: 'own', include, exclude, maxWorkers: CORES, sequence: { groupOrder: 1 } },
});

/** A test may start several processes, each of which may take half a minute on a machine that does other work. */
const patient = { ...common, testTimeout: 240_000, hookTimeout: 240_000 };

/** Files that often wait for other processes and for clocks, so that two more can run concurrently. */
const waiting = { ...patient, maxWorkers: CORES + 2, sequence: { groupOrder: 2 } };

/** Such files that each run in their own process. */
export const waitingOwnProcesses = (include: string[], exclude: string[]): TestProjectConfiguration => ({
  test: { ...waiting, name: 'waiting', include, exclude },
});

/** Such files that run one after the other in shared processes. */
export const waitingSharedProcesses = (include: string[]): TestProjectConfiguration => ({
  test: { ...waiting, ...sharing, name: 'waiting-shared', include },
});

/** What `npm run test:long` runs, each file in its own process. */
export const longFiles = (include: string[]): TestProjectConfiguration => ({
  test: { ...patient, name: 'long', include, maxWorkers: CORES, sequence: { groupOrder: 3 } },
});
