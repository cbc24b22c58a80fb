import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: `${import.meta.dirname}/..`,
  test: {
    include: ['test/**/*.test.ts'],
    // The first one is ended last.
    globalSetup: ['test/helpers/folders.ts', 'test/helpers/cluster.ts', 'test/helpers/checkout.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each file has a process of its own, which loads most of the product: compiled by the first, kept for the others.
    env: { NODE_COMPILE_CACHE: `${import.meta.dirname}/../node_modules/.cache/colophon-tests` },
    // Real processes and a real database on small machines: a file at a time per core.
    maxWorkers: 2,
  },
});
