import { expect, test } from 'vitest';
import { type ImportPlan, planImport } from '../../../routers/engine/import/plan.ts';
import { type Scan, scanSource } from '../../../routers/engine/import/scan.ts';
import { IMPORT_LIMITS } from '../../../routers/engine/import/source.ts';
import { memorySource } from './memory-source.ts';

type Files = Record<string, string | Uint8Array>;
const scan = (files: Files, limits = IMPORT_LIMITS): Promise<Scan> => scanSource(memorySource(files), limits);

/** Ids that are readable in assertions. */
const ids = {
  pageIdOf: (key: string) => `page ${key}`,
  fileIdOf: (path: string) => `file ${path}`,
  reusableIdOf: (path: string) => `reusable ${path}`,
};

const plan = async (files: Files, limits = IMPORT_LIMITS) => planImport(await scan(files, limits), ids);

/** The page tree as indented lines. */
function tree({ pages }: ImportPlan): string[] {
  const depths = new Map<string | null, number>([[null, 0]]);
  return pages.map(({ id, parent, type, title, slug, git }) => {
    const depth = depths.get(parent);
    if (depth === undefined) throw new Error(`${title} comes before its parent`);
    depths.set(id, depth + 1);
    return `${'  '.repeat(depth)}${type} ${title} (${slug})${git ? ` ${git.path}` : ''}`;
  });
}

const messagesOf = ({ report }: ImportPlan) =>
  report.map(({ file, line, message }) => `${file}:${line ?? ''} ${message}`);

test('the page tree comes from the table of contents; titles, slugs and settings come from the files', async () => {
  const made = await plan({
    'README.md': '---\ndescription: Hello\n---\n\n# Welcome\n',
    'SUMMARY.md':
      '# S\n\n* [Welcome](README.md)\n\n## Get *started* <a href="#go" id="go"></a>\n\n* [Setup](setup/README.md "Set up")\n  * [Linux](setup/linux.md)\n  * [Forum](https://example.com/forum)\n',
    'setup/README.md': '# Setup\n',
    'setup/linux.md': '# Setting up on Linux\n',
  });
  expect(tree(made)).toEqual([
    'document Welcome (README) README.md',
    'group Get started (go)',
    '  document Setup (setup) setup/README.md',
    '    document Linux (linux) setup/linux.md',
    '    link Forum (Forum)',
  ]);
  expect(made.report).toEqual([]);
  expect(made.pages[0]).toMatchObject({
    description: 'Hello',
    git: { head: '---\ndescription: Hello\n---\n\n# Welcome\n' },
  });
  expect(made.pages[2]).toMatchObject({ linkTitle: 'Set up' });
  expect(made.pages[3]).toMatchObject({ git: { head: '# Setting up on Linux\n' } });
  expect(made.pages[4]?.target).toEqual({ kind: 'url', url: 'https://example.com/forum' });
});

test('the title comes from the table of contents, front matter, the first heading, or the file name, in this order', async () => {
  const made = await plan({
    'SUMMARY.md': '* [S \\& *T*](a.md)\n* [](b.md)\n* [](c.md)\n* [](d.md)\n* [](02-e_file.md)\n',
    'a.md': '---\ntitle: Front\n---\n# Heading\n',
    'b.md': '---\ntitle: Front\n---\n# Heading\n',
    'c.md': '# Heading\n\n# Later\n',
    'd.md': 'Text\n\n# Later\n',
    '02-e_file.md': 'Text\n',
  });
  expect(made.pages.map(({ title }) => title)).toEqual(['S & T', 'Front', 'Heading', 'Later', 'E file']);
});

