import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AUDIENCE_GUARDS } from './audience-guards.ts';
import { COMMENT_GUARDS } from './comment-guards.ts';
import { EVENT_GUARDS } from './event-guards.ts';
import { GUARDS } from './guards.ts';
import { SERVICE_GUARDS } from './service-guards.ts';
import { SITE_GUARDS } from './site-guards.ts';

const ROOT = join(import.meta.dirname, '../..');

test.each([
  ...GUARDS,
  ...AUDIENCE_GUARDS,
  ...COMMENT_GUARDS,
  ...EVENT_GUARDS,
  ...SERVICE_GUARDS,
  ...SITE_GUARDS,
])('the source contains once: $name', async ({ file, find, replace, tests }) => {
  const source = await readFile(join(ROOT, file), 'utf8');
  expect(source.split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
  for (const path of tests) await stat(join(ROOT, path));
});
