import { enableCompileCache } from 'node:module';

/**
 * Caches compiled code next to the packages, so that later starts are faster and need less memory: the TypeScript compiler
 * is not even loaded. If the folder is not writable, everything works without the cache.
 */
enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/colophon`);
