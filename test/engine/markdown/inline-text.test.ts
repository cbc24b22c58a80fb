import { expect, test } from 'vitest';
import type { Block, BlockNode } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { writeDocument } from '../../../routers/engine/markdown/write/serialize-document.ts';
import { inlines, read, text } from './published-blocks.ts';

test('emoji are answered as code points, however they are spelled', () => {
  for (const [markdown, code] of [
    [':tada:', '1f389'],
    [':white\\_check\\_mark:', '2705'],
    [':+1:', '1f44d'],
    [':100:', '1f4af'],
    [':man_technologist:', '1f468-200d-1f4bb'],
    ['<span data-gb-custom-inline data-tag="emoji" data-code="26A0">⚠️</span>', '26a0'],
  ] as const) {
    expect(inlines(markdown)).toMatchObject([{ type: 'emoji', data: { code } }]);
    const document = read(`${markdown}\n`);
    expect(published(read(writeDocument(document, undefined)))).toEqual(published(document));
  }
});

test.each([
  ['a :param: b :constructor: 10:30:45 1:100:5 server:key:value ::key:: :key::value: :key:/x :100:5'],
  ['x:tada:: :tada::x :tada::_'],
])('emoji are only those that have a name, and are not part of something else: %s', (markdown) => {
  expect(inlines(markdown)).toEqual([text(markdown)]);
});

test('emoji may follow each other, and precede words and colons', () => {
  const markdown = ':tada::wave:Hello :eyes:: **:tada:**:rocket:';
  expect(inlines(markdown).map(({ object }) => object)).toEqual([
    'inline',
    'inline',
    'text',
    'inline',
    'text',
    'inline',
    'inline',
  ]);
  const document = read(`${markdown}\n`);
  expect(published(read(writeDocument(document, undefined)))).toEqual(published(document));
});

test('emoji are written beside words too, and so is text that looks like them', () => {
  const document = read('x\n');
  const emoji = { object: 'inline' as const, type: 'emoji', isVoid: true, data: { code: '1f389' } };
  (document.nodes[0] as Block).nodes = [text('a') as BlockNode, emoji, text('b :tada: ') as BlockNode, emoji];
  expect(published(read(writeDocument(document, undefined))).nodes).toEqual(published(document).nodes);
});

test('tags that name something are text, and others are not', () => {
  const names = 'Log <LEVEL> of std::vector<T>, **<no columns>** and the <body>-element';
  expect(plainText(read(`${names.replaceAll('**', '')}\n`))).toBe(names.replaceAll('**', ''));
  const document = read(`${names}\n`);
  expect(read(writeDocument(document, undefined))).toEqual(document);
  expect(plainText(read('a <x>b</x> <b>c <y z="1">d <br> e</f>\n'))).toBe('a b c d   e');
});
