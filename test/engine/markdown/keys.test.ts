import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block, Document } from '../../../routers/engine/document/document.ts';
import { carryKeys, normalizeDocument } from '../../../routers/engine/markdown/keys.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';

function keysOf(document: Document): string[] {
  const keys: string[] = [];
  const visit = (block: Block) => {
    keys.push(block.key ?? '');
    for (const node of block.nodes ?? []) if (node.object === 'block') visit(node);
    for (const fragment of block.fragments ?? []) fragment.nodes.forEach(visit);
  };
  document.nodes.forEach(visit);
  return keys;
}
const topKeys = (document: Document) => document.nodes.map((block) => block.key);

test('parsing Markdown again gives the same keys, each of them unique', () => {
  const markdown = 'a\n\na\n\n* a\n* a\n\n```\nx\nx\n```\n';
  const keys = keysOf(parseMarkdown(markdown));
  expect(keysOf(parseMarkdown(markdown))).toEqual(keys);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).not.toContain('');
});

test('the key of a parsed block does not depend on blocks with other content', () => {
  const [first, second] = topKeys(parseMarkdown('a\n\nb\n'));
  expect(topKeys(parseMarkdown('new\n\na\n\nb\n')).slice(1)).toEqual([first, second]);
});

describe('carried keys', () => {
  const carry = (before: string, after: string) => {
    const previous = parseMarkdown(before);
    return { previous, next: carryKeys(previous, parseMarkdown(after)) };
  };

  test('an edited paragraph keeps its key', () => {
    const { previous, next } = carry('one\n\ntwo words here\n\nthree\n', 'one\n\ntwo words there\n\nthree\n');
    expect(topKeys(next)).toEqual(topKeys(previous));
  });

  test('an inserted block gets a key of its own, and all other blocks keep theirs', () => {
    const { previous, next } = carry('one\n\ntwo\n', 'one\n\nnew\n\ntwo\n');
    const [a, b] = topKeys(previous);
    expect(topKeys(next)).toEqual([a, expect.not.stringMatching(`^(${a}|${b})$`), b]);
  });

  test('of several blocks of a type, the one with the most words in common keeps the key of the edited one', () => {
    const before = 'alpha beta gamma\n\ndelta epsilon zeta\n';
    const { previous, next } = carry(before, 'delta epsilon zeta eta\n');
    expect(topKeys(next)).toEqual([topKeys(previous)[1]]);
  });

  test('a moved block keeps its key', () => {
    const { previous, next } = carry('# one\n\ntwo\n\nthree\n', 'three\n\n# one\n\ntwo\n');
    const [a, b, c] = topKeys(previous);
    expect(topKeys(next)).toEqual([c, a, b]);
  });

  test('a block that is edited deep inside others keeps its key, and they keep theirs', () => {
    const { previous, next } = carry(
      '{% hint %}\n* a\n* b\n{% endhint %}\n',
      '{% hint %}\n* a\n* c\n{% endhint %}\n',
    );
    expect(keysOf(next)).toEqual(keysOf(previous));
  });

  test('carried keys stay unique whatever changes', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', '# a', '* a\n* b', '> a'), { maxLength: 12 });
    fc.assert(
      fc.property(words, words, words, (one, two, three) => {
        const join = (parts: string[]) => parts.join('\n\n');
        const second = carryKeys(parseMarkdown(join(one)), parseMarkdown(join(two)));
        const keys = keysOf(carryKeys(second, parseMarkdown(join(three))));
        expect(new Set(keys).size).toBe(keys.length);
      }),
      { numRuns: 300 },
    );
  });

  test('an unchanged document keeps its keys, even after earlier edits', () => {
    const { next } = carry('a\n\nb\n', 'a\n\nc\n');
    expect(carryKeys(next, parseMarkdown('a\n\nc\n'))).toEqual(next);
  });
});

describe('normalized documents', () => {
  const text = (...leaves: string[]) => ({
    object: 'text' as const,
    leaves: leaves.map((part) => ({ object: 'leaf' as const, text: part, marks: [] })),
  });
  const document = (...nodes: Block[]): Document => ({
    object: 'document',
    data: { schemaVersion: 1 },
    nodes,
  });

  test('normalized documents have leaves with equal marks joined, no undefined fields, and a leaf in empty text', () => {
    const result = normalizeDocument(
      document(
        {
          object: 'block',
          type: 'paragraph',
          key: 'k',
          data: { align: undefined },
          nodes: [text('a', 'b'), text('', 'c')],
        },
        { object: 'block', type: 'paragraph', nodes: [] },
      ),
    );
    expect(result.nodes[0]).toStrictEqual({
      object: 'block',
      type: 'paragraph',
      key: 'k',
      data: {},
      nodes: [text('abc')],
    });
    expect(result.nodes[1]?.nodes).toEqual([text('')]);
  });

  test('normalized documents keep the first of equal keys and replace the others', () => {
    const block = (): Block => ({ object: 'block', type: 'paragraph', key: 'same', nodes: [text('a')] });
    const keys = keysOf(normalizeDocument(document(block(), block())));
    expect(keys[0]).toBe('same');
    expect(keys[1]).not.toBe('same');
  });

  test('normalizing a document again changes nothing', () => {
    const once = normalizeDocument(
      document({ object: 'block', type: 'hint', nodes: [{ object: 'block', type: 'paragraph' }] }),
    );
    expect(normalizeDocument(once)).toEqual(once);
  });
});