test('without a table of contents, the page tree follows the folders, in natural order of names', async () => {
  const made = await plan({
    'README.md': '# Home',
    'chapter-10.md': '',
    'chapter-2.md': '',
    'guides/README.md': '# All guides',
    'guides/b.md': '',
    'guides/a/deep.md': '',
    'topics/x.md': '',
    'zoo.md': '# Zoo',
    'zoo/lion.md': '',
    'images/only.png': '',
  });
  expect(tree(made)).toEqual([
    'document Home (README) README.md',
    'document Chapter 2 (chapter-2) chapter-2.md',
    'document Chapter 10 (chapter-10) chapter-10.md',
    'document All guides (guides) guides/README.md',
    '  document A (a)',
    '    document Deep (deep) guides/a/deep.md',
    '  document B (b) guides/b.md',
    'group Topics (topics)',
    '  document X (x) topics/x.md',
    'document Zoo (zoo) zoo.md',
    '  document Lion (lion) zoo/lion.md',
  ]);
});

test('a hidden Markdown file is a page if the table of contents lists it', async () => {
  const files = { 'README.md': '# Home\n', 'sub/.pyc.md': '# Compiled\n', '.notes.md': '', '.env': '' };
  expect(tree(await plan(files))).toEqual(['document Home (README) README.md']);
  const listed = await plan({ ...files, 'SUMMARY.md': '* [Home](README.md)\n* [.pyc](sub/.pyc.md)\n' });
  expect(tree(listed)).toEqual(['document Home (README) README.md', 'document .pyc (.pyc) sub/.pyc.md']);
  expect(messagesOf(listed)).toEqual([]);
});

test('slugs of pages without a file come from their whole titles, and those of folders from their names', async () => {
  const ofTitles = await plan({
    'SUMMARY.md': '* [Home](README.md)\n\n## /api/v1/\n\n* a/b/\n* [Gone](gone.md "Link title")\n  * c/\n',
    'README.md': '',
  });
  expect(tree(ofTitles)).toEqual([
    'document Home (README) README.md',
    'group /api/v1/ (/api/v1/)',
    '  document a/b/ (a/b/)',
    '  document Gone (Gone)',
    '    document c/ (c/)',
  ]);
  expect(ofTitles.pages[3]).toMatchObject({ linkTitle: 'Link title' });
  expect(tree(await plan({ 'README.md': '# Home', '02-first_steps/deep_er/a.md': '# A' }))).toEqual([
    'document Home (README) README.md',
    'group First steps (02-first_steps)',
    '  document Deep er (deep_er)',
    '    document A (a) 02-first_steps/deep_er/a.md',
  ]);
});

test('entries that cannot be pages become links or are left out, each with a note', async () => {
  const made = await plan({
    'SUMMARY.md': [
      '* [Home](README.md)',
      '* [Again](./README.md)',
      '* [Part](README.md#part)',
      '* [Only part](b.md#x)',
      '* [Gone](gone.md)',
      '  * [Below](c.md)',
      '* [Also gone](gone-too.md)',
      '* [Out](../../etc/passwd)',
      '* [Sheet](sheet.pdf)',
      '* [Site](https://example.com)',
      '  * [Under a link](d.md)',
    ].join('\n'),
    'README.md': '# Home',
    'b.md': '',
    'c.md': '',
    'd.md': '',
    'sheet.pdf': 'x',
  });
  expect(tree(made)).toEqual([
    'document Home (README) README.md',
    'link Again (Again)',
    'link Part (Part)',
    'document Only part (b) b.md',
    'document Gone (Gone)',
    '  document Below (c) c.md',
    'link Sheet (Sheet)',
    'link Site (Site)',
    'document Under a link (d) d.md',
  ]);
  expect(made.pages.filter(({ type }) => type === 'link').map(({ target }) => target)).toEqual([
    { kind: 'page', page: 'page README.md' },
    { kind: 'anchor', page: 'page README.md', anchor: 'part' },
    { kind: 'file', file: 'file sheet.pdf' },
    { kind: 'url', url: 'https://example.com' },
  ]);
  expect(messagesOf(made)).toEqual([
    'SUMMARY.md:2 "README.md" is already listed; a page has one place, so this became a link.',
    'SUMMARY.md:4 "b.md" is listed only by an anchor in it; the entry became the whole page.',
    'SUMMARY.md:5 "gone.md" does not exist; an empty page takes its place, because other pages are nested below it.',
    'SUMMARY.md:7 "gone-too.md" does not exist; the entry was left out.',
    'SUMMARY.md:8 "../../etc/passwd" leads out of the folder; the entry was left out.',
    'SUMMARY.md:10 A link cannot contain pages; what is nested below it follows it instead.',
  ]);
});

