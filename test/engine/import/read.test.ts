import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { planImport } from '../../../routers/engine/import/plan.ts';
import { readContent, readFile } from '../../../routers/engine/import/read.ts';
import { scanSource } from '../../../routers/engine/import/scan.ts';
import { memorySource } from './memory-source.ts';

async function plan(files: Record<string, string>) {
  return planImport(await scanSource(memorySource(files)), {
    pageIdOf: (key) => `page ${key}`,
    fileIdOf: (path) => `file ${path}`,
    reusableIdOf: (path) => `reusable ${path}`,
  });
}

/** Every content reference in a document. */
function refsOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'kind' in value ? [value] : [];
  return [...own, ...Object.values(value).flatMap(refsOf)];
}

test('a body is read without front matter and title, with links to imported content resolved', async () => {
  const made = await plan({
    'README.md':
      '---\r\nicon: x\r\n---\r\n\r\n# Home\r\n\r\n[to b](sub/b.md#part) ![](<i mg.png>)\r\n\r\n{% include ".gitbook/includes/s.md" %}\r\n',
    'sub/b.md': '# B\n\n[home](../) [self](#part) [out](https://example.com)\n',
    '.gitbook/includes/s.md': '---\ntitle: S\n---\n\n[b](../../sub/b.md)\n',
    'i mg.png': 'x',
  });
  const [home, , b] = made.pages;
  const [shared] = made.reusableContents;
  if (!home || !b || !shared) throw new Error('pages are missing');
  const { document, notes } = await readContent(made, home);
  expect(notes).toEqual([]);
  expect(JSON.stringify(document)).not.toContain('Home');
  expect(JSON.stringify(document)).not.toContain('\\r');
  expect(refsOf(document)).toEqual([
    { kind: 'anchor', page: 'page sub/b.md', anchor: 'part' },
    { kind: 'file', file: 'file i mg.png' },
    { kind: 'reusable-content', reusableContent: 'reusable .gitbook/includes/s.md' },
  ]);
  expect(refsOf((await readContent(made, b)).document)).toEqual([
    { kind: 'page', page: 'page README.md' },
    { kind: 'anchor', anchor: 'part' },
    { kind: 'url', url: 'https://example.com' },
  ]);
  expect(refsOf((await readContent(made, shared)).document)).toEqual([
    { kind: 'page', page: 'page sub/b.md' },
  ]);
});

test('broken links are reported with their line in the file', async () => {
  const made = await plan({ 'README.md': '---\nicon: x\n---\n# Home\n\ngone.md is gone\n\n[a](gone.md)\n' });
  const [home] = made.pages;
  if (!home) throw new Error('the page is missing');
  expect((await readContent(made, home)).notes).toEqual([
    {
      file: 'README.md',
      line: 8,
      severity: 'warning',
      message: 'The link "gone.md" does not exist; it stays as written.',
    },
  ]);
});

test('a page without a file has an empty document', async () => {
  const made = await plan({ 'SUMMARY.md': '* [A](a.md)\n* Draft\n', 'a.md': 'x' });
  const draft = made.pages.at(-1);
  if (!draft) throw new Error('the page is missing');
  expect(refsOf((await readContent(made, draft)).document)).toEqual([]);
});

test('a file is read with its bytes and metadata', async () => {
  const made = await plan({ 'README.md': '![](a.svg)', 'a.svg': '<svg width="4" height="3"/>' });
  const [file] = made.files;
  if (!file) throw new Error('the file is missing');
  const { bytes, sha256, dimensions, size } = await readFile(made, file);
  expect(new TextDecoder().decode(bytes)).toBe('<svg width="4" height="3"/>');
  expect({ size, dimensions }).toEqual({ size: 27, dimensions: { width: 4, height: 3 } });
  expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
});

test('URLs that run scripts are reported with their line, also in HTML, and stay as written', async () => {
  const made = await plan({
    'README.md':
      '# Home\n\n[a](javascript:a)\n\n<div class="x">\n<p id="y"><a href="javascript:b">b</a></p><!-- z -->\n</div>\n',
  });
  const [home] = made.pages;
  if (!home) throw new Error('the page is missing');
  const { document, notes } = await readContent(made, home);
  expect(refsOf(document)).toEqual([
    { kind: 'url', url: 'javascript:a' },
    { kind: 'url', url: 'javascript:b' },
  ]);
  expect(notes.map(({ line, severity, message }) => [line, severity, message])).toEqual([
    [3, 'warning', 'The URL "javascript:a" runs a script, so nothing leads to it on pages.'],
    [6, 'warning', 'The URL "javascript:b" runs a script, so nothing leads to it on pages.'],
  ]);
});
