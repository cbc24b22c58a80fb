import { expect, test } from 'vitest';
import { scanSource } from '../../../routers/engine/import/scan.ts';
import { IMPORT_LIMITS } from '../../../routers/engine/import/source.ts';
import { memorySource } from './memory-source.ts';
import { messagesOf, plan, scan, tree } from './planned.ts';

test('MDX files are reported with a warning of their own', async () => {
  const made = await plan({
    'README.md': '# A\n\n[e](e.mdx)\n',
    'b.mdx': '# B',
    'c.MDX': '# C',
    'd.txt': '',
    'e.mdx': '',
  });
  expect(made.report).toEqual([
    {
      file: '/',
      severity: 'info',
      message: 'This file is not used by any page, so not imported: "d.txt".',
    },
    {
      file: '/',
      severity: 'warning',
      message: 'These 2 files are MDX, which is not read, so not imported: "b.mdx", "c.MDX".',
    },
  ]);
});

test('settings determine the root folder, the first page and the table of contents', async () => {
  const made = await plan({
    '.gitbook.yaml':
      'root: docs\nstructure:\n  readme: intro.md\n  summary: toc.md\nredirects:\n  old: sub/b.md#x\n',
    'docs/intro.md': '# Intro',
    'docs/toc.md': '* [B](sub/b.md)\n* [Outside](../other.md)\n',
    'docs/sub/b.md': '# B',
    'docs/unlisted.md': '',
    'other.md': '',
    Makefile: '',
  });
  expect(tree(made)).toEqual(['document Intro (intro) docs/intro.md', 'document B (b) docs/sub/b.md']);
  expect(made.redirects).toEqual([{ from: ['old'], page: made.pages[1]?.id }]);
  expect(messagesOf(made)).toEqual([
    '/: These 2 files are not used by any page, so not imported: "other.md", "Makefile".',
    'docs/: This file is not listed in the table of contents, so not imported: "unlisted.md".',
    'docs/intro.md: This file is not listed in the table of contents; it became the first page.',
    'docs/toc.md:2 "other.md" is not in the root folder of the documentation; it was left out.',
  ]);
});

test('a Markdown file that is not listed is imported as a file if a page links to it', async () => {
  const made = await plan(
    {
      'README.md': '[a](docs/a) [b](docs/b.md#x) [long](docs/long.md) [toc](SUMMARY.md) [set](.gitbook.yaml)',
      'SUMMARY.md': '* [B](docs/b.md)\n',
      '.gitbook.yaml': 'root: ./\n',
      'docs/a.md': '# A',
      'docs/b.md': '[c](c.md)',
      'docs/c.md': '[d](d.md)',
      'docs/d.md': '# Not linked from a page',
      'docs/long.md': 'x'.repeat(200),
    },
    { ...IMPORT_LIMITS, fileBytes: 100 },
  );
  expect(made.files.map(({ path }) => path)).toEqual(['docs/a.md', 'docs/c.md']);
  expect(messagesOf(made)).toEqual([
    'README.md: This file is not listed in the table of contents; it became the first page.',
    'docs/: This file is not listed in the table of contents, so not imported: "d.md".',
    'docs/long.md: This file is larger than 100 bytes and was not imported.',
  ]);
});

test('a list of several spaces is not supported and leads to a warning', async () => {
  const made = await plan({
    'README.md': '# Home',
    'docs.yaml': 'spaces: []\n',
    'guide/docs.yaml': 'a: b\n',
  });
  expect(made.report).toMatchObject([
    { file: '/', severity: 'warning', message: expect.stringContaining('a list of spaces') },
    { file: 'guide/', severity: 'info' },
  ]);
});

test('assets, files that pages refer to, reusable contents and variables are imported', async () => {
  const made = await plan({
    'README.md':
      '---\ncover: img/cover.png\n---\n![](<img/a b.png>) <img src="img/b.png?raw=true"> {% file src="c%20d.zip" %}\n[d]: ./e.txt\n[x](f_\\(1\\).txt) [y](img/g(1).png) <img src="img/h &#x26; i.png">',
    '.gitbook/assets/any.svg': '<svg/>',
    '.gitbook/assets/notes.md': '# A file, not a page',
    '.gitbook/includes/shared.md': '---\ntitle: Shared\n---\n![](../../img/shared.png)',
    '.gitbook/vars.yaml': 'version: 1.5\nname: Colophon\nbad: [1]\n',
    'img/a b.png': '',
    'img/b.png': '',
    'c d.zip': '',
    'e.txt': '',
    'f_(1).txt': '',
    'img/g(1).png': '',
    'img/h & i.png': '',
    'img/cover.png': '',
    'img/shared.png': '',
    'img/unused.png': '',
  });
  expect(made.files.map(({ path }) => path).sort()).toEqual([
    '.gitbook/assets/any.svg',
    '.gitbook/assets/notes.md',
    'c d.zip',
    'e.txt',
    'f_(1).txt',
    'img/a b.png',
    'img/b.png',
    'img/cover.png',
    'img/g(1).png',
    'img/h & i.png',
    'img/shared.png',
  ]);
  expect(made.files.find(({ path }) => path === '.gitbook/assets/any.svg')).toEqual({
    id: 'file .gitbook/assets/any.svg',
    path: '.gitbook/assets/any.svg',
    name: 'any.svg',
    contentType: 'image/svg+xml',
    size: 6,
  });
  expect(made.pages).toHaveLength(1);
  expect(made.pages[0]?.cover).toEqual({
    ref: { kind: 'file', file: 'file img/cover.png' },
    refDark: undefined,
    yPos: 0,
    height: undefined,
  });
  expect(made.reusableContents).toMatchObject([
    { title: 'Shared', git: { path: '.gitbook/includes/shared.md' } },
  ]);
  expect(made.variables).toEqual({ version: '1.5', name: 'Colophon' });
  expect(messagesOf(made)).toEqual([
    '.gitbook/vars.yaml: The variable "bad" has no plain name or value and was left out.',
    'img/: This file is not used by any page, so not imported: "unused.png".',
  ]);
});

