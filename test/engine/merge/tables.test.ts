/** Merges of tables whose rows and columns are named by position, as in Markdown. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Document } from '../../../routers/engine/document/document.ts';
import { carryKeys } from '../../../routers/engine/markdown/keys.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import type { Conflict, Side } from '../../../routers/engine/merge/conflicts.ts';
import { createConflictResolver } from '../../../routers/engine/merge/conflicts.ts';
import { mergeDocument } from '../../../routers/engine/merge/document.ts';

type Rows = readonly (readonly string[])[];

const HEADER = ['Name', 'Value'];

const pipes = ([header = [], ...rows]: Rows): string =>
  [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

const html = ([header = [], ...rows]: Rows): string => {
  const line = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  const body = rows.map((cells) => line(cells, 'td')).join('');
  return `<table data-view="cards"><thead>${line(header, 'th')}</thead><tbody>${body}</tbody></table>\n`;
};

const rowsOf = (markdown: string): string[][] =>
  markdown.startsWith('<')
    ? [...markdown.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
        [...row.matchAll(/<t[dh]>(.*?)<\/t[dh]>/gs)].map(([, cell = '']) => cell),
      )
    : markdown
        .trimEnd()
        .split('\n')
        .filter((line) => !/^[| -]*$/.test(line))
        .map((line) =>
          line
            .slice(1, -1)
            .split('|')
            .map((cell) => cell.trim()),
        );

/** Merges tables as changed by two editors, who send Markdown. */
function merge(base: Rows, ours: Rows, theirs: Rows, { write = pipes, side = 'ours' as Side } = {}) {
  const before = parseMarkdown(write(base));
  const edited = (rows: Rows): Document => carryKeys(before, parseMarkdown(write(rows)));
  const conflicts: Conflict[] = [];
  const record = createConflictResolver(new Map(), conflicts);
  const merged = mergeDocument({ page: 'p' }, before, edited(ours), edited(theirs), (place, versions) => {
    record(place, versions);
    return side;
  });
  const markdown = serializeMarkdown(merged);
  expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
  return { rows: rowsOf(markdown), conflicts };
}

const BASE = [HEADER, ['alpha', 'yes'], ['beta', 'yes'], ['gamma', 'yes'], ['delta', 'yes']];
const changed = (name: string, value: string): Rows =>
  BASE.map((row) => (row[0] === name ? [name, value] : row));
const without = (...names: string[]): Rows => BASE.filter(([name = '']) => !names.includes(name));
const inserted = (at: number, row: string[]): Rows => BASE.toSpliced(at, 0, row);

