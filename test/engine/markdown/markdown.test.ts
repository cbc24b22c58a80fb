import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { type Block, DocumentInput } from '../../../routers/engine/document/document.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { readDocument } from '../../../routers/engine/markdown/parse/parse-document.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { writeDocument } from '../../../routers/engine/markdown/write/serialize-document.ts';
import { UNCHANGED } from './examples.ts';

const blocks = (markdown: string): Block[] => parseMarkdown(markdown).nodes;
const types = (markdown: string): string[] => blocks(markdown).map((block) => block.type);

describe('Markdown that comes out byte for byte as it went in', () => {
  for (const [name, markdown] of Object.entries(UNCHANGED)) {
    test(name, () => {
      expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
    });
  }
});

test('no example is kept as one verbatim piece', () => {
  for (const markdown of Object.values(UNCHANGED)) {
    expect(parseMarkdown(markdown).format ?? {}).not.toHaveProperty('verbatim');
  }
});

describe('what blocks become', () => {
  test('a hint after a list ends where its tag does', () => {
    expect(types('{% hint style="info" %}\n* a\n{% endhint %}\ntext\n')).toEqual(['hint', 'paragraph']);
  });

  test('cards have columns with types, records by row, and the column that links', () => {
    const [table] = blocks(UNCHANGED.cards ?? '');
    expect(table?.data).toMatchObject({
      view: {
        type: 'cards',
        cardSize: 'large',
        columns: ['c1'],
        targetDefinition: 'c2',
        coverDefinition: 'c3',
      },
      definition: { c1: { type: 'text' }, c2: { type: 'content-ref' }, c3: { type: 'image' } },
      records: { r1: { values: { c1: 'r1c1', c2: { kind: 'url', url: 'x/y.md' } } } },
    });
  });

  test('attributes of code stand beside its language', () => {
    expect(blocks(UNCHANGED['code with a title'] ?? '')[0]).toMatchObject({
      type: 'code',
      data: { syntax: 'js', title: 'a.js', overflow: 'wrap', lineNumbers: true },
    });
  });

  test.for([
    ['a word[^1] b', 'word', []],
    ['a **bold words**[^1] b', 'bold words', ['bold']],
    ['**a word[^1] b**', 'word', ['bold']],
    ['a `code`[^1] b', 'code', ['code']],
    ['two [words more](#user-content-fn-1)[^1] b', 'words more', []],
    ['a [**word**](#user-content-fn-1)[^1]b', 'word', ['bold']],
    [`${'\u{1f389}'.repeat(80)}[^1]`, '\u{1f389}'.repeat(30), []],
  ] as const)(
    'a footnote becomes an annotation of the text before it, with its body: %s',
    ([text, about, marks]) => {
      const markdown = `${text}\n\n[^1]: Body\n`;
      const [paragraph] = blocks(markdown);
      expect(paragraph?.nodes?.find(({ object }) => object === 'inline')).toMatchObject({
        type: 'annotation',
        nodes: [{ leaves: [{ text: about, marks: marks.map((type) => ({ type })) }] }],
        fragments: [{ nodes: [{ type: 'paragraph' }] }],
      });
      expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
    },
  );

  test('the definition of a footnote may be indented by up to three spaces', () => {
    const indented = 'a[^1]\n\n   [^1]: Body of a note\n       in two lines\n';
    expect(blocks(indented)[0]?.nodes).toMatchObject([{ type: 'annotation' }]);
    expect(serializeMarkdown(parseMarkdown(indented))).toBe(indented);
    for (const between of ['\n', '\n\nText\n\n']) {
      const markdown = `a[^1] b[^2]\n\n  [^1]: One note${between}  [^2]: Another\n`;
      const document = parseMarkdown(markdown);
      expect(serializeMarkdown(document)).toBe(markdown);
      // Written anew, they are still definitions.
      const paragraph = { ...(document.nodes[0] as Block), format: {} };
      const written = serializeMarkdown({ ...document, nodes: [paragraph, ...document.nodes.slice(1)] });
      expect(written).toBe(markdown);
      const notes = published(document).nodes[0]?.nodes?.filter(({ object }) => object === 'inline');
      expect(notes).toMatchObject([
        { type: 'annotation', fragments: [{ nodes: [{ type: 'paragraph' }] }] },
        { type: 'annotation', fragments: [{ nodes: [{ type: 'paragraph' }] }] },
      ]);
    }
    expect(types('a[^1]\n\n    [^1]: code\n')).toEqual(['paragraph', 'code']);
  });

  test.for([
    ['**注意：**请', '注意：'],
    ['使用**“多个模型”**功能', '“多个模型”'],
    ['これは**「強調」**です', '「強調」'],
    ['**한국어(Korean)**는', '한국어(Korean)'],
    ['**TopK:**用于', 'TopK:'],
  ] as const)(
    'emphasis may stand between punctuation and a letter of a language without spaces: %s',
    ([text, bold]) => {
      const [paragraph] = blocks(`${text}\n`);
      const leaves = paragraph?.nodes?.flatMap((node) => (node.object === 'text' ? node.leaves : [])) ?? [];
      expect(leaves.filter(({ marks }) => marks.length > 0)).toMatchObject([
        { text: bold, marks: [{ type: 'bold' }] },
      ]);
    },
  );

  test('other emphasis follows the rules of CommonMark', () => {
    for (const text of ['a**b:**c', '注__意：__请', '** 注意**', '**注意 **'])
      expect(blocks(`${text}\n`)[0]?.nodes).toMatchObject([{ leaves: [{ text, marks: [] }] }]);
  });

  test('tags without their partner and unknown tags stay verbatim, with their content still read', () => {
    expect(types('{% hint %}\n\n{% foo a="b" %}\n# T\n{% endfoo %}\n')).toEqual([
      'markdown',
      'markdown',
      'heading-1',
      'markdown',
    ]);
  });

  test('a table row with more cells than columns loses none of them', () => {
    const markdown = '| a |\n| - |\n| 1 | 2 |\n';
    expect(serializeMarkdown(parseMarkdown(markdown))).toContain('| 1 | 2 |');
  });
});

