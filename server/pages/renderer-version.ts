import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../version.ts';

const FOLDER = import.meta.dirname;

/** A hash of the version, and of the code and assets that render pages: when any of them changes, cached pages are stale. */
export const RENDERER_VERSION: string = hash(
  'sha256',
  [
    VERSION,
    ...readdirSync(FOLDER, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((file) => hash('sha256', readFileSync(file))),
  ].join('\n'),
);
