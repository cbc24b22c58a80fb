import { describe, expect, test } from 'vitest';
import type { Block, Data, Document } from '../../../routers/engine/document/document.ts';
import { findRefs } from '../../../routers/engine/document/readers.ts';
import { parseContent } from '../../../routers/engine/edit/parse-content.ts';
import { serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { violationsOf } from '../../helpers/published-documents.ts';
import { tableDocument } from '../../helpers/table-documents.ts';

const tableWith = (cell: unknown): Document =>
  tableDocument({
    view: { type: 'grid', columns: ['c1'], hideHeader: false },
    definition: { c1: { id: 'c1', title: 'Files', type: 'files' } },
    records: { r1: { orderIndex: '1', values: { c1: cell } } },
  });

const cellOf = ({ nodes: [table] }: Document): unknown =>
  ((table as Block).data as { records: Record<string, { values: Data }> }).records.r1?.values.c1;

const file = (id: string) => ({ kind: 'file', file: id });
const url = { kind: 'url', url: 'https://example.com/a.pdf' };

describe('a cell of files', () => {
  test.for<[name: string, stored: unknown, answered: unknown]>([
    ['one reference', file('a'), ['a']],
    ['references', [file('a'), file('b')], ['a', 'b']],
    ['ids', ['a', 'b'], ['a', 'b']],
    ['an address', url, url],
    ['nothing', [], []],
    ['null', null, null],
  ])('a cell of files that is stored as %s is published as the ids of files', ([, stored, answered]) => {
    const document = published(tableWith(stored));
    expect(cellOf(document)).toEqual(answered);
    expect(violationsOf(document)).toEqual([]);
  });

  test.for([[['a']], [['a', 'b']], [file('a')], ['a']])(
    'a cell of files that is sent as %j is stored with references to the files',
    ([sent]) => {
      const document = tableWith(sent);
      const stored = parseContent({ document }, { links: undefined, names: new Map(), previous: undefined });
      const ids = [sent].flat().map((entry) => (typeof entry === 'string' ? entry : (entry as Data).file));
      expect(findRefs(stored).map(({ ref }) => ref)).toEqual(ids.map((id) => file(String(id))));
      expect(cellOf(published(stored))).toEqual(ids);
      expect(serializeMarkdown(stored)).toContain(
        ids.map((id) => `<a href="/files/${id}">${id}</a>`).join(''),
      );
      // The stored form before cells had ids.
      expect(serializeMarkdown(document)).toBe(serializeMarkdown(stored));
    },
  );
});
