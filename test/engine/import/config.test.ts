import { describe, expect, test } from 'vitest';
import {
  BOOK_PATH,
  parseConfig,
  parseSettings,
  settingsPathIn,
} from '../../../routers/engine/import/config.ts';

test('paths are relative to the root folder, which is relative to the source', () => {
  const { config, notes } = parseConfig(
    'root: ./docs/\nstructure:\n  readme: ./intro.md\n  summary: toc/SUMMARY.md\n',
  );
  expect(config).toEqual({
    root: 'docs',
    readme: 'docs/intro.md',
    summary: 'docs/toc/SUMMARY.md',
    redirects: [],
  });
  expect(notes).toEqual([]);
});

test('invisible characters, which came with an example of GitBook, are ignored', () => {
  const { config, notes } = parseConfig(
    'root: ./\n\n\u200Bstructure:  \n    summary: ./docs/SUMMARY.md\u200B\n',
  );
  expect(config.summary).toBe('docs/SUMMARY.md');
  expect(notes).toEqual([]);
});

test('an empty configuration is valid', () => {
  expect(parseConfig('').config).toEqual({ root: '', redirects: [] });
  expect(parseConfig('# nothing yet\n').config).toEqual({ root: '', redirects: [] });
});

test.each([
  'root: ../other',
  'root: /etc',
  'root: a/../../b',
  'root: C:\\docs',
  'structure: {summary: ../SUMMARY.md}',
  'root: docs\nstructure: {summary: ../SUMMARY.md}',
  'root: docs\nstructure: {summary: ../docs-of-others/SUMMARY.md}',
])('a path that leads out of the folder is rejected: %s', (yaml) => {
  expect(() => parseConfig(yaml)).toThrow(expect.objectContaining({ reason: 'root_outside' }));
});

test.each([
  ['.gitbook.yaml', 'root: docs\nstructure: {readme: ../README.md, summary: TOC.md}'],
  ['book.json', '{"root": "docs", "structure": {"readme": "../README.md", "summary": "TOC.md"}}'],
])('a first page outside of the root folder is reported and ignored: %s', (file, text) => {
  const { config, notes } = parseSettings(file, text);
  expect(config).toEqual({ root: 'docs', summary: 'docs/TOC.md', redirects: [] });
  const message =
    'The file "../README.md", set as "structure.readme", is not in the root folder of the documentation; the setting was ignored.';
  expect(notes).toEqual([{ file, severity: 'error', message }]);
});

test('unknown and malformed settings are reported and ignored', () => {
  const { config, notes } = parseConfig(
    'root: 5\ntheme: dark\nstructure:\n  glossary: G.md\n  readme: [1]\nredirects:\n  a: b.md\n  c: [d]\n',
  );
  expect(config).toEqual({ root: '', redirects: [['a', 'b.md']] });
  expect(notes.map(({ message }) => message)).toEqual([
    'The setting "theme" is unknown and was ignored.',
    'The setting "root" is not a path and was ignored.',
    'The setting "structure" has an unknown part "glossary".',
    'The setting "structure.readme" is not a path and was ignored.',
    'The redirect of "c" is not a path and was ignored.',
  ]);
});

test('a configuration may have many redirects, up to a megabyte', () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `  old/${index}: new/${index}.md\n`).join('');
  expect(parseConfig(`redirects:\n${lines(20_000)}`).config.redirects.length).toBe(20_000);
  expect(() => parseConfig(`redirects:\n${lines(60_000)}`)).toThrow('.gitbook.yaml is larger than 1 MB');
});

test('invisible characters in the name of a setting are escaped in the report', () => {
  const { notes } = parseConfig('\u2060structure:\n  readme: a.md\n\u{1f468}\u200d\u{1f466}: b\n');
  expect(notes.map(({ message }) => message)).toEqual([
    'The setting "\\u{2060}structure" is unknown and was ignored.',
    'The setting "\u{1f468}\u200d\u{1f466}" is unknown and was ignored.',
  ]);
});

test.each(['root: [', '- a\n- b', 'just text', `root: ${'['.repeat(50_000)}`])(
  'a configuration that is not a mapping is rejected, naming the file',
  (yaml) => {
    expect(() => parseConfig(yaml)).toThrow(
      expect.objectContaining({
        reason: 'bad_configuration',
        message: expect.stringMatching(/^\.gitbook\.yaml .*\.$/),
      }),
    );
  },
);

describe('book.json', () => {
  const read = (book: unknown) => parseSettings(BOOK_PATH, JSON.stringify(book));

  test('says where the documentation is; .gitbook.yaml goes before it', () => {
    const structure = { readme: 'index.md', summary: 'toc/README.md', glossary: 'G.md' };
    expect(read({ title: 'Book', root: './source/', structure, plugins: ['-search'] })).toEqual({
      config: { root: 'source', readme: 'source/index.md', summary: 'source/toc/README.md', redirects: [] },
      notes: [],
    });
    for (const book of [{}, [], 5, null, { root: 5, structure: [], plugins: [] }])
      expect(read(book)).toEqual({ config: { root: '', redirects: [] }, notes: [] });
    expect(settingsPathIn(new Set(['book.json', '.gitbook.yaml']))).toBe('.gitbook.yaml');
    expect(settingsPathIn(new Set(['book.json']))).toBe('book.json');
    expect(settingsPathIn(new Set(['docs/book.json']))).toBeUndefined();
  });

  test('is refused if it cannot be read, or leads out of the folder', () => {
    expect(() => parseSettings(BOOK_PATH, '{"root": "docs",}')).toThrow(
      /^book\.json is not valid JSON: .*; fix it, or add a \.gitbook\.yaml\.$/,
    );
    for (const book of [
      { root: '../other' },
      { root: '/etc' },
      { root: 'a', structure: { summary: '../S.md' } },
    ])
      expect(() => read(book)).toThrow(/^book\.json sets ".*" to ".*", which leads out of the folder/);
  });
});