test('keys do not depend on other entries, and equal keys are made unique', async () => {
  const before = await plan({ 'SUMMARY.md': '## G\n* [A](a.md)\n* T\n* T\n', 'a.md': '' });
  const after = await plan({ 'SUMMARY.md': '## New\n## G\n* U\n* [A](a.md)\n* T\n* T\n', 'a.md': '' });
  const keys = after.pages.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  for (const { key } of before.pages) expect(keys).toContain(key);
});

test('a computed page keeps its source', async () => {
  const made = await plan({
    'SUMMARY.md':
      '* [A](a.md)\n  * ```yaml\n    type: builtin:openapi\n    dependencies:\n      spec:\n        ref:\n          kind: openapi\n          spec: pets\n    ```\n',
    'a.md': '',
  });
  expect(made.pages[1]).toMatchObject({
    type: 'computed',
    parent: 'page a.md',
    computed: { type: 'builtin:openapi', dependencies: { spec: { ref: { kind: 'openapi', spec: 'pets' } } } },
  });
});

test('the path of the file of a computed page is replaced by its id, and nothing else', async () => {
  const spec = { ref: { kind: 'file', file: './api.yaml', extra: 1 }, pinned: true };
  const computed = { type: 'builtin:openapi', dependencies: { spec, other: 'too' } };
  const made = await plan({
    'SUMMARY.md': `* [A](a.md)\n* \`\`\`yaml\n  ${JSON.stringify(computed)}\n  \`\`\`\n`,
    'a.md': '',
    'api.yaml': 'openapi: 3.1.0',
  });
  const ref = { ...spec.ref, file: 'file api.yaml' };
  expect(made.pages[1]?.computed).toEqual({
    ...computed,
    dependencies: { ...computed.dependencies, spec: { ...spec, ref } },
  });
});

test('a file that cannot be read is reported, and the import continues', async () => {
  const made = await plan({
    'SUMMARY.md': '* [A](a.md)\n  * [B](b.md)\n* [C](c.md)\n',
    'a.md': new Uint8Array([0xff, 0xfe, 0x41, 0x00]),
    'b.md': '\uFEFF# With a mark\r\n\r\nText\r\n',
    'c.md': 'x'.repeat(IMPORT_LIMITS.textBytes + 1),
  });
  expect(tree(made)).toEqual(['document A (A)', '  document B (b) b.md']);
  expect(messagesOf(made)).toEqual([
    'a.md: This file is not UTF-8 text and was not read.',
    'c.md: This file is larger than 8 MB and was not read.',
  ]);
});

test('an import without anything to import fails with the reason', async () => {
  await expect(scan({})).rejects.toMatchObject({ reason: 'empty' });
  await expect(scan({ 'a.png': '' })).rejects.toMatchObject({ reason: 'empty' });
  await expect(scan({ 'a.md': new Uint8Array([0xff]) })).rejects.toMatchObject({ reason: 'unreadable' });
  await expect(scan({ 'a.md': '', '.gitbook.yaml': 'root: docs' })).rejects.toMatchObject({
    reason: 'root_not_found',
  });
  const source = memorySource({ 'a.md': '', 'b.md': '', 'c.md': '' });
  await expect(scanSource(source, { ...IMPORT_LIMITS, files: 2 })).rejects.toMatchObject({
    reason: 'too_many_files',
  });
});

test('the same source results in the same plan, with the blob ids of git', async () => {
  const files = { 'README.md': 'hello\n', 'b.md': '[x](y.md)', 'c/d.md': '' };
  const [one, two] = [await plan(files), await plan(files)];
  expect(JSON.stringify(one)).toBe(JSON.stringify(two));
  // What `git hash-object` prints for "hello\n".
  expect(one.pages[0]?.git?.oid).toBe('ce013625030ba8dba906f756967f9e9ca394464a');
});