describe('references', () => {
  const refs = (href: string) => blocks(`[x](${href})`)[0]?.nodes?.[0];

  test('addresses of pages, files and anchors are understood without help', () => {
    expect(refs('/pages/abc')).toMatchObject({ data: { ref: { kind: 'page', page: 'abc' } } });
    expect(refs('/pages/abc#h')).toMatchObject({
      data: { ref: { kind: 'anchor', page: 'abc', anchor: 'h' } },
    });
    expect(refs('#h')).toMatchObject({ data: { ref: { kind: 'anchor', anchor: 'h' } } });
    expect(refs('/files/f')).toMatchObject({ data: { ref: { kind: 'file', file: 'f' } } });
    expect(refs('a.md')).toMatchObject({ data: { ref: { kind: 'url', url: 'a.md' } } });
  });

  test('a resolved address is written by whoever knows where its target is now', () => {
    const resolve = (href: string) =>
      href === 'old.md' ? ({ kind: 'page', page: 'p' } as const) : undefined;
    const markdown =
      '[a](old.md) {{ x }}\n\n{% content-ref url="old.md" %}\n[old.md](old.md)\n{% endcontent-ref %}\n';
    const hrefOf = () => 'new.md';
    const document = parseMarkdown(markdown, { resolve });
    expect(serializeMarkdown(document, { hrefOf })).toBe(markdown.replaceAll('old.md', 'new.md'));
  });
});

describe('documents made elsewhere', () => {
  const paragraph = (text: string): Block => ({
    object: 'block',
    type: 'paragraph',
    nodes: [{ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] }],
  });
  const textOf = (markdown: string) => {
    const [only, ...others] = blocks(markdown);
    const leaves = only?.nodes?.[0]?.object === 'text' ? only.nodes[0].leaves : [];
    return others.length === 0 &&
      only?.type === 'paragraph' &&
      only.nodes?.length === 1 &&
      leaves.length === 1
      ? leaves[0]?.text
      : undefined;
  };

  test('any text of a paragraph stays that text', () => {
    const pieces = fc.constantFrom(
      ...'*_`[]<>&~$:{}!|#+-=.0a \\\n%()/^"'.split(''),
      '{% x %}',
      '[^1]',
      '1.',
      '&amp;',
      '](',
      ':a:',
    );
    const texts = fc.array(pieces, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        // Line ends at the edges and in a row become elements; their text is looked at elsewhere.
        fc.pre(!/^\n|\n$|\n\n|^\s*$/.test(text));
        const document = {
          object: 'document' as const,
          data: { schemaVersion: 1 },
          nodes: [paragraph(text)],
        };
        expect(textOf(serializeMarkdown(document))).toBe(text);
      }),
      { numRuns: 3000, examples: [['[^1](\\){% x %}'], ['[](]:*'], ['[](<a)>*'], ['*\n1.  ']] },
    );
  });

  test('two lists in a row stay two lists', () => {
    const list = (): Block => ({
      object: 'block',
      type: 'list-unordered',
      nodes: [{ object: 'block', type: 'list-item', nodes: [paragraph('a')] }],
    });
    const document = { object: 'document' as const, data: { schemaVersion: 1 }, nodes: [list(), list()] };
    expect(types(serializeMarkdown(document))).toEqual(['list-unordered', 'list-unordered']);
  });
});

