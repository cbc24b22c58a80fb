import { expect, test } from 'vitest';
import { addHtmlDescriptions } from '../../../routers/engine/specs/descriptions.ts';
import { expectLinear } from '../../helpers/growth.ts';

const HTML = 'x-gitbook-description-html';

const htmlOf = (description: string): unknown => {
  const document: Record<string, unknown> = { description };
  addHtmlDescriptions(document);
  return document[HTML];
};

test('all descriptions get HTML', () => {
  const document = {
    info: { description: 'The *API*.' },
    paths: { '/a': { get: { description: 'One\nTwo', responses: { 200: { description: 'Fine' } } } } },
    components: { schemas: { description: { description: '`code`' } } },
    'x-ext': { 1: { description: 'Elsewhere' } },
  };
  addHtmlDescriptions(document);
  expect(document).toMatchObject({
    info: { description: 'The *API*.', [HTML]: '<p>The <em>API</em>.</p>' },
    paths: {
      '/a': { get: { [HTML]: '<p>One<br>\nTwo</p>', responses: { 200: { [HTML]: '<p>Fine</p>' } } } },
    },
    components: { schemas: { description: { [HTML]: '<p><code>code</code></p>' } } },
    'x-ext': { 1: { [HTML]: '<p>Elsewhere</p>' } },
  });
});

test('arbitrary data and names are unchanged', () => {
  const document = {
    example: { description: 'a' },
    examples: [{ description: 'a' }],
    enum: [{ description: 'a' }],
    flows: { implicit: { scopes: { description: 'a' } } },
  };
  const before = structuredClone(document);
  addHtmlDescriptions(document);
  expect(document).toEqual(before);
});

test('existing HTML in a document is removed, even in data', () => {
  const evil = '<script>alert(1)</script>';
  const document = {
    [HTML]: evil,
    description: 'a',
    'x-a': { [HTML]: evil },
    example: [{ [HTML]: evil }],
    properties: { [HTML]: evil },
  };
  addHtmlDescriptions(document);
  expect(JSON.stringify(document)).not.toContain('alert');
  expect(document[HTML]).toBe('<p>a</p>');
});

test.for([
  ['<img src=x onerror=alert(1)> <b>', /<img|<b>/],
  ['[a](javascript:alert(1)) [b](JaVaScRiPt&colon;alert(1)) ![c](javascript:x)', /href|src/],
  ['[a](data:text/html,x) ![b](data:image/svg+xml,x) <vbscript:x> [c](blob:x)', /href|src/],
  ['[a](https://x "\\" onclick=\\"x") ![x" onerror="y](https://z)', /" on/],
  ['```x" onclick="y\na\n```', /" on/],
  [`${'a'.repeat(50_001)}<b>`, /<b>/],
] as const)('the HTML contains no scripts or elements by the author: %s', ([description, dangerous]) => {
  expect(htmlOf(description)).not.toMatch(dangerous);
});

test('links to paths, anchors, URLs and e-mail addresses are kept', () => {
  expect(htmlOf('[a](/b?c=d:e) [f](#g) [h](https://i) [j](mailto:k@l.m)')).toBe(
    '<p><a href="/b?c=d:e">a</a> <a href="#g">f</a> <a href="https://i">h</a> <a href="mailto:k@l.m">j</a></p>',
  );
});

test('the total length of HTML in a document is limited', () => {
  const descriptions = Array.from({ length: 400 }, (_, index) => ({
    description: `${index}${'<'.repeat(20_000)}`,
  }));
  addHtmlDescriptions(descriptions);
  expect(JSON.stringify(descriptions).length).toBeLessThan(400 * 20_000 + 5_000_000);
});

test.for(['*a **b ', '> ', '[a](', '`', '![', '- a\n  ', '&lt;', 'a\n=\n', '|a|b|\n', '[a]: b\n'])(
  'descriptions with many %j are rendered in linear time',
  (piece) => {
    expectLinear(
      piece,
      (size) => ({ description: piece.repeat(size).slice(0, 50_000) }),
      (document) => addHtmlDescriptions(document),
    );
  },
);
