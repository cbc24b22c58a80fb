import { execFile } from 'node:child_process';
import { chmod, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { makeFolder } from './folders.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder from which every user of the machine can run the product. */
    checkout: string;
  }
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The files that the product needs to run. */
const PARTS = ['node_modules', 'server', 'routers', 'schema', 'package.json'];

/** Copies the product if needed, because tests that run it as another user cannot read a private home folder. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.geteuid?.() !== 0 || (await isOpenToAll(ROOT))) {
    project.provide('checkout', ROOT);
    return undefined;
  }
  const copy = await makeFolder('checkout');
  await chmod(copy, 0o755);
  const from = PARTS.map((part) => join(ROOT, part));
  const copyWith = (options: string) => promisify(execFile)('cp', [options, '--', ...from, copy]);
  // Hard links, where the file system is the same, take no space.
  await copyWith('-al').catch(() => copyWith('-a'));
  project.provide('checkout', copy);
  return () => rm(copy, { recursive: true, force: true });
}

async function isOpenToAll(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  if ((mode & 0o005) !== 0o005) return false;
  return path === dirname(path) || isOpenToAll(dirname(path));
}

/** The path of a product file that every user of the machine can read. */
export const inCheckout = (path: string): string => join(inject('checkout'), path);

/** The path of the running Node.js executable, likewise. */
export function reachableNode(): string {
  const path = relative(ROOT, process.execPath);
  return path.startsWith('..') ? process.execPath : inCheckout(path);
}