describe.for([
  ['pipes', pipes],
  ['HTML', html],
] as const)('in a table of %s', ([, write]) => {
  const clean = (ours: Rows, theirs: Rows) => {
    const one = merge(BASE, ours, theirs, { write });
    const other = merge(BASE, theirs, ours, { write });
    expect(one.conflicts).toEqual([]);
    expect(other.rows).toEqual(one.rows);
    return one.rows;
  };

  test('a cell is changed in its row, wherever the other side inserts a row', () => {
    for (const at of [1, 2, 3, 5]) {
      const rows = clean(inserted(at, ['zeta', 'yes']), changed('gamma', 'no'));
      expect(rows).toEqual(changed('gamma', 'no').toSpliced(at, 0, ['zeta', 'yes']));
    }
  });

  test('a cell is changed in its row if the other side deletes or moves another', () => {
    expect(clean(without('alpha'), changed('gamma', 'no'))).toEqual(
      changed('gamma', 'no').filter(([name]) => name !== 'alpha'),
    );
    const swapped = [HEADER, ['beta', 'yes'], ['alpha', 'yes'], ['gamma', 'yes'], ['delta', 'yes']];
    expect(clean(swapped, changed('beta', 'no'))).toEqual(
      swapped.map((row) => (row[0] === 'beta' ? ['beta', 'no'] : row)),
    );
  });

  test('both sides insert and delete rows in different places', () => {
    expect(clean(without('alpha'), without('gamma'))).toEqual(without('alpha', 'gamma'));
    expect(clean(inserted(1, ['one', '1']), inserted(4, ['two', '2']))).toEqual(
      inserted(4, ['two', '2']).toSpliced(1, 0, ['one', '1']),
    );
  });

  test('a column is added, moved or deleted while the other side changes a cell and adds a row', () => {
    const wide = BASE.map(([name = '', value = ''], index) => [name, index === 0 ? 'Note' : '', value]);
    const theirs = changed('gamma', 'no').toSpliced(5, 0, ['omega', 'new']);
    expect(clean(wide, theirs).map((row) => row.filter((_, at) => at !== 1))).toEqual(theirs);
    const narrow = BASE.map(([name = '']) => [name]);
    expect(clean(narrow, changed('gamma', 'yes').toSpliced(1, 0, ['omega', 'new']))).toEqual(
      narrow.toSpliced(1, 0, ['omega']),
    );
  });

  test('a column that both sides add, with different cells, is added once', () => {
    const withNote = (notes: readonly string[]): Rows =>
      BASE.map((row, index) => [...row, notes[index] ?? 'none']);
    const ours = withNote(['Note', 'one', 'two']);
    const { rows, conflicts } = merge(BASE, ours, withNote(['Note', 'one', 'three']), { write });
    expect(rows).toEqual(ours);
    expect(conflicts).toMatchObject([{ kind: 'document-block', field: 'text', base: null }]);
  });

  test('deleting a row that the other side changes is a conflict with the texts of the rows, and so is a column', () => {
    const { conflicts, rows } = merge(BASE, without('beta'), changed('beta', 'no'), { write });
    expect(conflicts).toMatchObject([
      { kind: 'document-block', base: ['beta | yes'], ours: [], theirs: ['beta | no'] },
    ]);
    expect(rows).toEqual(without('beta'));
    const theirs = merge(BASE, without('beta'), changed('beta', 'no'), { write, side: 'theirs' });
    expect(theirs.rows).toEqual(changed('beta', 'no'));
    const narrow = BASE.map(([name = '']) => [name]);
    const column = merge(BASE, narrow, changed('beta', 'no'), { write, side: 'theirs' });
    expect(column.conflicts).toMatchObject([{ field: 'data.view.columns' }]);
    expect(column.rows).toEqual(changed('beta', 'no'));
  });

  test('different changes of a cell are a conflict about its text', () => {
    const { conflicts } = merge(BASE, changed('beta', 'no'), changed('beta', 'maybe'), { write });
    expect(conflicts).toMatchObject([{ kind: 'document-block', field: 'text' }]);
  });
});

/** What one side does to rows, which have distinct names. */
const change = fc.record({
  kind: fc.constantFrom('value', 'insert', 'delete'),
  at: fc.nat({ max: 9 }),
});

test('a merge without conflicts has every change of both sides, and no others', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 3, max: 9 }),
      fc.array(change, { maxLength: 4 }),
      fc.array(change, { maxLength: 4 }),
      (count, ofOurs, ofTheirs) => {
        const base = [HEADER, ...Array.from({ length: count }, (_, row) => [`name${row}`, `value${row}`])];
        const apply = (changes: typeof ofOurs, side: string) =>
          changes.reduce<string[][]>((rows, { kind, at }, index) => {
            const row = 1 + (at % Math.max(1, rows.length - 1));
            if (kind === 'insert')
              return rows.toSpliced(row, 0, [`new${side}${index}`, `added${side}${index}`]);
            if (rows.length <= 2) return rows;
            if (kind === 'delete') return rows.toSpliced(row, 1);
            return rows.with(row, [rows[row]?.[0] as string, `changed${side}${index}`]);
          }, base);
        const [ours, theirs] = [apply(ofOurs, 'ours'), apply(ofTheirs, 'theirs')];
        const { rows, conflicts } = merge(base, ours, theirs);
        if (conflicts.length > 0) return;
        const maps = [base, ours, theirs, rows].map(
          (table) => new Map(table.map(([name, value]) => [name, value])),
        );
        const [before, one, other, merged] = maps as [
          Map<string, string>,
          Map<string, string>,
          Map<string, string>,
          Map<string, string>,
        ];
        expect(merged.size).toBe(rows.length);
        for (const name of new Set([...before.keys(), ...one.keys(), ...other.keys()])) {
          const expected = one.get(name) === before.get(name) ? other.get(name) : one.get(name);
          expect(merged.get(name), `${name} of ${JSON.stringify({ ours, theirs, rows })}`).toBe(expected);
        }
      },
    ),
    { numRuns: 300 },
  );
});
