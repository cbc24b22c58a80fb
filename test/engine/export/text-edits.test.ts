import { expect, test } from 'vitest';
import { resolveLinks } from '../../../routers/engine/edit/links.ts';
import { parseContent } from '../../../routers/engine/edit/parse-content.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { getDocument, putDocument } from '../../../routers/engine/store/documents.ts';
import { changedBy, patch } from './exported-edits.ts';

const PAGES = {
  'SUMMARY.md': '* [Home](README.md)\n* [B](b.md)\n* Getting\n  * [C](getting/c.md)\n',
  'b.md': '# B\n',
  'getting/c.md': '# C\n',
  'picture.png': 'PNG',
};

/** The README of an export after a client read it as Markdown, replaced a text in it, and sent it back. */
async function readmeAfterEdit(readme: string, from: string, to: string): Promise<string | undefined> {
  const docs = { 'README.md': readme, ...PAGES };
  const changed = await changedBy(async (page, { buffer, root }) => {
    const home = page('Home');
    const previous = await getDocument(buffer, home.document as string);
    const shown = serializeMarkdown(previous);
    expect(shown).toContain(from);
    const markdown = shown.replaceAll(from, to);
    const [links] = await resolveLinks(buffer, root, [{ page: home.id, markdown }]);
    const document = parseContent({ markdown }, { links, names: new Map(), previous });
    return [patch(home, { document: putDocument(buffer, document) })];
  }, docs);
  expect(Object.keys(changed).filter((path) => path.endsWith('.md'))).toEqual(['README.md']);
  return changed['README.md'];
}

/** The README of an export after a client read it as a document of blocks, replaced a text in it, and sent it back. */
async function readmeAfterBlockEdit(readme: string, from: string, to: string): Promise<string | undefined> {
  const changed = await changedBy(
    async (page, { buffer }) => {
      const previous = await getDocument(buffer, page('Home').document as string);
      const sent = JSON.stringify(published(previous));
      expect(sent).toContain(from);
      const content = { document: JSON.parse(sent.replace(from, to)) };
      const document = parseContent(content, { links: undefined, names: new Map(), previous });
      return [patch(page('Home'), { document: putDocument(buffer, document) })];
    },
    { 'README.md': readme, ...PAGES },
  );
  return changed['README.md'];
}

test.for<[string, string]>([
  ['a link to a folder without a page', '# Home\n\nFirst.\n\nSee [G](./getting/) and [g](getting).\n'],
  [
    'links by reference',
    '# Home\n\nFirst.\n\n* See [bee] and [the bee][bee], [bee][].\n\n> [bee]\n\n[bee]: b.md\n',
  ],
  [
    'links by reference in the same block',
    '# Home\n\nFirst [bee], ![an image][im] and [the bee][bee].\n\n[bee]: https://example.com/b\n[im]: https://example.com/i.png\n',
  ],
  [
    'links by reference to pages and files in the same block',
    '# Home\n\nFirst [bee], ![an image][im], [x](b.md) and [the bee][bee].\n\n[bee]: b.md\n[im]: picture.png\n',
  ],
  [
    'an image by reference in a paragraph of its own',
    '# Home\n\nFirst.\n\n![im]\n\n* ![an image][im]\n\n[im]: picture.png\n',
  ],
  ['an image by reference', '# Home\n\nFirst.\n\nSee ![x][im] here.\n\n[im]: picture.png\n'],
  ['links without a target', '# Home\n\nFirst. [x]() <a href="">y</a>\n\n[z]()\n\n[t](#)\n'],
  ['a link in a comment', '# Home\n\nFirst.\n\n[x](b.md)\n\n<!-- [x](./b.md) -->\n'],
  ['a line of blanks before it', '# Home\n\nIntro.\n\n  \nFirst.\n\n \t\n  \nLast.\n'],
  ['a line of blanks after it', '# Home\n\nFirst.\n\n  \nLast.\n'],
])('an edit of a page as Markdown changes only its line in the export, not %s', async ([, readme]) => {
  expect(await readmeAfterEdit(readme, 'First', 'Second')).toBe(readme.replace('First', 'Second'));
});