test('a file that is listed several times becomes a page at the entry with children', async () => {
  const summary =
    '* [Home](README.md)\n* [Best](best.md)\n  * [Engines](engines/README.md)\n* [Engines](engines/README.md)\n  * [Aria](engines/aria.md)\n* [Again](engines/)\n  * [Best](best.md)\n* [Contents](README.md)\n  * [Last](last.md)\n';
  const files = ['README.md', 'best.md', 'engines/README.md', 'engines/aria.md', 'last.md'];
  const made = await plan({ 'SUMMARY.md': summary, ...Object.fromEntries(files.map((path) => [path, ''])) });
  expect(tree(made)).toEqual([
    'document Home (README) README.md',
    'document Best (best) best.md',
    '  link Engines (Engines)',
    'document Engines (engines) engines/README.md',
    '  document Aria (aria) engines/aria.md',
    'link Again (Again)',
    'link Best (Best)',
    'link Contents (Contents)',
    'document Last (last) last.md',
  ]);
  expect(messagesOf(made)).toContain(
    'SUMMARY.md:3 "engines/README.md" is listed again with pages below it; a page has one place, so this became a link.',
  );
});

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

test('pages deeper than 32 levels become siblings of their parent, and are reported', async () => {
  const folders = (depth: number) => Array.from({ length: depth }, (_, index) => `f${index + 1}`).join('/');
  const deep = await plan({ [`${folders(40)}/page.md`]: '# Deep', 'README.md': '# Home' });
  const parents = new Map(deep.pages.map(({ id, parent }) => [id, parent]));
  const depthOf = (id: string | null | undefined): number => (id ? 1 + depthOf(parents.get(id)) : 0);
  const depths = deep.pages.map(({ id }) => depthOf(id));
  expect(deep.pages).toHaveLength(42);
  expect(Math.max(...depths)).toBe(32);
  expect(depths.filter((depth) => depth === 32)).toHaveLength(10);
  const moved = messagesOf(deep).filter((message) => message.includes('deeper than 32 levels'));
  expect(moved).toHaveLength(9);
  expect(moved).toContainEqual(expect.stringContaining(`${folders(40)}/page.md`));
});

test('pages below a group are not deeper than 32 levels either', async () => {
  const entries = Array.from({ length: 33 }, (_, index) => `${'  '.repeat(index)}* Entry ${index}`);
  const deep = await plan({ 'SUMMARY.md': `## Group\n\n${entries.join('\n')}\n`, 'README.md': '' });
  const lines = tree(deep);
  expect(Math.max(...lines.map((line) => line.search(/\S/) / 2 + 1))).toBe(32);
  expect(messagesOf(deep)).toContainEqual(expect.stringMatching(/^SUMMARY\.md:\d+ .*deeper than 32 levels/));
});

test('a link of the table of contents to a script is imported as written, and reported', async () => {
  const made = await plan({ 'SUMMARY.md': '* [A](<javascript:alert(1)>)\n* [B](slack://open)\n' });
  expect(made.pages.map(({ target }) => target)).toEqual([
    { kind: 'url', url: 'javascript:alert(1)' },
    { kind: 'url', url: 'slack://open' },
  ]);
  expect(messagesOf(made)).toEqual([
    'SUMMARY.md:1 The URL "javascript:alert(1)" runs a script, so nothing leads to it on pages.',
  ]);
});
