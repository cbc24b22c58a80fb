import { createHash } from 'node:crypto';
import type { ImportPlan } from './plan.ts';

/** To be raised with each change by which a file is read as another document, or with other findings. */
const PARSER_VERSION = 2;

/** A digest of all that decides how a file is read besides the file: what links can lead to, and to which ids. */
export function parseContextDigest({ targets }: ImportPlan): string {
  const { index, pages, files, reusableContents } = targets;
  const digest = createHash('sha256').update(`${PARSER_VERSION}\0${index.root}`);
  for (const path of index.files) digest.update(`\0${path}`);
  for (const ids of [pages, files, reusableContents])
    for (const [key, id] of ids) digest.update(`\0${key}\0${id}`);
  return digest.digest('hex');
}