test('an edit of a page as Markdown leaves the escapes of links as they are, also in the table that is edited', async () => {
  const rows = [
    '| A     | B                  |',
    '| ----- | ------------------ |',
    '| First | 1                  |',
    '| 2     | [c](getting\\/c.md) |',
  ];
  const readme = `# Home\n\nFirst [x](getting\\/c.md), [y](b.md 'z').\n\n${rows.join('\n')}\n`;
  expect(await readmeAfterEdit(readme, 'First', 'Other')).toBe(readme.replaceAll('First', 'Other'));
});

test('a link by reference whose definition is changed as Markdown keeps its target', async () => {
  const readme = '# Home\n\nFirst.\n\nSee [bee].\n\n[bee]: b.md\n';
  const changed = await readmeAfterEdit(readme, '[bee]: b.md', '[bee]: getting/c.md');
  expect(changed).toBe('# Home\n\nFirst.\n\nSee [bee](b.md).\n\n[bee]: getting/c.md\n');
});

test('a path to a page that could not be resolved can be replaced by the id of that page', async () => {
  const readme = '# Home\n\nSee [G](./getting/).\n';
  expect(await readmeAfterEdit(readme, './getting/', '/pages/id2')).toBe('# Home\n\nSee [G](/pages/id2).\n');
});

test.for<[string, string]>([
  ['paragraphs indented with a tab', '1.  one\n\n\ttext\n2.  First\n'],
  ['HTML indented with a tab', '* one\n\n\t<p align="center">a</p>\n* First\n'],
  ['a list indented with a tab', '- one\n\t- <b>a</b> b\n\t\t- c\n- First\n'],
  ['code indented with tabs', '* one\n\t```\n\t\tcode\n\t```\n* First\n'],
  ['code after a tab', '- one\n\n\t\tcode\n- First\n'],
  ['markers followed by a tab', '*\tone\n*\ttwo\n* First\n'],
  ['a line that is not indented', '* one\nlazy\n* First\n'],
  ['blanks in a blank line', '* one\n  \n  two\n* First\n'],
  ['a quotation without a blank', '>one\n>First\n'],
  [
    'links to one page with several URLs',
    '- [a](b.md?x=1)\n- [b](./b.md) First [c](b.md)\n- [d](b.md?y=2)\n',
  ],
  ['its own margin', '*\tone\n*\tFirst\n'],
  ['its own margin where it is not indented', '* one\n* two\nFirst\n'],
  ['code indented with a tab', 'Text:\n\n\tone\n\tFirst\n'],
])('an edit of one line of a block changes only this line in the export, not %s', async ([, body]) => {
  const readme = `# Home\n\n${body}`;
  expect(await readmeAfterBlockEdit(readme, 'First', 'Second')).toBe(readme.replace('First', 'Second'));
});

test.for<[string, string, string]>([
  ['# Home\n\na\n', '', '\nNew\n'],
  ['# Home\n\na\n\n\n', '', 'New\n'],
  ['# Home\n\na\n \n', '', 'New\n'],
  ['# Home\n\na', '', '\n\nNew\n'],
  ['# Home\n\n\n', '', 'New\n'],
  ['# Home\n', '', '\nNew\n'],
  ['# Home\n\na\n\n', 'b\n\n\n', 'New\n\n\n'],
  ['# Home\n\na\n\n', 'b', 'New'],
])('text added to %j, instead of %j, changes nothing else in the export', async ([kept, replaced, added]) => {
  const changed = await changedBy(
    async (page, { buffer }) => {
      const document = await getDocument(buffer, page('Home').document as string);
      const added = parseMarkdown('New\n').nodes.map((block) => ({ ...block, key: 'new' }));
      const nodes = [...(replaced === '' ? document.nodes : document.nodes.slice(0, -1)), ...added];
      return [patch(page('Home'), { document: putDocument(buffer, { ...document, nodes }) })];
    },
    { 'README.md': kept + replaced },
  );
  expect(changed).toEqual({ 'README.md': kept + added });
});
