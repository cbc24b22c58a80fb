import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../version.ts';

const FOLDER = import.meta.dirname;

/** Changes with the version, and with the code and the assets that pages are drawn with: they may then look different. */
export const CODE_TAG: string = hash(
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
