/** What is made of a book when its pages, or its process, fail. */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test, vi } from 'vitest';
import { makeFolder } from '../helpers/folders.ts';
import { documentOf, typeset } from './typesetting.ts';

let folder: string;
beforeAll(async () => {
  folder = await makeFolder('pdf');
});

/** The processes that this one has started for a step. */
async function typesetters(): Promise<number[]> {
  const threads = await readdir('/proc/self/task');
  const children = threads.map((thread) => readFile(`/proc/self/task/${thread}/children`, 'utf8'));
  const pids = (await Promise.all(children)).join(' ').split(' ').filter(Boolean).map(Number);
  const isTypesetter = await Promise.all(
    pids.map(async (pid) => (await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('typesetter-main')),
  );
  return pids.filter((_, index) => isTypesetter[index]);
}

test('a single page that cannot be typeset is shown as plain text, without an empty page before it', async () => {
  const template = pathToFileURL(join(folder, 'no-lines.typ'));
  const look = await readFile(new URL('../../server/pdf/template.typ', import.meta.url), 'utf8');
  const refusal = 'assert(not json(file).c.any(node => node.t == "divider"), message: "no lines")';
  await writeFile(template, `${look}\n#for file in book.sheets.flatten() { ${refusal} }`);
  const made = await typeset(folder, { Page: documentOf('Text.\n\n***\n') }, { template, isSingle: true });
  expect(made.notes).toEqual(['Page: shown as plain text (assertion failed: no lines)']);
  expect(made.file).toMatchObject({ pages: 1, outline: ['Page'], isTagged: true, labels: { 0: '/D' } });
});

test('a book with a page that cannot be typeset has the others, and a note', async () => {
  // Rejects lines between blocks, and all of some pages.
  const template = pathToFileURL(join(folder, 'picky.typ'));
  const look = await readFile(new URL('../../server/pdf/template.typ', import.meta.url), 'utf8');
  const refusal = `#for file in book.sheets.flatten() {
    let chapter = json(file)
    assert(chapter.name != "Worst" or chapter.c.all(node => node.t == "note"), message: "no text")
    assert(not chapter.c.any(node => node.t == "divider"), message: "no lines")
  }`;
  await writeFile(template, `${look}\n${refusal}`);
  const made = await typeset(
    folder,
    {
      Good: documentOf('Text.'),
      Bad: documentOf('Text.\n\n***\n'),
      Worst: documentOf('Text.'),
    },
    { template },
  );
  expect(made.file.outline).toEqual(['Good', 'Bad', 'Worst']);
  expect(made.notes.map((note) => note.replace(/ \(.*/s, ''))).toEqual([
    'Bad: shown as plain text',
    'Worst: shown as plain text',
    'Worst: left out',
  ]);
});

test.skipIf(process.platform !== 'linux')('a book whose process is killed is set again', async () => {
  const setting = typeset(folder, { Page: documentOf('Text.') });
  const [child] = await vi.waitUntil(async () => {
    const found = await typesetters();
    return found.length > 0 && found;
  });
  process.kill(child as number, 'SIGKILL');
  const made = await setting;
  expect([made.notes, made.file.outline]).toEqual([[], ['Page']]);
});

test('a book that takes too long is aborted', async () => {
  const limits = { memory: 1e9, time: 1 };
  await expect(typeset(folder, { Page: documentOf('Text.') }, { limits })).rejects.toThrow('takes too long');
});
