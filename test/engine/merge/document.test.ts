import { describe, expect, test } from 'vitest';
import type { Block, Document, InlineNode, Mark } from '../../../routers/engine/document/document.ts';
import {
  type Conflict,
  createConflictResolver,
  type Resolutions,
} from '../../../routers/engine/merge/conflicts.ts';
import { mergeDocument } from '../../../routers/engine/merge/document.ts';
import { block, document, inlineText, paragraph, paragraphTexts, text } from './documents.ts';

function merge(base: Document, ours: Document, theirs: Document, resolutions: Resolutions = new Map()) {
  const conflicts: Conflict[] = [];
  const merged = mergeDocument(
    { page: 'p' },
    base,
    ours,
    theirs,
    createConflictResolver(resolutions, conflicts),
  );
  return { merged, conflicts, texts: paragraphTexts(merged) };
}

/** Documents of paragraphs written as `key:text`. */
const paragraphs = (...specs: string[]): Document =>
  document(
    ...specs.map((spec) => paragraph(spec.slice(0, spec.indexOf(':')), spec.slice(spec.indexOf(':') + 1))),
  );

const BOLD: Mark = { object: 'mark', type: 'bold' };
const styled = (...leaves: [string, Mark[]][]): InlineNode => ({
  object: 'text',
  leaves: leaves.map(([content, marks]) => ({ object: 'leaf', text: content, marks })),
});

