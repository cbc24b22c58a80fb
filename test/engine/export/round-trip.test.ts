import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ImportError } from '../../../routers/engine/import/source.ts';
import { memorySource } from '../import/memory-source.ts';
import { exportRepository, importRepository } from './repository.ts';

const roundTrip = async (files: Record<string, string>) =>
  exportRepository(await importRepository(memorySource(files)));

describe('an import followed by an export returns unchanged:', () => {
  test.each<[string, Record<string, string>]>([
    [
      'pages without a table of contents',
      { 'README.md': '# Home\n', 'guide/start.md': 'Start\n', 'guide/next.md': '' },
    ],
    [
      'line ends and byte order marks',
      {
        'README.md': '\ufeff# Home\r\n\r\nText\r\n',
        'mixed.md': '# Mixed\r\n\nOne\r\nTwo\n',
        'SUMMARY.md': '# Table of contents\r\n\r\n* [Home](README.md)\r\n* [Mixed](mixed.md)\r\n',
      },
    ],
    [
      'a table of contents that lists a file before the place of its page',
      {
        'README.md': '# Home\n',
        'a.md': '# A\n',
        'b.md': '# B\n\n[a](a.md)\n',
        'SUMMARY.md':
          '# Table of contents\n\n* [Home](README.md)\n  * [A](a.md)\n* [A](a.md)\n  * [B](b.md)\n',
      },
    ],
    [
      'titles that stand further down, in a file without one at its top',
      { 'README.md': '[badge](a.svg)\n\n# Home\n', 'a.md': '---\nicon: x\n---\n\nText\n\n# A title\n' },
    ],
    [
      'files and pages whose paths differ only in case or Unicode normalization',
      {
        'README.md':
          '# Home\n\n![](Keys.png) ![](keys.png) [a](Guide.md) [b](guide.md) [c](<caf\u00e9.md>)\n',
        'Guide.md': '# A\n',
        'guide.md': '# B\n',
        'caf\u00e9.md': '# C\n',
        'cafe\u0301.md': '# D\n',
        'Keys.png': 'pixels',
        'keys.png': 'other pixels',
      },
    ],
    ['files that end without a line end', { 'README.md': '# Home', 'SUMMARY.md': '* [Home](README.md)' }],
    [
      'links however they are spelled',
      {
        'README.md': '# Home\n\n[a](./b/c.md) [b](/b/c.md#x) [c](b/c) [d](b//c.md "Title") [e](gone.md)\n',
        'b/c.md': '[home](../README.md) ![](<../.gitbook/assets/a b.png>)\n',
        '.gitbook/assets/a b.png': 'pixels',
      },
    ],
    [
      'layouts and tags of pages',
      {
        'README.md':
          '---\nlayout:\n  cover:\n    visible: true\n    size: hero\n    mask: radial\n  tags:\n    visible: false\n  actions:\n    visible: true\n  anchors:\n    visible: false\ntags:\n  - tag: beta\n    primary: true\n  - "two" # kept\n---\n\n# Home\n',
        'a.md': '---\nlayout: { tags: {visible: true} }\ntags: [ a, a ]\n---\n\n# A\n',
        'b.md': '---\ntags: []\n---\n\n# B\n',
      },
    ],
    [
      'front matter that is unknown or broken',
      {
        'README.md': '---\nlayout: landing # not ours\ntags:\n- a\n---\n\n# Home\n',
        'broken.md': '---\na: [\n---\nText\n',
      },
    ],
    [
      'a table of contents as it was written',
      {
        'README.md': '# Home\n',
        'a.md': '# A\n',
        'b.md': '# B\n',
        'SUMMARY.md':
          '# Contents\n\nBy hand.\n\n- [Home]( README.md )\n\n## Part <a href="#p" id="p"></a>\n\n+ [ A ](/a.md "Link title")\n\t* [Gone](gone.md)\n   * [B](b.md#x)\n***\n* [Out](https://example.com)\n  * [A again](a.md)\n',
      },
    ],
    [
      'groups and pages without a file whose titles end with a slash',
      {
        'README.md': '# Home\n',
        'a.md': '# A\n',
        'SUMMARY.md': '* [Home](README.md)\n\n## /api/v1/\n\n* GET /users/\n  * [A](a.md)\n\n## I/O /\n',
      },
    ],
    [
      'link titles, also of pages whose file is missing',
      {
        'README.md': '# Home\n',
        'a.md': '# A\n',
        'b.md': '# B\n',
        'SUMMARY.md':
          '* [Home](README.md)\n* [Gone](gone.md "Link title")\n  * [A](a.md \'A "quote"\')\n* [](also-gone.md "B")\n  * [B](b.md)\n',
      },
    ],
    [
      'a table of contents that is a page',
      {
        'README.md': '# Home\n\n[contents](SUMMARY.md)\n',
        'SUMMARY.md': '# Summary\n\n* [Home](README.md)\n* [Summary](SUMMARY.md)\n',
      },
    ],
    [
      'a table of contents that is the first page',
      {
        '.gitbook.yaml': 'structure:\n  summary: README.md\n',
        'README.md': '# Home\n\nWelcome.\n\n* [A](a.md)\n',
        'a.md': '# A\n\n[home](README.md)\n',
      },
    ],
    [
      'settings, variables and contents to include',
      {
        '.gitbook.yaml': 'root: ./docs/ # here\n',
        'docs/README.md': '# Home\n\n{% include "../.gitbook/includes/note.md" %}\n',
        'docs/.gitbook/vars.yaml': '# Ours\nname: "Ann"\n',
        '.gitbook/includes/note.md': '---\ntitle: Note\n---\n\nNote well.\n',
      },
    ],
    [
      'settings of HonKit',
      {
        'book.json':
          '{\r\n\t"root": "./src", "structure": {"summary": "README.md", "readme": "index.md"}\r\n}',
        'src/README.md': '* [Start](index.md)\n* [Second](b.md)\n  * [First](a.md)\n',
        'src/index.md': '# Start\n\n[a](/a.md)\n',
        'src/a.md': '# A\n',
        'src/b.md': '# B\n',
      },
    ],
  ])('%s', async (_, files) => {
    const texts = Object.fromEntries(Object.entries(files).filter(([path]) => !path.endsWith('.png')));
    const exported = await roundTrip(files);
    expect(exported).toMatchObject(texts);
    expect(Object.keys(exported).sort()).toEqual(Object.keys(files).sort());
  });

  test.for([
    ['guide/README.md'],
    ['guide/deep/last.md'],
    ['README.md', 'guide/README.md'],
    ['guide/README.md', 'guide/first.md', 'guide/deep/last.md'],
  ])('pages without a table of contents of which these cannot be read: %j', async (unreadable) => {
    const paths = ['README.md', 'a.md', 'guide/README.md', 'guide/first.md', 'guide/deep/last.md'];
    const readable = paths.filter((path) => !unreadable.includes(path));
    const docs = Object.fromEntries(readable.map((path) => [path, `# ${path}\n`]));
    const latin1 = Object.fromEntries(unreadable.map((path) => [path, Buffer.from('# Caf\xe9\n', 'latin1')]));
    const space = await importRepository(memorySource({ ...docs, ...latin1 }));
    expect(await exportRepository(space)).toEqual(docs);
  });

  test('a table of contents with pages below a file outside of the root', async () => {
    const docs = {
      '.gitbook.yaml': 'root: ./docs/\n',
      'docs/README.md': '# Home\n',
      'docs/SUMMARY.md':
        '* [Home](README.md)\n* [Changes](../CHANGES.md)\n  * [Upgrading](upgrading.md)\n* [Last](last.md)\n',
      'docs/last.md': '# Last\n',
      'docs/upgrading.md': '# Upgrading\n',
    };
    expect(await roundTrip({ ...docs, 'CHANGES.md': '# Changes\n' })).toEqual(docs);
  });

  const path = fc.constantFrom(
    'README.md',
    'a.md',
    'b.md',
    'd/README.md',
    'd/x y.md',
    'd/d/index.md',
    'é/ü.md',
    'd.md',
  );
  const href = fc.oneof(
    path,
    fc
      .tuple(fc.constantFrom('../', './', '/'), path, fc.constantFrom('', '#x', '?q'))
      .map((parts) => parts.join('')),
    fc.constantFrom('https://x.org', '#x', '', 'gone.md', 'd/', '.gitbook/assets/f.pdf', 'SUMMARY.md'),
  );
  const word = fc.oneof(
    fc.constantFrom('A', '**B**', '`c`', '\\[d\\]', '&amp;', '<a id="x"></a>', '/e/f/'),
    fc.string({ maxLength: 4 }),
    fc.array(fc.constantFrom(...'#/*_`[]()<>"\\&{}~: 0aé'), { maxLength: 6 }).map((parts) => parts.join('')),
  );
  const line = fc.oneof(
    fc.tuple(word, href).map(([text, to]) => `Some [${text}](<${to}>) text`),
    fc.constantFrom(
      '* item',
      '  * nested',
      '1. one',
      '> quote',
      '```',
      '## Heading',
      '| a | b |',
      '|---|---|',
      '<p>x</p>',
      '{% hint style="info" %}',
      '{% endhint %}',
      '[^1]',
      '[^1]: note',
      '[a]: b.md',
      '',
      '',
    ),
    fc.string({ maxLength: 20 }),
  );
  const head = fc.constantFrom(
    '',
    '# Title\n\n',
    '---\ntitle: T\n---\n',
    '---\nicon: [\n---\n',
    '---\nslug: s\nvars: {a: 1}\n---\n# H\n',
    'H\n===\n',
  );
  const page = fc
    .tuple(
      fc.constantFrom('', '\ufeff'),
      head,
      fc.array(line, { maxLength: 12 }),
      fc.constantFrom('\n', '\r\n', '\r'),
    )
    .map(([mark, start, lines, end]) => mark + (start + lines.join('\n')).replaceAll('\n', end));
  const entry = fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .tuple(
          fc.constantFrom('', '  ', '    ', '\t'),
          fc.constantFrom('*', '*', '1.'),
          word,
          href,
          fc.constantFrom('', '', ' "Title"'),
          fc.constantFrom('', '', '  '),
        )
        .map(([space, mark, text, to, title, end]) => `${space}${mark} [${text}](<${to}>${title})${end}`),
    },
    fc.tuple(fc.constantFrom('', '  '), word).map(([space, text]) => `${space}- ${text}`),
    fc.tuple(fc.constantFrom('# ', '## ', '### '), word).map((parts) => parts.join('')),
    fc.constantFrom('***', '* ```yaml', '  type: x', '  ```', ''),
    fc.string(),
  );
  const repository = fc.record(
    {
      files: fc.dictionary(path, page, { minKeys: 1, noNullPrototype: true }),
      summary: fc
        .tuple(fc.array(entry, { maxLength: 12 }), fc.constantFrom('\n', '\n', '\r\n'))
        .map(([lines, end]) => lines.join('\n').replaceAll('\n', end)),
      settings: fc.constantFrom(
        '',
        'root: d\n',
        'structure:\n  readme: a.md\n',
        'structure:\n  summary: b.md\n',
        '# nothing\n',
      ),
    },
    { requiredKeys: ['files'] },
  );

  test('any repository, byte by byte', async () => {
    await fc.assert(
      fc.asyncProperty(repository, async ({ files, summary, settings }) => {
        const given: Record<string, string> = {
          ...files,
          '.gitbook/assets/f.pdf': 'f',
          ...(summary !== undefined && {
            [settings?.startsWith('root: d') ? 'd/SUMMARY.md' : 'SUMMARY.md']: summary,
          }),
          ...(settings !== undefined && { '.gitbook.yaml': settings }),
        };
        let exported: Record<string, string>;
        try {
          exported = await roundTrip(given);
        } catch (error) {
          if (error instanceof ImportError) return;
          throw error;
        }
        for (const [name, text] of Object.entries(exported))
          if (!text.startsWith('sha256:')) expect([name, text]).toEqual([name, given[name]]);
      }),
      { numRuns: process.env.LONG === '1' ? 20_000 : 400 },
    );
  });
});
