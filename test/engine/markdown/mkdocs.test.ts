import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block, Document } from '../../../routers/engine/document/document.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { expectExact } from './exact.ts';
import { outlineOf } from './outline.ts';

/** A document without how it was written, in GitBook's Markdown. */
const plain = (document: Document): string =>
  serializeMarkdown(
    JSON.parse(JSON.stringify(document, (name, value) => (name === 'format' ? undefined : value))),
  ).trim();

const hint = (style: string, text: string): string => `{% hint style="${style}" %}\n${text}\n{% endhint %}`;
const details = (title: string, text: string, open = ''): string =>
  `<details${open}>\n\n<summary>${title}</summary>\n\n${text}\n\n</details>`;
const tabs = (...entries: [title: string, text: string][]): string =>
  `{% tabs %}\n${entries.map(([title, text]) => `{% tab title="${title}" %}\n${text}\n{% endtab %}`).join('\n\n')}\n{% endtabs %}`;

describe('admonitions and tabs of MkDocs', () => {
  test.for([
    ['!!! note\n    Some *text*\n    and more.\n', hint('info', 'Some *text*\\\nand more.')],
    ['!!! warning "Be `careful`"\n\n    A\n\n    * b\n', hint('warning', '**Be `careful`**\n\nA\n\n* b')],
    ['!!! tip inline end ""\n    A\n', hint('success', 'A')],
    ['!!! bug\n    A\n!!! other\n    B\n', `${hint('danger', 'A')}\n\n${hint('info', 'B')}`],
    ['??? question "Why?"\n    Because.\n', details('Why?', 'Because.')],
    ['???+ example\n\n    A\n', details('Example', 'A', ' open')],
    ['!!! note\n    !!! tip\n        A\n\n    B\n', hint('info', `${hint('success', 'A')}\n\nB`)],
    ['!!! note\n    ```js\n    a\n\n      b\n    ```\n', hint('info', '```js\na\n\n  b\n```')],
    ['!!! note\n        code\n', hint('info', '```\ncode\n```')],
    ['!!! note\n\tA\n', hint('info', 'A')],
    ['Text\n!!! note\n    A\nMore\n', `Text\n\n${hint('info', 'A')}\n\nMore`],
    ['> !!! note\n>     A\n', hint('info', 'A').replace(/^/gm, '> ')],
    ['* a\n\n    !!! note\n        B\n', `* a\n\n${hint('info', 'B').replace(/^/gm, '  ')}`],
    ['=== "A"\n\n    B\n\n=== "C"\n\n    ```js\n    d\n    ```\n', tabs(['A', 'B'], ['C', '```js\nd\n```'])],
    ['=== "A"\n    B\n===! "C"\n    D\n\n\n=== "E"\n    F\n', tabs(['A', 'B'], ['C', 'D'], ['E', 'F'])],
    ['!!! note\n    === "A"\n        B\n', hint('info', tabs(['A', 'B']))],
  ] as const)('admonitions and tabs of MkDocs are read as GitBook has them: %j', ([markdown, expected]) => {
    const document = parseMarkdown(markdown);
    expect(serializeMarkdown(document)).toBe(markdown);
    expect(plain(document)).toBe(expected);
  });

  test.for([
    '!!! note\n\nText\n',
    '!!! note\n  Text\n',
    '!!!note\n    Text\n',
    '!!! "note"\n    Text\n',
    '    !!! note\n        Text\n',
    '```\n!!! note\n    Text\n```\n',
    '=== A\n    Text\n',
    '=== "A"\n\nText\n',
    'Wow!!! note\n    Text\n',
  ])(
    'admonitions and tabs of MkDocs are text if they have no content, or are spelled wrong: %j',
    (markdown) => {
      const document = parseMarkdown(markdown);
      expect(serializeMarkdown(document)).toBe(markdown);
      expect(outlineOf(document.nodes)).not.toMatch(/hint|expandable|tabs/);
    },
  );

  test('admonitions and tabs of MkDocs become those of GitBook when they get what MkDocs has not', () => {
    const withData = (markdown: string, data: object): string => {
      const document = parseMarkdown(markdown);
      const [first] = document.nodes as [Block];
      return serializeMarkdown({ ...document, nodes: [{ ...first, data: { ...first.data, ...data } }] });
    };
    expect(withData('!!! note\n    A\n', { style: 'danger' })).toBe(`${hint('danger', 'A')}\n`);
    expect(withData('!!! note\n    A\n', { icon: 'x' })).toBe(
      `${hint('info', 'A').replace(' %}', ' icon="x" %}')}\n`,
    );
    expect(withData('=== "A"\n    B\n', { fullWidth: true })).toBe(
      `${tabs(['A', 'B']).replace('tabs', 'tabs fullWidth="true"')}\n`,
    );
  });

  test('text that looks like what is indented in MkDocs, or like tags, is read again as text', () => {
    const leaf = (text: string) => ({ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] });
    const line = fc.constantFrom(
      '!!! note',
      '??? note "T"',
      '=== "A"',
      '{% hint style="info" %} a {% endhint %}',
      'a {% endhint %}',
      '{% endhint %}',
      '{% hint %} a',
      'a',
    );
    const code = {
      object: 'block',
      type: 'code',
      isVoid: false,
      data: {},
      format: { indented: true },
      nodes: [{ object: 'block', type: 'code-line', isVoid: false, data: {}, nodes: [leaf('x')] }],
    };
    const paragraph = line.map((text) => ({
      object: 'block',
      type: 'paragraph',
      isVoid: false,
      nodes: [leaf(text)],
    }));
    const leafBlock = fc.oneof(paragraph, paragraph, fc.constant(code));
    const format = fc.constantFrom(
      undefined,
      { before: 0 },
      { admonition: '!!! note' },
      { admonition: '!!! note', before: 0 },
      { admonition: '!!! note "T"', before: 0 },
    );
    const others = fc
      .constantFrom(...['| a |\n| - |\n| b |\n', '<div>\n', '<p>a</p>\n', '* a\n', '> a\n', '***\n'])
      .map((markdown) => parseMarkdown(markdown).nodes[0]);
    const inside = fc.array(leafBlock, { minLength: 1, maxLength: 3 });
    const block = fc.oneof(
      leafBlock,
      others,
      fc.record({ nodes: inside, format }).map((given) => ({
        object: 'block',
        type: 'hint',
        isVoid: false,
        data: { style: 'info' },
        ...given,
      })),
      inside.map((nodes) => ({
        object: 'block',
        type: 'tabs',
        isVoid: false,
        data: {},
        format: { lines: true, before: 0 },
        nodes: [
          {
            object: 'block',
            type: 'tabs-item',
            isVoid: false,
            data: { title: 'A' },
            format: { line: '=== "A"' },
            nodes,
          },
        ],
      })),
    );
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 5 }), (nodes) => {
        const document = { object: 'document', data: { schemaVersion: 1 }, nodes } as unknown as Document;
        const read = parseMarkdown(serializeMarkdown(document));
        expect(plain(read)).toBe(plain(document));
        expect(outlineOf(read.nodes)).toBe(outlineOf(document.nodes));
      }),
      { numRuns: 1000 },
    );
  });

  test('admonitions and tabs of MkDocs come back byte for byte, whatever is in them', () => {
    const piece = fc.constantFrom(
      ...['!!! note\n', '!!! note "a"\n', '??? tip\n', '=== "a"\n', '=== "b"\n', '    ', '    ', '        '],
      ...[
        '\t',
        ' ',
        '\n',
        '\n',
        'a',
        'b\n',
        '* ',
        '1. ',
        '> ',
        '# ',
        '```\n',
        '| a |\n|-|\n',
        '<div>\n',
        '---\n',
      ],
      ...['{% hint %} ', ' {% endhint %}', '[^1]: ', '[r]: /u\n', '[r]', '**', '`'],
    );
    const text = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));
    fc.assert(fc.property(text, expectExact), {
      numRuns: 3000,
      examples: [['# [^1]: [r]: /u\n[^1]: [r]: /u\n']],
    });
  });
});
