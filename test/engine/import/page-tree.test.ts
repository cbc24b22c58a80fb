import { expect, test } from 'vitest';
import { messagesOf, plan, tree } from './planned.ts';

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
