import { expect, test } from 'vitest';
import { matchNames, matchRenames, matchSimilar } from '../../../routers/engine/import/renames.ts';

const blobs = (listing: Record<string, string>) =>
  Object.entries(listing).map(([path, oid]) => ({ path, oid }));

test('a file that was moved unchanged is matched; one that stayed or changed is not', () => {
  const { renames } = matchRenames(
    blobs({ 'a.md': '1', 'b.md': '2', 'same.md': '3', 'edited.md': '4' }),
    blobs({
      'x/a.md': '1',
      'renamed.md': '2',
      'same.md': '3',
      'edited.md': '5',
      'copy.md': '3',
      'new.md': '6',
    }),
  );
  expect(Object.fromEntries(renames)).toEqual({ 'x/a.md': 'a.md', 'renamed.md': 'b.md' });
});

test('equal files are matched by name, then by order, and none twice', () => {
  const { renames } = matchRenames(
    blobs({ 'old/a.md': '0', 'old/b.md': '0', 'old/c.md': '0' }),
    blobs({ 'new/z.md': '0', 'new/b.md': '0', 'new/y.md': '0', 'new/x.md': '0' }),
  );
  expect(Object.fromEntries(renames)).toEqual({
    'new/b.md': 'old/b.md',
    'new/z.md': 'old/a.md',
    'new/y.md': 'old/c.md',
  });
});

async function* contents(files: Record<string, string>) {
  for (const [path, text] of Object.entries(files)) yield [path, Buffer.from(text)] as const;
}

const similar = async (gone: Record<string, string>, added: Record<string, string>) =>
  Object.fromEntries(await matchSimilar(contents(gone), contents(added)));

const lines = (name: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, line) => `Line ${from + line} of ${name}.\n`).join('');

test('a file that was renamed and edited is matched if at least half of it is the same', async () => {
  const gone = { 'old.md': lines('a', 10, 30) };
  const half = lines('a', 10, 20) + lines('b', 20, 30);
  expect(await similar(gone, { 'new.md': half })).toEqual({ 'new.md': 'old.md' });
  expect(await similar(gone, { 'new.md': lines('a', 10, 19) + lines('b', 19, 30) })).toEqual({});
  expect(await similar(gone, { 'new.md': lines('a', 10, 20) })).toEqual({ 'new.md': 'old.md' });
  expect(await similar(gone, { 'new.md': lines('a', 10, 52) })).toEqual({});
  // Line endings and the order of lines are ignored.
  expect(await similar(gone, { 'new.md': half.replaceAll('\n', '\r\n') })).toEqual({ 'new.md': 'old.md' });
  expect(await similar(gone, { 'new.md': lines('a', 20, 30) + lines('a', 10, 20) })).toEqual({
    'new.md': 'old.md',
  });
});

test('the most similar files are matched first, then those of the same name, and none twice', async () => {
  const gone = {
    'old/a.md': lines('x', 10, 30),
    'old/b.md': lines('x', 10, 30),
    'old/c.md': lines('z', 10, 30),
  };
  const added = {
    'new/less.md': lines('x', 10, 22) + lines('y', 22, 30),
    'new/b.md': lines('x', 10, 29),
    'new/more.md': lines('x', 10, 28) + lines('y', 28, 30),
    'new/other.md': lines('w', 10, 30),
  };
  expect(await similar(gone, added)).toEqual({ 'new/b.md': 'old/b.md', 'new/more.md': 'old/a.md' });
});

test('content that many files share does not prevent matching by the rest', async () => {
  const head = lines('every file', 10, 14);
  const named = (folder: string, edit: string) =>
    Object.fromEntries(
      Array.from({ length: 60 }, (_, file) => [
        `${folder}/${file}.md`,
        head + lines(`${file}`, 10, 20) + edit,
      ]),
    );
  const found = await similar(named('old', ''), named('new', 'Edited.\n'));
  expect(found).toEqual(
    Object.fromEntries(Array.from({ length: 60 }, (_, file) => [`new/${file}.md`, `old/${file}.md`])),
  );
});

test('files of which only names and titles are known are matched if these are unique, and none twice', () => {
  const file = (path: string, title?: string) => ({ path, title });
  const renames = matchNames(
    [
      file('a/one.md', 'One'),
      file('a/x.md', 'Two'),
      file('b/x.md', 'Three'),
      file('c.md', 'Same'),
      file('d.md', 'Same'),
    ],
    [
      file('z/one.md', 'Two'),
      file('z/x.md', 'Three'),
      file('e.md', 'Same'),
      file('f.md', 'One'),
      file('g.md'),
    ],
  );
  expect(Object.fromEntries(renames)).toEqual({ 'z/one.md': 'a/one.md', 'z/x.md': 'b/x.md' });
});
