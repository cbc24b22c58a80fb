import { describe, expect, test } from 'vitest';
import type { Block, BlockNode } from '../../../routers/engine/document/document.ts';
import { withoutSource } from '../../../routers/engine/document/format.ts';
import { evaluateDocument } from '../../../routers/engine/expressions/document.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { sameTyped } from '../../../routers/engine/markdown/source/compare.ts';

/** The types of the blocks that keep their source, each with the types of its ancestors. */
function keeping(nodes: readonly BlockNode[], path = ''): string[] {
  return nodes.flatMap((node) => {
    if (node.object !== 'block') return [];
    const at = `${path}${node.type}`;
    const inside = [...(node.nodes ?? []), ...(node.fragments ?? []).flatMap((fragment) => fragment.nodes)];
    return [...(node.format?.source ? [at] : []), ...keeping(inside, `${at} > `)];
  });
}

describe('Markdown that the writer would spell differently', () => {
  test.for([
    ['##   Two blanks\n\nText\n', ['heading-1']],
    ['* one\n* two &#x20;three\n* four\n', ['list-unordered > list-item > paragraph']],
    ['{% hint style="info" %}\na\n\n##   b\n{% endhint %}\n', ['hint > heading-1']],
    ['> a\n>\n> b &#x20;c\n', ['blockquote > paragraph']],
    ['> a\nlazy\n', ['blockquote']],
    ['1. a\n\n   > b &#x20;c\n2. d\n', ['list-ordered > list-item > blockquote > paragraph']],
  ] as const)(
    '%j is parsed, and its source is kept on the smallest block that needs it',
    ([markdown, expected]) => {
      const document = parseMarkdown(markdown);
      expect(keeping(document.nodes)).toEqual(expected);
      expect(JSON.stringify(document)).not.toContain('"type":"markdown"');
      expect(serializeMarkdown(document)).toBe(markdown);
    },
  );

  test.for(['a\n \nb\n', '  \na\n', 'a\n\n  \n', '# A\n\t\n* b\n'])(
    '%j is parsed, and the spaces on its empty lines are kept',
    (markdown) => {
      const document = parseMarkdown(markdown);
      expect(JSON.stringify(document)).not.toContain('"type":"markdown"');
      expect(serializeMarkdown(document)).toBe(markdown);
    },
  );

  test.for([
    ['1.  one\n\n\ttwo\n', '1.  one\n\n    two\n'],
    ['*  one\n\n\t<p align="center">a</p>\n', '*  one\n\n    <p align="center">a</p>\n'],
    ['* one\n\t* two\n\n\t\t\tcode\n', '* one\n    * two\n\n    \t\tcode\n'],
    ['*     code\n\n\ttwo\n', '*     code\n\n    two\n'],
  ] as const)('%j has the same content when another item of the list is edited', ([markdown, expected]) => {
    const document = parseMarkdown(markdown);
    const [list] = document.nodes as [Block];
    const { format, ...rest } = list;
    expect(format?.source).toBeDefined();
    const kept = withoutSource(format);
    const edited = { ...document, nodes: [{ ...rest, ...(kept && { format: kept }) }] };
    const written = serializeMarkdown(edited);
    expect(written).toBe(expected);
    expect(sameTyped(parseMarkdown(written), document)).toBe(true);
  });

  test('Markdown that the writer would spell differently is rewritten when the URLs of its links change', () => {
    const markdown = '##   See [it](old.md)\n';
    const resolve = () => ({ kind: 'page', page: 'p' }) as const;
    const document = parseMarkdown(markdown, { resolve });
    expect(keeping(document.nodes)).toEqual(['heading-1']);
    expect(serializeMarkdown(document, { hrefOf: () => 'old.md' })).toBe(markdown);
    expect(serializeMarkdown(document, { hrefOf: () => 'new.md' })).toBe('## See [it](new.md)\n');
  });

  test('Markdown that the writer would spell differently is left out when conditions hide its content', () => {
    const markdown =
      '> a\nlazy\n>\n> {% if visitor.claims.staff %}\n> secret\n> {% endif %}\n\n{% if visitor.claims.staff %}\n##   secret\n{% endif %}\n';
    const document = parseMarkdown(markdown);
    const inputs = { space: { vars: {} }, page: { vars: {} }, visitor: { claims: {} }, now: '' };
    const evaluated = evaluateDocument(document, inputs, 'all');
    expect(serializeMarkdown(document)).toBe(markdown);
    expect(serializeMarkdown(evaluated)).not.toContain('secret');
  });
});

test('only unknown Markdown is kept verbatim, in a block of its own', () => {
  const markdown = '* one\n* two\n\n<foo>\nbar\n</foo>\n\ntext\n';
  const types = parseMarkdown(markdown).nodes.map(({ type }: Block) => type);
  expect(types).toEqual(['list-unordered', 'markdown', 'paragraph']);
});
