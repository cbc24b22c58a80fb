import { describe, expect, test } from 'vitest';
import type { Document } from '../../../routers/engine/document/document.ts';
import { restoreDocumentSpelling } from '../../../routers/engine/edit/document-spelling.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { getDocument, putDocument } from '../../../routers/engine/store/documents.ts';
import type { PageFields } from '../../../routers/engine/store/edit.ts';
import type { PageRecord } from '../../../routers/engine/store/records.ts';
import { memorySource } from '../import/memory-source.ts';
import { changedBy as changedIn, patch } from './exported-edits.ts';
import { edit, emptySpace, exportRepository, type ImportedSpace, importRepository } from './repository.ts';

const SUMMARY = `# Table of contents

* [Home](README.md)

## Guides <a href="#guides" id="guides"></a>

- [Start]( guide/start.md )
  * [Next](guide/next.md)
- [Last](guide/last.md)

***

* [Help](https://example.com/help)
`;
const DOCS = {
  'README.md': '# Home\n\nSee [start](./guide/start.md) and __more__.\n\n-  one\n-  two\n\nLast   words.\n',
  'SUMMARY.md': SUMMARY,
  'guide/start.md': '---\n# kept\ndescription: Old\nowner: docs\n---\n\n# Start\n\nText\n',
  'guide/next.md': '# Next\n\n[up](start.md)\n',
  'guide/last.md': '# Last\n',
  '.gitbook/vars.yaml': '# Names\na: "1"\nb: two\n',
};

const now = '2026-01-01T00:00:00.000Z';
const created = { createdAt: now, updatedAt: now };

/** The changed files of an export after edits; deleted files are undefined. */
const changedBy = (edits: Parameters<typeof changedIn>[0], docs: Record<string, string> = DOCS) =>
  changedIn(edits, docs);

/** The document of a page with one of its blocks replaced by Markdown. */
async function withBlock({ buffer }: ImportedSpace, page: PageRecord, index: number, markdown: string) {
  const document = await getDocument(buffer, page.document as string);
  const [block] = parseMarkdown(markdown).nodes;
  const nodes = document.nodes.with(index, {
    ...block,
    key: document.nodes[index]?.key,
  } as Document['nodes'][0]);
  return putDocument(buffer, { ...document, nodes });
}

const inSummary = (from: string, to: string) => ({ 'SUMMARY.md': SUMMARY.replace(from, to) });

