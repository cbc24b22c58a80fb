import { createHash } from 'node:crypto';
import type { ImportPlan } from './plan.ts';

/** Must be incremented whenever a change makes files parse to different documents or notes. */
const PARSER_VERSION = 9;

const NONE: ReadonlyMap<string, string> = new Map();

/** A digest of everything besides the file that affects how it is parsed: the possible targets of links, and their ids. */
export function parseContextDigest({ targets }: ImportPlan): string {
  const { index, pages, files, reusableContents, generated = NONE } = targets;
  const digest = createHash('sha256').update(`${PARSER_VERSION}\0${index.root}`);
  for (const path of index.files) digest.update(`\0${path}`);
  for (const ids of [pages, files, reusableContents, generated])
    for (const [key, id] of ids) digest.update(`\0${key}\0${id}`);
  return digest.digest('hex');
}
