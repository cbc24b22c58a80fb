import { expect, test } from 'vitest';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { partsOf } from '../../../routers/engine/search/sections.ts';

const card = (label: string) =>
  parseMarkdown(`{% content-ref url="https://a.example/b" %}\n${label}\n{% endcontent-ref %}\n`);

test('a content reference at a URL is a link with the title of its author, which is searchable', () => {
  const document = card('[**API** keys](https://a.example/b)');
  expect(published(document).nodes).toMatchObject([
    {
      type: 'paragraph',
      key: document.nodes[0]?.key,
      nodes: [{ type: 'link', data: { ref: { kind: 'url', url: 'https://a.example/b' } } }],
    },
  ]);
  expect(plainText(published(document))).toBe('API keys');
  expect(partsOf(document)[0]?.sections).toEqual([{ title: '', text: 'API keys' }]);
});

test.for(['[https://a.example/b](https://a.example/b)', '', 'Text', '[A](b) and [C](d)', '# [A](b)'])(
  'a content reference at a URL without a title stays what it is: %j',
  (label) => {
    expect(published(card(label)).nodes.map(({ type }) => type)).toEqual(['content-ref']);
  },
);