describe('merging blocks', () => {
  test('edits of adjacent blocks do not conflict', () => {
    const { texts, conflicts } = merge(
      paragraphs('a:one', 'b:two'),
      paragraphs('a:ONE', 'b:two'),
      paragraphs('a:one', 'b:TWO'),
    );
    expect(conflicts).toEqual([]);
    expect(texts).toEqual(['ONE', 'TWO']);
  });

  test('a moved block keeps the edit that the other side made in it', () => {
    const { texts, conflicts } = merge(
      paragraphs('a:one', 'b:two', 'c:three'),
      paragraphs('b:two', 'c:three', 'a:one'),
      paragraphs('a:one and more', 'b:two', 'c:three'),
    );
    expect(conflicts).toEqual([]);
    expect(texts).toEqual(['two', 'three', 'one and more']);
  });

  test('a block without a key is not confused with one whose key looks like an index', () => {
    const { key: _, ...unnamed } = paragraph('', 'two');
    const base = document(paragraph('#1', 'one'), unnamed, paragraph('c', 'three'));
    const ours = document(...base.nodes.slice(0, 2), paragraph('c', 'THREE'));
    expect(merge(base, ours, document(...base.nodes, paragraph('d', 'four'))).texts).toEqual([
      'one',
      'two',
      'THREE',
      'four',
    ]);
  });

  test('insertions that differ only in data named "key" are different', () => {
    const inserted = (key: string, value: string) =>
      document(paragraph('a', 'one'), block('integration', key, [], { props: { key: value } }));
    const base = paragraphs('a:one');
    expect(merge(base, inserted('x', '1'), inserted('y', '2')).conflicts).toHaveLength(1);
    expect(merge(base, inserted('x', '1'), inserted('y', '1')).conflicts).toEqual([]);
  });

  test('different insertions at the same place are a conflict with the three versions', () => {
    const { texts, conflicts } = merge(
      paragraphs('a:one', 'b:two'),
      paragraphs('a:one', 'x:ours', 'b:two'),
      paragraphs('a:one', 'y:theirs', 'b:two'),
    );
    expect(conflicts).toMatchObject([
      {
        kind: 'document-blocks',
        page: 'p',
        after: 'a',
        base: [],
        ours: [{ key: 'x' }],
        theirs: [{ key: 'y' }],
      },
    ]);
    expect(texts).toEqual(['one', 'ours', 'two']);
  });

  test('a block that both sides inserted with different keys occurs once', () => {
    const base = paragraphs('a:one');
    const { texts, conflicts, merged } = merge(
      base,
      paragraphs('a:one', 'x:new'),
      paragraphs('a:one', 'y:new'),
    );
    expect(conflicts).toEqual([]);
    expect(texts).toEqual(['one', 'new']);
    expect(merge(base, paragraphs('a:one', 'y:new'), paragraphs('a:one', 'x:new')).merged).toEqual(merged);
  });

  test('new blocks that differ in a field named "key" are a conflict', () => {
    const base = paragraphs('a:one');
    const [ours, theirs] = ['one', 'two'].map((key) =>
      document(...base.nodes, block('integration', key, [], { props: { key } })),
    ) as [Document, Document];
    expect(merge(base, ours, theirs).conflicts).toHaveLength(1);
  });

  test('new blocks with the same key at two places get different keys', () => {
    const { merged, conflicts } = merge(
      paragraphs('a:one', 'b:two', 'c:three'),
      paragraphs('x:new', 'a:one', 'b:two', 'c:three'),
      paragraphs('a:one', 'b:two', 'x:new', 'c:three'),
    );
    expect(conflicts).toEqual([]);
    expect(merged.nodes.map(({ key }) => key)).toEqual(['x', 'a', 'b', 'x-1', 'c']);
  });

  test.each([
    ['edited', paragraphs('a:one', 'b:TWO', 'c:three')],
    ['moved', paragraphs('a:one', 'c:three', 'b:two')],
  ])('a block deleted by one side and %s by the other is a conflict, and ours stays', (_, changed) => {
    const base = paragraphs('a:one', 'b:two', 'c:three');
    const deleted = paragraphs('a:one', 'c:three');
    const forward = merge(base, deleted, changed);
    const backward = merge(base, changed, deleted);
    expect(forward.conflicts).toHaveLength(1);
    expect(backward.conflicts).toHaveLength(1);
    expect(forward.texts).toEqual(paragraphTexts(deleted));
    expect(backward.texts).toEqual(paragraphTexts(changed));
  });

  test('a block moved to different places is one conflict, and no block is lost or duplicated', () => {
    const { texts, conflicts } = merge(
      paragraphs('a:one', 'b:two', 'c:three', 'd:four'),
      paragraphs('b:two', 'c:three', 'd:four', 'a:one'),
      paragraphs('b:two', 'c:three', 'a:one', 'd:four'),
    );
    expect(conflicts).toHaveLength(1);
    expect(texts).toEqual(['two', 'three', 'four', 'one']);
  });

  test('a block moved into two different containers is a conflict', () => {
    const inner = paragraph('x', 'wanderer');
    const hints = (first: Block[], second: Block[], ...rest: Block[]) =>
      document(
        block('hint', 'h1', [paragraph('p1', '1'), ...first]),
        block('hint', 'h2', [paragraph('p2', '2'), ...second]),
        ...rest,
      );
    const { merged, conflicts } = merge(hints([], [], inner), hints([inner], []), hints([], [inner]));
    expect(conflicts).toHaveLength(1);
    expect(merged).toEqual(hints([inner], []));
  });

  test('containers merge like documents, at any depth', () => {
    const nested = (first: string, second: string, style: string) =>
      document(
        block('hint', 'h', [block('list-unordered', 'l', [paragraph('a', first), paragraph('b', second)])], {
          style,
        }),
      );
    const { merged, conflicts } = merge(
      nested('1', '2', 'info'),
      nested('1!', '2', 'info'),
      nested('1', '2!', 'danger'),
    );
    expect(conflicts).toEqual([]);
    expect(merged).toEqual(nested('1!', '2!', 'danger'));
  });

  test('the data of a block is merged field by field, and a reference as a whole', () => {
    const code = (data: Record<string, unknown>) => document(block('code', 'c', [], data));
    const { merged, conflicts } = merge(
      code({ syntax: 'js', title: 'a', ref: { kind: 'page', page: '1' } }),
      code({ syntax: 'ts', title: 'a', ref: { kind: 'url', url: 'https://example.org' } }),
      code({ syntax: 'js', title: 'b', ref: { kind: 'page', page: '2' } }),
    );
    expect(conflicts).toMatchObject([{ kind: 'document-block', block: 'c', field: 'data.ref' }]);
    expect(merged.nodes[0]?.data).toEqual({
      syntax: 'ts',
      title: 'b',
      ref: { kind: 'url', url: 'https://example.org' },
    });
  });

  test('the records of a table are merged by id and column, and its cells as documents', () => {
    const table = (
      records: Record<string, Record<string, unknown>>,
      cells: Record<string, string>,
    ): Document =>
      document({
        object: 'block',
        type: 'table',
        key: 't',
        isVoid: true,
        data: {
          records: Object.fromEntries(
            Object.entries(records).map(([id, values]) => [id, { orderIndex: id, values }]),
          ),
          definition: {},
          view: { type: 'grid' },
        },
        fragments: Object.entries(cells).map(([name, content]) => ({
          object: 'fragment',
          fragment: name,
          nodes: [paragraph(`in-${name}`, content)],
        })),
      });
    const { merged, conflicts } = merge(
      table({ r1: { done: false, text: 'f1' }, r2: { done: false } }, { f1: 'one two three' }),
      table(
        { r1: { done: true, text: 'f1' }, r3: { done: true, text: 'f3' } },
        { f1: 'ONE two three', f3: 'x' },
      ),
      table(
        { r1: { done: false, text: 'f1', by: 'u' }, r2: { done: false }, r4: { text: 'f4' } },
        { f1: 'one two THREE', f4: 'y' },
      ),
    );
    expect(conflicts).toEqual([]);
    expect(merged).toEqual(
      table(
        { r1: { done: true, text: 'f1', by: 'u' }, r3: { done: true, text: 'f3' }, r4: { text: 'f4' } },
        { f1: 'ONE two THREE', f3: 'x', f4: 'y' },
      ),
    );
  });
});

