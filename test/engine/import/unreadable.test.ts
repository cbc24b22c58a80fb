import { expect, test } from 'vitest';
import type { EarlierFiles, FileRole } from '../../../routers/engine/import/earlier-files.ts';
import { planImport } from '../../../routers/engine/import/plan.ts';
import { readContent } from '../../../routers/engine/import/read.ts';
import { scanSource } from '../../../routers/engine/import/scan.ts';
import { type DocsSource, IMPORT_LIMITS, type SourceEntry } from '../../../routers/engine/import/source.ts';
import { decodeText, gitBlobOid } from '../../../routers/engine/import/text.ts';
import { memorySource } from './memory-source.ts';

const BAD = new Uint8Array([0xff, 0xfe, 0x41]);

const textOf = (text: string) => {
  const bytes = Buffer.from(text);
  const decoded = decodeText(bytes);
  if (!decoded) throw new Error('not UTF-8');
  return { ...decoded, bytes };
};

/** Files of the last import: their roles, and their texts. */
const earlierFiles = (files: Record<string, readonly [FileRole, string?]>): EarlierFiles => ({
  markdown: Object.entries(files).flatMap(([path, [role, text = '']]) =>
    role === 'page' || role === 'reusable-content'
      ? [{ path, oid: gitBlobOid(Buffer.from(text)), title: /^# (.*)/m.exec(text)?.[1] ?? '' }]
      : [],
  ),
  roles: new Map(Object.entries(files).map(([path, [role]]) => [path, role])),
  async *read(paths) {
    for (const path of paths) yield [path, textOf(files[path]?.[1] ?? '')] as const;
  },
});

/** The source with entries that it lists, but cannot read. */
const withProblems = (source: DocsSource, problems: readonly SourceEntry[]): DocsSource => ({
  ...source,
  async *list() {
    yield* problems;
    yield* source.list();
  },
});

async function plan(source: DocsSource, earlier: EarlierFiles, limits = IMPORT_LIMITS) {
  const made = planImport(await scanSource(source, limits, earlier), {
    pageIdOf: (key) => `page ${key}`,
    fileIdOf: (path) => `file ${path}`,
    reusableIdOf: (path) => `reusable ${path}`,
  });
  const report = made.report.map(({ file, severity, message }) => `${severity} ${file}: ${message}`);
  return { plan: made, ...made, report, kept: Object.fromEntries(made.scan.kept) };
}

test('a page that can no longer be read has the settings, blob id, links and files of its earlier text', async () => {
  const text = '---\nicon: bolt\n---\n\n# Guide\n\n[b](b.md) ![](i.png)\n';
  const made = await plan(
    memorySource({ 'README.md': '[guide](guide.md)', 'guide.md': BAD, 'b.md': '', 'i.png': 'i' }),
    earlierFiles({ 'guide.md': ['page', text] }),
  );
  expect(made.kept).toEqual({ 'guide.md': 'page' });
  const guide = made.pages.find(({ key }) => key === 'guide.md');
  expect(guide).toMatchObject({ title: 'Guide', icon: 'bolt', git: { oid: gitBlobOid(Buffer.from(text)) } });
  expect(made.files.map(({ path }) => path)).toEqual(['i.png']);
  expect(made.report).toEqual([
    'error guide.md: This file is not UTF-8 text and was not read. Its page stays as it was.',
  ]);
  const read = await readContent(made.plan, { git: guide?.git }, textOf(text));
  expect([read.text, read.notes]).toEqual([text, []]);
  expect(JSON.stringify(read.document)).toContain('"page":"page b.md"');
});

test('what is unreadable for the first time in its role is left out as before', async () => {
  const made = await plan(
    memorySource({ 'README.md': '[a](a.md) [b](b.md)', 'a.md': BAD, 'b.md': BAD }),
    earlierFiles({ 'b.md': ['file'] }),
  );
  expect(made.pages.map(({ key }) => key)).toEqual(['README.md']);
  // It can be read as a file, and was one.
  expect(made.files.map(({ path }) => path)).toEqual(['b.md']);
  expect(made.report).toEqual([
    'error a.md: This file is not UTF-8 text and was not read.',
    'error b.md: This file is not UTF-8 text and was not read.',
  ]);
});

test('entries with a problem are kept if they were imported, with all below a folder', async () => {
  const source = withProblems(
    memorySource({ 'README.md': '![](x/i.png) ![](new.png) [c](x/c.md)', '.gitbook/assets/a.bin': 'a' }),
    [
      { path: 'x', size: 0, problem: 'This folder cannot be read (EACCES).', isFolder: true },
      { path: 'new.png', size: 0, problem: 'This file is encrypted.' },
      { path: 'x/c.md', size: 0, problem: 'This is listed elsewhere.', isDuplicate: true },
    ],
  );
  const earlier = earlierFiles({
    'x/README.md': ['page', '# X'],
    'x/y/b.md': ['page', '# B'],
    'x/i.png': ['file'],
    'x/unused.png': ['file'],
    'gone.md': ['page', '# Gone'],
  });
  const made = await plan(source, earlier);
  expect(made.pages.map(({ key }) => key)).toEqual(['README.md', 'x/README.md', 'x/y/', 'x/y/b.md']);
  expect(made.files.map(({ path }) => path)).toEqual(['.gitbook/assets/a.bin', 'x/i.png']);
  expect(made.kept).toEqual({ 'x/README.md': 'page', 'x/y/b.md': 'page', 'x/i.png': 'file' });
  expect(made.report).toEqual([
    'error new.png: This file is encrypted.',
    'error x: This folder cannot be read (EACCES). What was imported from it stays as it was.',
    'warning x/c.md: This is listed elsewhere.',
  ]);
});

test('a file that is kept, or that cannot be read, counts against the limit of files', async () => {
  const files = memorySource({ 'README.md': '', 'a.md': '' });
  const limits = { ...IMPORT_LIMITS, files: 2 };
  expect((await plan(files, earlierFiles({}), limits)).pages).toHaveLength(2);
  const problem = 'This file is encrypted.';
  const sources: [DocsSource, EarlierFiles][] = [
    [
      withProblems(files, [{ path: 'b', size: 0, problem, isFolder: true }]),
      earlierFiles({ 'b/c.md': ['page', ''] }),
    ],
    [withProblems(files, [{ path: 'b.md', size: 0, problem }]), earlierFiles({})],
  ];
  for (const [source, earlier] of sources)
    await expect(plan(source, earlier, limits)).rejects.toMatchObject({ reason: 'too_many_files' });
});

test('what pages need is missing if it cannot be read; links to it say that it is there', async () => {
  const problem = 'This file cannot be read (EACCES).';
  const made = await plan(
    withProblems(memorySource({ 'README.md': '# Home\n\n![](used.png)\n\n[page](page.md)\n' }), [
      { path: 'used.png', size: 0, problem },
      { path: 'unused.png', size: 0, problem },
      { path: 'page.md', size: 0, problem },
    ]),
    earlierFiles({}),
  );
  expect(made.pages.map(({ key }) => key)).toEqual(['README.md']);
  expect(made.report).toEqual([
    `error page.md: ${problem}`,
    `warning unused.png: ${problem}`,
    `error used.png: ${problem}`,
  ]);
  const { notes } = await readContent(made.plan, made.pages[0] ?? {});
  expect(notes.map(({ message }) => message)).toEqual([
    'The link "used.png" is a file that was not imported; it stays as written.',
    'The link "page.md" is a file that did not become a page; it stays as written.',
  ]);
});

test('nothing is imported if the settings are listed with a problem', async () => {
  const source = withProblems(memorySource({ 'README.md': '', 'docs/README.md': '' }), [
    { path: '.gitbook.yaml', size: 0, problem: 'This file is encrypted.' },
  ]);
  await expect(plan(source, earlierFiles({}))).rejects.toMatchObject({
    reason: 'bad_configuration',
    message: '.gitbook.yaml: This file is encrypted.',
  });
});
