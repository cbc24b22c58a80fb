import type { TestProjectConfiguration } from 'vitest/config';

export const ROOT = `${import.meta.dirname}/..`;

/** What is set up once for a run. The first one is ended last. */
export const GLOBAL_SETUP = [
  'test/helpers/folders.ts',
  'test/helpers/cluster.ts',
  'test/helpers/checkout.ts',
];

const common = {
  root: ROOT,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // What a process loads is compiled by the first, and kept for the others.
  env: { NODE_COMPILE_CACHE: `${ROOT}/node_modules/.cache/colophon-tests` },
};

/** Processes for files that keep a core busy. */
const CORES = 2;

/** Files that run one after the other in the same processes: loading the product takes longer than most of them run. */
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

/** Files that each have a process of their own. */
export const ownProcesses = (include: string[]): TestProjectConfiguration => ({
  test: { ...common, name: 'own', include, maxWorkers: CORES, sequence: { groupOrder: 1 } },
});

/** The same for files that wait for other processes and for clocks a good part of the time: two more at once. */
export const waitingProcesses = (include: string[]): TestProjectConfiguration => ({
  test: { ...common, name: 'waiting', include, maxWorkers: CORES + 2, sequence: { groupOrder: 2 } },
});