const SYNTAX = [
  ...[
    'a',
    'b c',
    '*',
    '**',
    '_',
    '__',
    '~~',
    '`',
    '[',
    ']',
    '](x)',
    '![',
    '[r]',
    '[q][r]',
    '<b>',
    '</b>',
    '<br>',
    '<kbd>',
  ],
  ...[
    '</kbd>',
    '&amp;',
    '&nbsp;',
    '\\',
    '\\*',
    '\\\n',
    '  \n',
    '\n',
    '\n\n',
    '# ',
    '- ',
    '* ',
    '+ ',
    '1. ',
    '2) ',
    '> ',
  ],
  ...[
    '    ',
    '\t',
    '```',
    '```js\n',
    '~~~',
    '---',
    '===',
    '|',
    '| a | b |\n| - | :-: |\n',
    '$$',
    '$$x$$',
    '\n$$\ny\n$$\n',
  ],
  ...[
    ':smile:',
    '{{ a }}',
    '{%',
    '\n{% hint style="info" %}\n',
    '\n{% endhint %}\n',
    '\n{% tabs %}\n',
    '\n{% endtabs %}\n',
  ],
  ...[
    '\n{% tab title="A" %}\n',
    '\n{% endtab %}\n',
    '\n{% code %}\n',
    '\n{% endcode %}\n',
    '\n{% embed url="u" %}\n',
  ],
  ...[
    '\n{% endembed %}\n',
    '\n{% foo %}\n',
    '{% hint style="info" %} ',
    ' {% endhint %}',
    '{% endtab %} {% tab title="B" %}',
    '\n!!! note "T"\n    ',
    '\n??? tip\n    ',
    '\n=== "A"\n    ',
    '\n<details>\n\n<summary>S</summary>\n\n',
    '\n</details>\n',
    '\n[r]: /u "t"\n',
  ],
  ...[
    '[^1]',
    '\n[^1]: note\n',
    '<!-- c',
    '-->',
    '<https://a.b>',
    '\u00a0',
    '😀',
    '[ ] ',
    '!',
    '.',
    '0',
    '<div>\n',
    '\r\n',
  ],
];
const fragments = fc.array(fc.constantFrom(...SYNTAX), { maxLength: 16 }).map((parts) => parts.join(''));

describe('any input at all', { timeout: 60_000 }, () => {
  test('any input at all reads the same again after writing, and gives a valid document', () => {
    fc.assert(
      fc.property(fc.oneof(fragments, fc.string({ unit: 'binary', maxLength: 40 })), (markdown) => {
        const document = parseMarkdown(markdown);
        const written = serializeMarkdown(document);
        expect(DocumentInput.safeParse(document).success).toBe(true);
        expect(serializeMarkdown(parseMarkdown(written))).toBe(written);
        expect(parseMarkdown(written)).toEqual(document);
      }),
      { numRuns: 2000 },
    );
  });

  test('any input at all is rarely so odd that it has to be kept as one verbatim piece', () => {
    const samples = fc.sample(fragments, { numRuns: 2000, seed: 7 });
    const kept = samples.filter((markdown) => {
      const { format } = parseMarkdown(markdown);
      return format?.verbatim === true;
    });
    expect(kept.length).toBeLessThan(samples.length / 50);
  });

  const plain = fragments.filter(
    (markdown) => !/!!! |\?{3}|=== |\{[%{]|details|\$\$|\[\^|~~~|```|<|&|\r/.test(markdown),
  );

  test('means the same to a CommonMark renderer after it was read and written', () => {
    fc.assert(
      fc.property(plain, (markdown) => {
        expect(render(serializeMarkdown(parseMarkdown(markdown)))).toBe(render(markdown));
      }),
      { numRuns: 1500 },
    );
  });

  test('hardly ever needs to be kept as it was for that', () => {
    const samples = fc.sample(plain, { numRuns: 2000, seed: 7 });
    for (const markdown of ['* \\**', ...samples]) {
      const { document, hrefOf } = readDocument(markdown, undefined);
      expect(render(writeDocument(document, hrefOf))).toBe(render(markdown));
    }
  });
});

const renderer = new MarkdownIt({ html: true });

/** What a text looks like to its readers: emphasis in emphasis, and breaks at its edges, show nothing. */
function render(markdown: string): string {
  const open: string[] = [];
  let html = renderer
    .render(markdown)
    .replace(/\s+/g, ' ')
    .replace(/<(\/?)(em|strong|s)>/g, (tag, isEnd: string, name: string) => {
      if (isEnd) open.pop();
      const isInside = open.includes(name);
      if (!isEnd) open.push(name);
      return isInside ? '' : tag;
    });
  for (let before = ''; before !== html; ) {
    before = html;
    html = html
      .replace(/(<(?:em|strong|s)>)(<br> ?)/g, '$2$1')
      .replace(/(<br> ?)(<\/(?:em|strong|s)>)/g, '$2$1');
  }
  return html;
}
