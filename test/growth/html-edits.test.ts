import { expect, test } from 'vitest';
import type { Block, Document } from '../../routers/engine/document/document.ts';
import { restoreDocumentSpelling } from '../../routers/engine/edit/document-spelling.ts';
import { updateBody } from '../../routers/engine/export/body.ts';
import { normalizeDocument } from '../../routers/engine/markdown/keys.ts';
import { parseMarkdown, serializeMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { paragraph, textNode } from '../../routers/engine/markdown/nodes.ts';
import { published } from '../../routers/engine/markdown/published/published.ts';
import { expectLinear } from '../helpers/growth.ts';

const range = (size: number, make: (index: number) => string): string =>
  Array.from({ length: size }, (_, index) => make(index)).join('');

/** Raw HTML of many parts with a comment after each, followed by as many blocks that are no HTML. */
const markdownOf = (size: number): string =>
  `<div class="x">\n${range(size, (index) => `<p id="${index}">p ${index}</p><!-- ${index} -->\n`)}</div>\n\n${'z\n\n'.repeat(size)}`;

const tabs = (): Block => ({
  object: 'block',
  type: 'tabs',
  nodes: [{ object: 'block', type: 'tabs-item', data: { title: 'T' }, nodes: [paragraph([textNode('t')])] }],
});

test.for<[string, (nodes: Block[]) => Block[]]>([
  ['in reverse', (nodes) => nodes.reverse()],
  ['apart', (nodes) => nodes.flatMap((node) => [node, tabs()])],
  [
    'between stored blocks',
    (nodes) => {
      const half = nodes.length / 2;
      return nodes.slice(0, half).flatMap((node, index) => [node, nodes[half + index] as Block]);
    },
  ],
])('parts of HTML that are sent %s are written in linear time, with all comments', ([name, edit]) => {
  const versions = (size: number): [Document, Document] => {
    const stored = parseMarkdown(markdownOf(size));
    const sent = normalizeDocument(structuredClone(published(stored)));
    return [stored, normalizeDocument({ ...sent, nodes: edit(sent.nodes) })];
  };
  const restore = ([stored, sent]: [Document, Document]) => restoreDocumentSpelling(stored, sent);
  expect(serializeMarkdown(restore(versions(64))).match(/<!--/g)).toHaveLength(64);
  expectLinear(name, versions, restore, { from: 256, milliseconds: 4 });
});

test.for<[string, (size: number) => string]>([
  ['rows and cells', (size) => range(size, (index) => `<tr>\n<td>${index}\n<td>b\n`)],
  ['equal rows', (size) => '<tr>\n<td>a\n<td>b\n'.repeat(size)],
  ['lists', (size) => range(size, (index) => `<tr>\n<td>${index}\n<td><ul><li class="x">a<li>b</ul>\n`)],
  ['code', (size) => range(size, (index) => `<tr>\n<td>${index}\n<td><pre>a\nb</pre>\n`)],
])('HTML tables of many %s are exported in linear time after an edit', ([name, rows]) => {
  const links = { hrefOf: () => 'u', resolve: () => undefined };
  const fileOf = (size: number) =>
    `<table>\n<thead>\n<tr>\n<th>A\n<th>B\n<tbody>\n${rows(size)}<tr>\n<td>one\n<td>two\n</table>\n`;
  const edits = (size: number): [string, Document, Document] => {
    const file = fileOf(size);
    const stored = parseMarkdown(file);
    const sent = JSON.parse(JSON.stringify(published(stored)).replace('"one"', '"1"')) as Document;
    return [file, stored, restoreDocumentSpelling(stored, normalizeDocument(sent))];
  };
  const exported = ([file, before, after]: [string, Document, Document]) =>
    updateBody(file, before, after, links);
  expect(exported(edits(64))).toBe(fileOf(64).replace('one', '1'));
  expectLinear(name, edits, exported, { from: 128, milliseconds: 4 });
});

test('tables of many cells are read in linear time after an edit of one of them', () => {
  const versions = (size: number): [Document, Document] => {
    const stored = parseMarkdown(`| a | b |\n|-|-|\n${range(size, (index) => `| ${index} | b |\n`)}`);
    const sent = JSON.parse(JSON.stringify(published(stored)).replace('"0"', '"z"')) as Document;
    return [stored, normalizeDocument(sent)];
  };
  const restore = ([stored, sent]: [Document, Document]) => restoreDocumentSpelling(stored, sent);
  expect(serializeMarkdown(restore(versions(1)))).toBe('| a | b |\n|-|-|\n| z | b |\n');
  expectLinear('cells', versions, restore, { from: 1024 });
});