describe('an edit in the service changes only the following in the export:', () => {
  test('the edited block', async () => {
    const changed = await changedBy(async (page, space) => [
      patch(page('Home'), { document: await withBlock(space, page('Home'), 2, 'New words.') }),
    ]);
    expect(changed).toEqual({ 'README.md': DOCS['README.md'].replace('Last   words.', 'New words.') });
  });

  test.for([
    ['Old **a **b and __c', 'New **a **b and __c'],
    ['Old \\(a\\) &amp; b_ \\', 'New \\(a\\) &amp; b_ \\'],
    ['> Old <a> <b c> ```d``` \\', '> New <a> <b c> ```d``` \\'],
    ['1. Old \\-- ./*.x and a [b] c  \n   d', '1. New \\-- ./*.x and a [b] c  \n   d'],
    [
      '- a\n   - Old *b* <a target="_blank" href="https://e.com">c</a>',
      '- a\n   - New *b* <a target="_blank" href="https://e.com">c</a>',
    ],
  ] as const)('the edited word of a line that is written in another way: %j', async ([old, edited]) => {
    const docs = { 'README.md': `# Home\n\nOne\n\n${old}\n\nTwo\n` };
    const changed = await changedBy(async (page, { buffer }) => {
      const document = await getDocument(buffer, page('Home').document as string);
      const sent = JSON.stringify(published(document)).replace('"Old ', '"New ');
      const restored = restoreDocumentSpelling(document, JSON.parse(sent));
      return [patch(page('Home'), { document: putDocument(buffer, restored) })];
    }, docs);
    expect(changed).toEqual({ 'README.md': docs['README.md'].replace(old, edited) });
  });

  test('the edited line of a file with mixed line endings', async () => {
    const docs = { 'README.md': '# Home\r\n\r\nOne\r\n\nTwo\nstill two\r\n\r\nThree\n' };
    const changed = await changedBy(
      async (page, space) => [
        patch(page('Home'), { document: await withBlock(space, page('Home'), 2, '3') }),
      ],
      docs,
    );
    expect(changed).toEqual({ 'README.md': docs['README.md'].replace('Three', '3') });
  });

  test('a page that was the table of contents, which gets a file of its own', async () => {
    const docs = {
      'README.md': '# Home\n',
      'SUMMARY.md': '# Summary\n\n* [Home](README.md)\n* [Contents](SUMMARY.md)\n',
    };
    const changed = await changedBy(
      async (page, space) => [
        patch(page('Contents'), { document: await withBlock(space, page('Contents'), 0, 'New words.') }),
      ],
      docs,
    );
    expect(changed).toEqual({
      'SUMMARY.md': '# Summary\n\n* [Home](README.md)\n* [Contents](summary-page.md)\n',
      'summary-page.md': '---\nslug: summary\n---\n\n# Summary\n\nNew words.\n',
    });
    // Other pages can be added to the table of contents while the page stays the same.
    const added = { id: 'new', type: 'document', title: 'New', ...created } as const;
    expect(await changedBy(() => [{ type: 'put-page', page: added }], docs)).toEqual({
      'SUMMARY.md': `${docs['SUMMARY.md']}* [New](new.md)\n`,
      'new.md': '# New\n',
    });
  });

  test('the line of a page below an entry whose file is outside of the root', async () => {
    const summary = '# Contents\n\n- [Home](README.md)\n- [Terms](../TERMS.md)\n  - [A](a.md)\n- [B](b.md)\n';
    const docs = {
      '.gitbook.yaml': 'root: ./docs\n',
      'TERMS.md': '# Terms\n',
      'docs/SUMMARY.md': summary,
      'docs/README.md': '# Home\n',
      'docs/a.md': '# A\n',
      'docs/b.md': '# B\n',
    };
    const summaryAfter = async (edits: Parameters<typeof changedBy>[0]) =>
      (await changedBy(edits, docs))['docs/SUMMARY.md'];
    const added = { id: 'new', type: 'document', title: 'New', ...created } as const;
    expect(await summaryAfter((page) => [patch(page('A'), { title: 'Z' })])).toBe(
      summary.replace('[A]', '[Z]'),
    );
    expect(await summaryAfter(() => [{ type: 'put-page', page: added }])).toBe(`${summary}- [New](new.md)\n`);
    expect(await summaryAfter((page) => [{ type: 'delete-page', id: page('B').id }])).toBe(
      summary.replace('- [B](b.md)\n', ''),
    );
  });

  test('the edited settings, while unknown settings stay', async () => {
    const changed = await changedBy((page) => [patch(page('Start'), { description: 'New', icon: 'book' })]);
    expect(changed).toEqual({
      'guide/start.md': '---\n# kept\ndescription: New\nowner: docs\nicon: book\n---\n\n# Start\n\nText\n',
    });
  });

  test('the layout or the tags of a page', async () => {
    const text =
      '---\ntags: [ beta ] # ours\nlayout:\n  width: wide\n  tags:\n    visible: false\n---\n\n# Home\n';
    const change = (fields: PageFields) =>
      changedBy((page) => [patch(page('Home'), fields)], { 'README.md': text });
    const [tags, layout] = [
      'tags: [ beta ] # ours\n',
      text.slice(text.indexOf('layout'), text.indexOf('---\n\n#')),
    ];
    const home = (yaml: string) => ({ 'README.md': `---\n${yaml}---\n\n# Home\n` });
    expect(await change({ tags: [{ tag: 'beta' }, { tag: 'pro', primary: true }] })).toEqual(
      home(`tags:\n  - beta\n  - tag: pro\n    primary: true\n${layout}`),
    );
    expect(await change({ tags: [] })).toEqual(home(layout));
    expect(await change({ layout: { coverMask: 'radial', anchors: false } })).toEqual(
      home(
        `${tags}layout:\n  cover:\n    visible: true\n    size: hero\n    mask: radial\n  anchors:\n    visible: false\n`,
      ),
    );
    // Equivalent: older imports did not read these.
    expect(await change({ tags: null, layout: { width: 'wide', tags: false } })).toEqual({});
  });

  test('an edited title, in the file and in the table of contents', async () => {
    const changed = await changedBy((page) => [patch(page('Next'), { title: 'What [then]?' })]);
    expect(changed).toEqual({
      'guide/next.md': DOCS['guide/next.md'].replace('# Next', '# What [then]?'),
      ...inSummary('[Next]', '[What [then]?]'),
    });
  });

  test('the label of a renamed page whose first heading is that of its first section, and the edited section', async () => {
    const text = '# 1. Basics\n\nA\n\n# 2. More\n\nB\n';
    const docs = { 'SUMMARY.md': '* [Notes](notes.md)\n', 'notes.md': text };
    const renamed = await changedBy((page) => [patch(page('Notes'), { title: 'New' })], docs);
    expect(renamed).toEqual({ 'SUMMARY.md': '* [New](notes.md)\n' });
    const edited = await changedBy(
      async (page, space) => [
        patch(page('Notes'), { document: await withBlock(space, page('Notes'), 0, '# 1. First') }),
      ],
      docs,
    );
    expect(edited).toEqual({ 'notes.md': text.replace('Basics', 'First') });
  });

  test('the heading of a renamed page, not what is before it', async () => {
    const before = "---\nicon: book\n---\n\n<!-- A comment. -->\n\nimport A from 'a';\n\n";
    const docs = { 'SUMMARY.md': '* [Notes](notes.md)\n', 'notes.md': `${before}# Notes\n\nText.\n` };
    const renamed = await changedBy((page) => [patch(page('Notes'), { title: 'New' })], docs);
    expect(renamed['notes.md']).toBe(`${before}# New\n\nText.\n`);
  });

  test('the heading of a renamed group', async () => {
    const changed = await changedBy((page) => [patch(page('Guides'), { title: 'How-to' })]);
    expect(changed).toEqual(inSummary('## Guides <', '## How-to <'));
  });

  test('the line of a moved page, and those of its descendants', async () => {
    const changed = await changedBy((page) => [
      patch(page('Start'), {}, { parent: page('Guides').id, index: 1 }),
    ]);
    expect(changed).toEqual(
      inSummary(
        '- [Start]( guide/start.md )\n  * [Next](guide/next.md)\n- [Last](guide/last.md)',
        '- [Last](guide/last.md)\n- [Start]( guide/start.md )\n  * [Next](guide/next.md)',
      ),
    );
  });

  test('the nesting of a page that was moved below another', async () => {
    const changed = await changedBy((page) => [patch(page('Last'), {}, { parent: page('Next').id })]);
    expect(changed).toEqual(inSummary('- [Last](guide/last.md)', '    - [Last](guide/last.md)'));
  });

  test('the line of a page that was moved from its group to the top level', async () => {
    const changed = await changedBy((page) => [patch(page('Last'), {}, { parent: null })]);
    expect(changed).toEqual({
      'SUMMARY.md': `${SUMMARY.replace('- [Last](guide/last.md)\n', '')}- [Last](guide/last.md)\n`,
    });
  });

  test('the lines and files of deleted pages', async () => {
    const changed = await changedBy((page) => [{ type: 'delete-page', id: page('Start').id }]);
    expect(changed).toEqual({
      'guide/start.md': undefined,
      'guide/next.md': undefined,
      ...inSummary('- [Start]( guide/start.md )\n  * [Next](guide/next.md)\n', ''),
    });
  });

  test('the line and the file of a deleted page without pages below it', async () => {
    const changed = await changedBy((page) => [{ type: 'delete-page', id: page('Last').id }]);
    expect(changed).toEqual({ 'guide/last.md': undefined, ...inSummary('- [Last](guide/last.md)\n', '') });
  });

  test('added pages, with a line and a file named after their slug', async () => {
    const changed = await changedBy((page, { buffer }) => {
      const document = putDocument(
        buffer,
        parseMarkdown(`[Home](/pages/${page('Home').id}) [next](/pages/${page('Next').id}#x)\n`),
      );
      const added = (id: string, title: string, extra = {}) => ({
        id,
        title,
        type: 'document' as const,
        ...created,
        ...extra,
      });
      return [
        {
          type: 'put-page',
          page: added('new1', 'More & more', { document, icon: 'star' }),
          parent: page('Start').id,
        },
        { type: 'put-page', page: added('new2', 'Start'), parent: page('Guides').id, index: 0 },
        { type: 'put-page', page: added('new3', 'Below'), parent: 'new2' },
      ];
    });
    expect(changed).toEqual({
      'guide/start/more-and-more.md':
        '---\nicon: star\n---\n\n# More & more\n\n[Home](../../README.md) [next](../next.md#x)\n',
      'guides/start-1/README.md': '# Start\n',
      'guides/start-1/below.md': '# Below\n',
      'SUMMARY.md': SUMMARY.replace(
        '- [Start](',
        '* [Start](guides/start-1/README.md)\n  * [Below](guides/start-1/below.md)\n- [Start](',
      ).replace(
        '  * [Next](guide/next.md)\n',
        '  * [Next](guide/next.md)\n  * [More & more](guide/start/more-and-more.md)\n',
      ),
    });
  });

  test('the edited variables', async () => {
    const changed = await changedBy(() => [
      { type: 'set-variables', variables: { a: '2', b: null, c: 'x y' } },
    ]);
    expect(changed).toEqual({ '.gitbook/vars.yaml': "# Names\na: '2'\nc: x y\n" });
  });

  test('a page imported without a file, once it has content', async () => {
    const docs = { 'README.md': '# Home\n', 'SUMMARY.md': '* [Home](README.md)\n  * Empty\n' };
    const changed = await changedBy(
      (page, { buffer }) => [
        patch(page('Empty'), { document: putDocument(buffer, parseMarkdown('Full\n')) }),
      ],
      docs,
    );
    expect(changed).toEqual({
      'empty.md': '# Empty\n\nFull\n',
      'SUMMARY.md': '* [Home](README.md)\n  * [Empty](empty.md)\n',
    });
  });

  test('a table of contents, once the page tree no longer follows from the folders', async () => {
    const docs = { 'README.md': '# Home\n', 'a.md': '# A\n', 'b.md': '# B\n' };
    const changed = await changedBy((page) => [patch(page('B'), {}, { parent: null, index: 1 })], docs);
    expect(changed).toEqual({
      'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [B](b.md)\n* [A](a.md)\n',
    });
  });
});

