import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withHints } from '../../../routers/engine/document/admonitions.ts';
import type { Block, BlockNode } from '../../../routers/engine/document/document.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';

const textOf = (node: BlockNode): string =>
  node.object === 'text'
    ? node.leaves.map(({ text }) => text).join('')
    : (node.nodes ?? []).map(textOf).join('');

/** Some Markdown as it is shown, in which admonitions are hints. */
function shown(markdown: string): string {
  const document = parseMarkdown(markdown);
  expect(serializeMarkdown(document)).toBe(markdown);
  const nodes = withHints(document.nodes) as Block[];
  // Without the formatting hints, which contain the original Markdown.
  const json = JSON.stringify({ ...document, nodes }, (name, value) =>
    name === 'format' ? undefined : value,
  );
  return serializeMarkdown(JSON.parse(json));
}

const hint = (style: string, text: string): string => `{% hint style="${style}" %}\n${text}\n{% endhint %}`;

test.each([
  ['with blank lines', ':::note\n\nSome text.\n\n:::\n', hint('info', 'Some text.')],
  ['without blank lines', ':::tip\nSome *text*.\n:::\n', hint('success', 'Some *text*.')],
  ['with a space', '::: warning\nSome text.\n:::\n', hint('warning', 'Some text.')],
  ['with a title', '::: danger Stop here\nSome text.\n:::\n', hint('danger', '**Stop here**\n\nSome text.')],
  [
    'with a title in brackets',
    ':::info[Read this]\n\nText.\n\n:::\n',
    hint('info', '**Read this**\n\nText.'),
  ],
  [
    'with a title of several parts',
    ':::warning Keep `a` and [b](c.md)\nSome text.\n:::\n',
    hint('warning', '**Keep `a` and** [b](c.md)\n\nSome text.'),
  ],
  ['with other blocks', ':::note\n\n# A\n\n```js\nb\n```\n\n:::\n', hint('info', '## A\n\n```js\nb\n```')],
  ['that begins with a list', ':::note\n\n* a\n* b\n:::\n', hint('info', '* a\n* b')],
  ['that ends with a quote', ':::note\n\na\n\n> b\n:::\n', hint('info', 'a\n\n> b')],
  [
    'that ends indented below the text of an item',
    ':::note\n\n* a\n\n  b\n\n  :::\n\nc\n',
    `${hint('info', '* a\n\n  b')}\n\nc`,
  ],
  ['after a line of text', '`a`\n:::note B\nc\n:::\n\nd\n', `\`a\`\n\n${hint('info', '**B**\n\nc')}\n\nd`],
  ['before a line of text', ':::note\na\n:::\nb `c`\n\nd\n', `${hint('info', 'a')}\n\nb \`c\`\n\nd`],
  ['with an end before a line of text', ':::note\n\na\n\n:::\n*b*\n', `${hint('info', 'a')}\n\n*b*`],
  [
    'between lines of text',
    'a\n:::note\nb\n:::\nc\n:::tip\nd\n:::\ne\n',
    ['a', hint('info', 'b'), 'c', hint('success', 'd'), 'e'].join('\n\n'),
  ],
  ['with a list before a line of text', ':::note\n\n* a\n:::\nb\n', `${hint('info', '* a')}\n\nb`],
  ['that is empty', ':::note\n:::\n', '{% hint style="info" %}\n{% endhint %}'],
  [
    'in an admonition',
    '::::note\n\na\n\n:::tip\n\nb\n\n:::\n\nc\n\n::::\n',
    hint('info', `a\n\n${hint('success', 'b')}\n\nc`),
  ],
  [
    'before and after other text',
    'a\n\n:::note\nb\n:::\n\nc\n\n:::tip\nd\n:::\n',
    ['a', hint('info', 'b'), 'c', hint('success', 'd')].join('\n\n'),
  ],
])('an admonition %s is shown as a hint', (_, markdown, expected) => {
  expect(shown(markdown).trim()).toBe(expected);
});

test('a paragraph with a line like that of an admonition that does not end is shown as it is', () => {
  expect(withHints(parseMarkdown('a\n:::note\nb\n').nodes)).toHaveLength(1);
});

const codeGroup = ':::code-group\n\n```js [a.js]\n1\n```\n\n```ts\n2\n```\n\n:::\n';

test('a group of code blocks is shown as tabs, unless there is something else in it', () => {
  expect(shown(codeGroup).trim()).toBe(
    '{% tabs %}\n{% tab title="a.js" %}\n```js\n1\n```\n{% endtab %}\n\n{% tab title="ts" %}\n```ts\n2\n```\n{% endtab %}\n{% endtabs %}',
  );
  expect(shown(codeGroup.replace('```js', 'Text\n\n```js')).trim()).toMatch(
    /^\{% hint style="info" %\}\nText\n/,
  );
});

test.each([
  ['is not closed', ':::note\n\nSome text.\n'],
  ['is not opened', 'Some text.\n\n:::\n'],
  ['is not opened before a line of text', 'a\n:::\nb\n\n* c\n:::\nd\n'],
  ['has an unknown name', ':::other\n\nSome text.\n\n:::\n'],
  ['is closed by fewer colons', '::::note\n\nSome text.\n\n:::\n'],
  ['is in code', '```\n:::note\nSome text.\n:::\n```\n'],
  ['has a marked name', '**:::note**\n\nSome text.\n\n:::\n'],
  ['begins within a line', 'a :::note\nSome text.\n:::\n'],
])('what %s is shown as it is', (_, markdown) => {
  const { nodes } = parseMarkdown(markdown);
  expect(withHints(nodes)).toEqual(nodes);
});

test('no text is lost but the lines of admonitions: any sequence of lines', () => {
  const line = fc.constantFrom(
    ':::note',
    ':::tip Q',
    '::::info',
    ':::',
    '::::',
    '',
    'X',
    '* Y',
    '> Z',
    ':::[W]',
  );
  const property = fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
    const { nodes } = parseMarkdown(`${lines.join('\n')}\n`);
    const lettersIn = (blocks: readonly BlockNode[]) => blocks.map(textOf).join('').match(/[Q-Z]/g);
    expect(lettersIn(withHints(nodes))).toEqual(lettersIn(nodes));
  });
  fc.assert(property, { numRuns: 500 });
});

test.each([
  ['admonitions', ':::note\nSome text.\n:::\n\n', 1500, 1000],
  ['blocks', ':::note\nSome text.\n:::\n\n\n* a\n\n# b\n\n---\n\n1. c\n\n`d`\n\n', 1000, 5000 / 6],
])(
  'of very many %s, the first are shown as hints, and the others as they are',
  (_, markdown, count, hints) => {
    const { nodes } = parseMarkdown(markdown.repeat(count));
    const shown = withHints(nodes);
    expect(shown.map(textOf).join('')).toContain(':::');
    expect(shown.filter((node) => (node as Block).type === 'hint')).toHaveLength(Math.ceil(hints));
    expect(shown).toHaveLength(nodes.length);
  },
);
