import { expect, test } from 'vitest';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import type { Json } from '../../../routers/engine/store/canonical.ts';
import { localEngine, splittingEngine } from '../../../routers/engine/tasks/engine.ts';
import { weightOfMarkdown } from '../../../routers/engine/tasks/size-limit.ts';
import { UNITS } from '../../growth/text-grammar.ts';
import { emptyTable } from '../../helpers/table-documents.ts';
import { commit, createMemoryStore } from '../store/memory-store.ts';
import { edit } from '../store/spaces.ts';

const PROSE = 'Some text with **bold** words, and [a link](https://example.com/) to a page.\n\n';

/** An engine and the names of the tasks that it has not run in this process. */
function recordingEngine() {
  const large: string[] = [];
  const engine = splittingEngine({
    run(name, input, reader) {
      large.push(name);
      return localEngine.run(name, input, reader);
    },
  });
  return { engine, large };
}

test.each([
  ['prose', PROSE, 10_000, []],
  ['more prose', PROSE, 25_000, ['edit']],
  ['small tables', 'a|b\n-|-\n', 3000, []],
  ['many small tables', 'a|b\n-|-\n', 8000, ['edit']],
  ['many list items', '* a\n', 15_000, ['edit']],
  ['numbered items', '1. 1. 1. a\n', 8000, []],
  ['many numbered items', '1. 1. 1. a\n', 10_000, ['edit']],
  ['sentences that end with a number', 'It was in 2020. ', 18_000, []],
  ['brackets', '![](', 10_000, ['edit']],
])(
  'of an edit, %s are only parsed in the main process if this is fast',
  async (_, part, length, expected) => {
    const { engine, large } = recordingEngine();
    const store = createMemoryStore();
    const root = await edit(store, []);
    const markdown = part.repeat(length / part.length);
    await engine.run(
      'edit',
      {
        root,
        changes: [{ operation: 'insert_page', type: 'document', title: 'Page', document: { markdown } }],
        files: new Map(),
        reverts: new Map(),
        resolutions: new Map(),
        ids: ['page'],
        now: '2026-01-01T00:00:00.000Z',
      } as never,
      store,
    );
    expect(large).toEqual(expected);
  },
);

test.each([
  ['prose', PROSE, []],
  ['a large table', `${'|'.repeat(140)}\n`, ['parseText']],
])(
  'of comments and descriptions, %s are only parsed in the main process if this is fast',
  async (_, part, expected) => {
    const { engine, large } = recordingEngine();
    const markdown = part.repeat(10_000 / part.length);
    await engine.run('parseText', { markdown, maxLength: 100_000 }, createMemoryStore());
    expect(large).toEqual(expected);
  },
);

test('no Markdown becomes a document that is much longer than its weight', () => {
  const ratioOf = (unit: string) => {
    const markdown = unit.repeat(Math.ceil(2000 / unit.length));
    return JSON.stringify(parseMarkdown(markdown)).length / weightOfMarkdown(markdown);
  };
  const ratios = UNITS.map((unit): [string, number] => [unit, ratioOf(unit)]);
  expect(ratios.filter(([, ratio]) => ratio > 10)).toEqual([]);
});

test.each([
  ['few', 20, 20, []],
  ['many', 200, 200, ['markdown', 'conflictsMarkdown']],
])(
  'documents with %s cells without a value are only written as Markdown in the main process if this is fast',
  async (_, columns, rows, expected) => {
    const { engine, large } = recordingEngine();
    const store = createMemoryStore();
    const root = await edit(store, []);
    const table = emptyTable(columns, rows);
    const document = await commit(store, (buffer) => buffer.put('document', table as unknown as Json));
    const { markdown } = await engine.run('markdown', { root, document }, store);
    expect(markdown.match(/<td/g)).toHaveLength(columns * rows);
    const [block] = table.nodes;
    const conflict = { kind: 'document-block', base: block, ours: block, theirs: block } as never;
    const [written] = await engine.run('conflictsMarkdown', { conflicts: [conflict] }, store);
    expect(written).toContain('<td');
    expect(large).toEqual(expected);
  },
);
