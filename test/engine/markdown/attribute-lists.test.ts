import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { block, paragraph, textNode } from '../../../routers/engine/markdown/nodes.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { outlineOf } from './outline.ts';

const shown = (markdown: string): string => plainText(published(parseMarkdown(markdown)));

/** A document without how it was written. */
const unformatted = (markdown: string) =>
  JSON.parse(
    JSON.stringify(parseMarkdown(markdown), (name, value) => (name === 'format' ? undefined : value)),
  );

describe('attribute lists of MkDocs and kramdown', () => {
  test.for([
    ['See [a](b){ .md-button target=_blank } and `c`{: .d }.\n', 'See a and c.'],
    ['**a**{ .b } *c*{.d} ~~e~~{ title="f g" } <kbd>h</kbd>{ .i }\n', 'a c e h'],
    ['[a](b){ data-preview }\n', 'a'],
    ['Use :material-close:{ style="color: #EF5350" } here\n', 'Use :material-close: here'],
    ['Text\n{ .annotate }\n', 'Text'],
    ['{: .note }\nText\n', 'Text'],
    ['> Text\n{: .prompt-tip }\n', 'Text'],
    ['# A\n{: .no_toc }\n\nText\n', 'A\nText'],
    ['1. a\n2. b\n{: .list }\n\nText\n', 'a\nb\nText'],
    ['{:toc}\n', ''],
    ['## Title {: .no_toc }\n', 'Title'],
    ['## Title { .a data-b="c" }\n', 'Title'],
    ['| a | b |\n| - | - |\n| c | d { .e } |\n{: .table }\n\nText\n', 'a\nb\nc\nd\nText'],
  ] as const)('are not shown, and written as they were: %j', ([markdown, text]) => {
    expect(shown(markdown)).toBe(text);
    expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
  });

  test.for([
    'A set {a=b} and `c`{d}.',
    'obj{.x} and x_{k=0}',
    '{a=b}',
    'Text { .a }',
    'a { .b } c',
    '```\n[a](b){ .c }\n```',
  ])('are text where they belong to nothing: %j', (markdown) => {
    expect(shown(markdown)).toBe(markdown.replace(/[`\n]/g, ''));
  });

  test('an edit of a word keeps the list after another', () => {
    const document = unformatted('Old [a](b){ .c }\n{: .d }\n');
    document.nodes[0].nodes[0].leaves[0].text = 'New ';
    expect(serializeMarkdown(document)).toBe('New [a](b){ .c }\n{: .d }\n');
  });

  test('the id among the attributes of a heading is that of the heading', () => {
    const markdown = '## Title { #given .a data-toc-label="b" }\n';
    const [heading] = parseMarkdown(markdown).nodes;
    expect(heading?.data).toEqual({ id: 'given' });
    expect(shown(markdown)).toBe('Title');
    expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
    expect(serializeMarkdown(unformatted(markdown))).toBe('## Title <a href="#given" id="given"></a>\n');
  });

  test('an image by itself has the width and height of its list, which is written while it has them', () => {
    const markdown = '![a](b.png){ width="300" height=50% .c }\n';
    const document = parseMarkdown(markdown);
    const image = (document.nodes[0] as Block).nodes?.[0] as Block;
    expect(image.data).toMatchObject({ alt: 'a', width: 300, height: { unit: '%', value: 50 } });
    expect(serializeMarkdown(document)).toBe(markdown);
    image.data = { ...image.data, width: 200 };
    expect(serializeMarkdown(document)).toContain('width="200"');
    expect(serializeMarkdown(document)).not.toContain('{');
    const plain = parseMarkdown('![a](b.png){: .c }\n');
    expect(outlineOf(plain.nodes)).toBe(outlineOf(parseMarkdown('![a](b.png)\n').nodes));
    expect(serializeMarkdown(plain)).toBe('![a](b.png){: .c }\n');
  });

  test.for([
    ['a **b** \\{{#c#\\}} d\n', 'a b {{#c#}} d'],
    ['{#c\\}} d\n', '{#c}} d'],
    ['{#a*b*} c\n', '{#ab} c'],
    ['<kbd>{.y}</kbd> <kbd>z</kbd>{.z}\n', '{.y} z'],
    ['\\{{*b*}}\n', '{{b}}'],
    ['\\{{/* c */}}\n', '{}'],
  ] as const)('what is escaped or has other markup is none, and read as before: %j', ([markdown, text]) => {
    expect(shown(markdown)).toBe(text);
    expect(shown(serializeMarkdown(unformatted(markdown)))).toBe(text);
    expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
  });

  test('text that looks like one stays text', () => {
    const part = fc.constantFrom(
      '{ .a }',
      '{: .b }',
      '{#c}',
      '{d="e"}',
      '{:f}',
      ' ',
      'g',
      ':h-i:',
      '\n',
      '_',
    );
    const marks = fc.constantFrom([], ['bold'], ['italic'], ['code']);
    const leaf = fc.record({ text: fc.array(part, { minLength: 1, maxLength: 4 }), marks });
    const content = fc.record({
      type: fc.constantFrom('paragraph', 'heading-1'),
      leaves: fc.array(leaf, { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(content, ({ type, leaves }) => {
        const nodes = leaves.map(({ text, marks: types }) =>
          textNode(
            type === 'paragraph' ? text.join('') : text.join('').replaceAll('\n', ' '),
            types.map((mark) => ({ object: 'mark', type: mark })),
          ),
        );
        const made = type === 'paragraph' ? paragraph(nodes) : block(type, nodes, {});
        const markdown = serializeMarkdown({ object: 'document', data: { schemaVersion: 1 }, nodes: [made] });
        const lists = (text: string) => text.match(/\{[^}]*\}/g) ?? [];
        expect(lists(shown(markdown))).toEqual(lists(plainText([made])));
      }),
      { numRuns: 2000 },
    );
  });
});