describe('merging text', () => {
  const merged = (base: string, ours: string, theirs: string) => {
    const result = merge(paragraphs(`a:${base}`), paragraphs(`a:${ours}`), paragraphs(`a:${theirs}`));
    return { text: result.texts[0], conflicts: result.conflicts };
  };

  test('changes of separate words merge; changes of adjacent words are a conflict that names the block', () => {
    expect(merged('the quick brown fox', 'the slow brown fox', 'the quick brown dog')).toEqual({
      text: 'the slow brown dog',
      conflicts: [],
    });
    const touching = merged('the quick brown fox', 'the slow brown fox', 'the quick red fox');
    expect(touching.text).toBe('the slow brown fox');
    expect(touching.conflicts).toMatchObject([{ kind: 'document-block', block: 'a', field: 'text' }]);
  });

  test('clean changes are merged even in a block with a conflict', () => {
    expect(merged('one two three four', 'ONE two three 4', 'one two THREE FOUR').text).toBe(
      'ONE two three 4',
    );
    expect(merged('one two three four five', '1 two three four V', 'one two THREE four FIVE').text).toBe(
      '1 two THREE four V',
    );
  });

  test('in scripts without spaces, characters count as words', () => {
    expect(merged('今日は天気がいい', '明日は天気がいい', '今日は天気が悪い')).toEqual({
      text: '明日は天気が悪い',
      conflicts: [],
    });
  });

  test('marks stay with their words', () => {
    const of = (...leaves: [string, Mark[]][]) =>
      document({ ...paragraph('a', ''), nodes: [styled(...leaves)] });
    const result = merge(
      of(['plain words and more', []]),
      of(['plain ', []], ['words', [BOLD]], [' and more', []]),
      of(['plain words and much more', []]),
    );
    expect(result.conflicts).toEqual([]);
    expect(result.merged).toEqual(of(['plain ', []], ['words', [BOLD]], [' and much more', []]));
  });

  test('links are merged as a whole, and the words around them one by one', () => {
    const link = (content: string): InlineNode => ({
      object: 'inline',
      type: 'link',
      data: { ref: { kind: 'url', url: 'https://example.org' } },
      nodes: [text(content)],
    });
    const of = (...nodes: InlineNode[]) => document({ ...paragraph('a', ''), nodes });
    const result = merge(
      of(text('see '), link('here'), text(' for more')),
      of(text('look '), link('here'), text(' for more')),
      of(text('see '), link('there'), text(' for more')),
    );
    expect(result.conflicts).toMatchObject([{ field: 'text' }]);
    const apart = merge(
      of(text('please see '), link('here'), text(' for more')),
      of(text('kindly see '), link('here'), text(' for more')),
      of(text('please see '), link('there'), text(' for more')),
    );
    expect(apart.conflicts).toEqual([]);
    expect(apart.merged).toEqual(of(text('kindly see '), link('there'), text(' for more')));
  });

  test('texts of 100,000 different words are merged without comparing every pair', () => {
    const words = (prefix: string) =>
      Array.from({ length: 100_000 }, (_, n) => `${prefix}${n % 50_000}`).join(' ');
    expect(merged(words('a'), words('b'), words('c')).conflicts).toHaveLength(1);
  }, 30_000);
});

describe('conflicts of documents', () => {
  const base = paragraphs('a:one', 'b:two');
  const ours = paragraphs('a:OURS', 'b:two', 'x:ours');
  const theirs = paragraphs('a:THEIRS', 'b:two', 'y:theirs');

  test('the id of a conflict depends on its place, not on the sides, and is the same in every run', () => {
    const ids = (conflicts: readonly Conflict[]) => conflicts.map(({ id }) => id);
    const { conflicts } = merge(base, ours, theirs);
    expect(new Set(ids(conflicts)).size).toBe(2);
    expect(ids(merge(base, ours, theirs).conflicts)).toEqual(ids(conflicts));
    expect(ids(merge(base, theirs, ours).conflicts)).toEqual(ids(conflicts));
  });

  test('resolutions determine the winning side of each conflict', () => {
    const [first, second] = merge(base, ours, theirs).conflicts as [Conflict, Conflict];
    const all = merge(
      base,
      ours,
      theirs,
      new Map([
        [first.id, 'theirs'],
        [second.id, 'ours'],
      ]),
    );
    expect(all.conflicts).toEqual([]);
    expect(all.merged.nodes.map(({ key, nodes }) => [key, inlineText(nodes as InlineNode[])])).toEqual(
      first.kind === 'document-block'
        ? [
            ['a', 'THEIRS'],
            ['b', 'two'],
            ['x', 'ours'],
          ]
        : [
            ['a', 'OURS'],
            ['b', 'two'],
            ['y', 'theirs'],
          ],
    );
  });
});
