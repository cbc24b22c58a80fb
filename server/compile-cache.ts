import { enableCompileCache } from 'node:module';

/**
 * Keeps compiled code beside the packages, so that later starts are quicker and need less memory: the compiler of
 * TypeScript is not even loaded. Where the folder cannot be written, everything works without.
 */
enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/colophon`);
