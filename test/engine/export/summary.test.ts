import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Mutation } from '../../../routers/engine/store/edit.ts';
import type { PageRecord } from '../../../routers/engine/store/records.ts';
import { openSnapshot } from '../../../routers/engine/store/snapshot.ts';
import { memorySource } from '../import/memory-source.ts';
import { edit, exportRepository, type ImportedSpace, importRepository } from './repository.ts';

const HEAD = '# Our docs\n\nWords about these docs.\n\n<!-- Keep this sorted. -->\n';
const FILES = {
  'README.md': '# Home\n',
  'a.md': '# A\n\n## Part\n',
  'b.md': '# B\n',
  'c.md': '# C\n',
  'x.pdf': 'x',
};

const importSummary = (summary: string): Promise<ImportedSpace> =>
  importRepository(memorySource({ ...FILES, 'SUMMARY.md': summary }));

const pagesOf = async ({ buffer, root }: ImportedSpace): Promise<PageRecord[]> =>
  (await openSnapshot(buffer, root)).allPages();

/** The table of contents of an export, after the page with this title was deleted. */
async function withoutPage(title: string, summary: string): Promise<string | undefined> {
  const space = await importSummary(summary);
  const pages = await pagesOf(space);
  const { id } = pages.find((page) => page.title === title) ?? expect.fail(`There is no page ${title}.`);
  return (await exportRepository(await edit(space, { type: 'delete-page', id })))['SUMMARY.md'];
}

const linesWithout = (text: string, ...lines: string[]): string =>
  lines.reduce((left, line) => {
    expect(left).toContain(`${line}\n`);
    return left.replace(`${line}\n`, '');
  }, text);

describe('the table of contents after a page was deleted', () => {
  test.for<readonly [what: string, title: string, entries: string, gone: string[]]>([
    [
      'an entry for an anchor on it',
      'A',
      '- [A](a.md)\n- [Part](a.md#part)\n-   [B]( b.md )\n',
      ['- [A](a.md)', '- [Part](a.md#part)'],
    ],
    [
      'entries for it elsewhere',
      'A',
      '- [A](a.md)\n- [B](b.md)\n   - [Again](a.md)\n- [C](c.md)\n',
      ['- [A](a.md)', '   - [Again](a.md)'],
    ],
    [
      'an entry for another page with a query',
      'A',
      '- [A](a.md)\n- [C](c.md)\n- [Q](c.md?x=1)\n',
      ['- [A](a.md)'],
    ],
    [
      'the entry of an empty page above it',
      'B',
      '- [Gone](gone.md)\n   - [B](b.md)\n- [A](a.md)\n',
      ['   - [B](b.md)'],
    ],
    [
      'the entry of an empty page above it, and of its siblings',
      'B',
      '- [A](a.md)\n  - [Gone](gone/)\n     - [B](b.md)\n  - [C](c.md)\n',
      ['     - [B](b.md)'],
    ],
    ['an entry without a link above it', 'B', '- Group\n   - [B](b.md)\n- [A](a.md)\n', ['   - [B](b.md)']],
    [
      'the heading of its group',
      'B',
      '- [A](a.md)\n\n## Group ##\n\n- [B](b.md)\n\n## Other\n\n- [C](c.md)\n',
      ['- [B](b.md)'],
    ],
    [
      'entries that did not become pages',
      'A',
      '- [Nothing](nothing.md)\n- [Pdf](x.pdf)\n- [A](a.md)\n- [B](b.md)\n',
      ['- [A](a.md)'],
    ],
  ])('keeps the lines of the author: %s', async ([, title, entries, gone]) => {
    const summary = `${HEAD}- [Home]( README.md )\n${entries}`;
    expect(await withoutPage(title, summary)).toBe(linesWithout(summary, ...gone));
  });
});

const ENTRIES = [
  '[A](a.md)',
  '[Part](a.md#part)',
  '[Again]( a.md )',
  '[B](b.md "Title")',
  '[C](<c.md>)',
  '[Query](c.md?x=1)',
  '[Gone](gone.md)',
  '[Other](other/)',
  '[Pdf](x.pdf)',
  '[Site](https://site.example)',
  'Words',
];

test('after any page was deleted, the lines of the others are those of the author', async () => {
  const entries = fc.uniqueArray(fc.tuple(fc.constantFrom(...ENTRIES), fc.nat(3)), {
    minLength: 1,
    selector: ([entry]) => entry,
  });
  await fc.assert(
    fc.asyncProperty(entries, fc.nat(), async (listed, chosen) => {
      const items = listed.map(([entry, indent]) => `${'   '.repeat(indent)}- ${entry}`);
      const summary = `${HEAD}- [Home]( README.md )\n${items.join('\n')}\n<!-- End. -->\n`;
      const pages = await pagesOf(await importSummary(summary));
      const deleted = pages[chosen % pages.length] as PageRecord;
      const left = (await withoutPage(deleted.title, summary)) ?? '';
      const trimmed = (text: string) => text.split('\n').map((line) => line.trim());
      const added = trimmed(left).filter((line) => !trimmed(summary).includes(line));
      expect({ added, left, deleted: deleted.title }).toMatchObject({ added: [] });
      expect(left.startsWith(HEAD)).toBe(true);
    }),
    { numRuns: process.env.LONG ? 500 : 40 },
  );
});

const now = '2026-01-01T00:00:00.000Z';
type NewPage = Extract<Mutation, { type: 'put-page' }>['page'];

const newPage = (type: NewPage['type'], extra: Partial<NewPage> = {}): NewPage => ({
  id: 'new',
  type,
  title: 'New',
  slug: 'new',
  createdAt: now,
  updatedAt: now,
  ...extra,
});

/** The table of contents of an export, after a page was added. */
async function withPage(space: ImportedSpace, page: NewPage): Promise<string | undefined> {
  return (await exportRepository(await edit(space, { type: 'put-page', page })))['SUMMARY.md'];
}

test('an entry that was left out goes once its file is that of another page', async () => {
  const space = await importSummary(`${HEAD}- [Home]( README.md )\n- [Nothing](new.md)\n-   [A](a.md)\n`);
  expect(await withPage(space, newPage('document'))).toBe(
    `${HEAD}- [Home]( README.md )\n-   [A](a.md)\n- [New](new.md)\n`,
  );
});

test('a link that no repository can express leaves the lines of the author as they are', async () => {
  const summary = `${HEAD}- [Home]( README.md )\n- Words\n   - [A](a.md)\n`;
  const space = await importSummary(summary);
  const group = (await pagesOf(space)).find(({ type }) => type === 'group')?.id ?? '';
  const link = newPage('link', { target: { kind: 'page', page: group } });
  expect(await withPage(space, link)).toBe(`${summary}- [New](/pages/${group})\n`);
});