test('a space created in the service is exported to a repository that is imported as the same space', async () => {
  const space = emptySpace();
  const page = (id: string, type: PageRecord['type'], title: string, extra = {}) => ({
    id,
    type,
    title,
    ...created,
    ...extra,
  });
  const document = putDocument(
    space.buffer,
    parseMarkdown('## One\n\n![](/files/f1) [two](/pages/p3)\n\n{% include "/reusable-contents/r1" %}\n'),
  );
  const note = putDocument(space.buffer, parseMarkdown('Note\n'));
  const file = (id: string, name: string) => ({ id, name, contentType: 'image/png', size: 1, sha256: id });
  const made = await edit(
    space,
    { type: 'put-file', file: file('f1', 'Logo.png') },
    { type: 'put-file', file: file('f2', 'logo.png') },
    { type: 'put-file', file: file('f3', '../..\\etc/passwd\u0007') },
    { type: 'put-file', file: file('f4', 'CON.txt') },
    { type: 'put-reusable-content', reusableContent: { id: 'r1', title: 'A note', document: note } },
    { type: 'put-page', page: page('p1', 'document', 'Welcome', { document, hidden: true }) },
    { type: 'put-page', page: page('p2', 'group', 'Part') },
    { type: 'put-page', page: page('p3', 'document', 'README'), parent: 'p2' },
    {
      type: 'put-page',
      page: page('p4', 'link', 'Out', { target: { kind: 'url', url: 'https://example.com' } }),
    },
    { type: 'set-variables', variables: { a: 'yes' } },
  );
  const exported = await exportRepository(made);
  expect(exported).toEqual({
    '.gitbook.yaml': 'root: ./\nstructure:\n  readme: README.md\n  summary: SUMMARY.md\n',
    'SUMMARY.md':
      '# Table of contents\n\n* [Welcome](README.md)\n\n## Part <a href="#part" id="part"></a>\n\n* [README](part/readme-page.md)\n\n***\n\n* [Out](https://example.com)\n',
    '.gitbook/vars.yaml': "a: 'yes'\n",
    'README.md':
      '---\nhidden: true\nslug: welcome\n---\n\n# Welcome\n\n## One\n\n![](.gitbook/assets/Logo.png) [two](part/readme-page.md)\n\n{% include ".gitbook/includes/a-note.md" %}\n',
    'part/readme-page.md': '---\nslug: readme\n---\n\n# README\n',
    '.gitbook/includes/a-note.md': '---\ntitle: A note\n---\n\nNote\n',
    '.gitbook/assets/Logo.png': 'sha256:f1',
    '.gitbook/assets/logo-2.png': 'sha256:f2',
    '.gitbook/assets/-..-etc-passwd-': 'sha256:f3',
    '.gitbook/assets/_CON.txt': 'sha256:f4',
  });
  const { '.gitbook.yaml': settings, ...texts } = exported;
  const again = await exportRepository(
    await importRepository(memorySource({ ...texts, '.gitbook.yaml': settings as string })),
  );
  for (const [path, text] of Object.entries(exported))
    if (!text.startsWith('sha256:')) expect(again[path]).toBe(text);
});
