/** The pages of sites are rendered in the process that serves all requests, for anyone. */

import { expect, test } from 'vitest';
import type { Block, BlockNode } from '../../routers/engine/document/document.ts';
import { parseMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { paragraph, textNode } from '../../routers/engine/markdown/nodes.ts';
import { published } from '../../routers/engine/markdown/published/published.ts';
import type { Spec } from '../../routers/engine/specs/spec-reader.ts';
import { html } from '../../server/http/html.ts';
import { apiBlock } from '../../server/pages/document/api.ts';
import { renderBlocks } from '../../server/pages/document/blocks.ts';
import { MAX_ADDED, type RenderContext } from '../../server/pages/document/render-context.ts';
import { createRenderContext, renderInTurns } from '../../server/pages/document/render-document.ts';
import { en } from '../../server/pages/languages/en.ts';
import { expectLinear } from '../helpers/growth.ts';

const range = <T>(size: number, make: (index: number) => T): T[] =>
  Array.from({ length: size }, (_, index) => make(index));

const contextWith = (resources: Partial<RenderContext> = {}): RenderContext =>
  createRenderContext({
    texts: en,
    locale: 'en',
    linksOpen: 'self',
    target: () => undefined,
    tokens: () => undefined,
    formula: () => undefined,
    embed: () => undefined,
    reusable: () => undefined,
    api: () => undefined,
    ...resources,
  });

const render = (nodes: readonly BlockNode[], context = contextWith()): string =>
  html`${renderBlocks(nodes, context)}`.text;

const markdown = (text: string): BlockNode[] => [...published(parseMarkdown(text)).nodes];

/** A table as a caller may send it. */
const table = (
  view: object,
  definition: object,
  values: readonly Record<string, unknown>[],
): readonly BlockNode[] => {
  const records = Object.fromEntries(
    values.map((cells, index) => [
      `r${index}`,
      { orderIndex: String(index).padStart(6, '0'), values: cells },
    ]),
  );
  return [{ object: 'block', type: 'table', isVoid: true, data: { view, definition, records } } as Block];
};

const columns = (size: number) =>
  Object.fromEntries(range(size, (index) => [`c${index}`, { id: `c${index}`, title: 'a', type: 'number' }]));
const grid = { type: 'grid', columns: ['a'] };
const options = (size: number) => range(size, (index) => ({ value: `${index}`, label: `Label ${index}` }));

test.for<[string, (size: number) => readonly BlockNode[]]>([
  [
    'a wide table with short rows',
    (size) => markdown(`${'|a'.repeat(size)}|\n${'|-'.repeat(size)}|\n${'|\n'.repeat(size)}`),
  ],
  [
    'a wide table with a value at the end of each row',
    (size) =>
      table(
        { type: 'grid' },
        columns(size),
        range(size, () => ({ [`c${size - 1}`]: 1 })),
      ),
  ],
  [
    'wide cards with few values',
    (size) =>
      table(
        { type: 'cards' },
        columns(size),
        range(size, () => ({ c0: 1 })),
      ),
  ],
  [
    'a table that lists a column many times',
    (size) =>
      table(
        { type: 'grid', columns: range(size, () => 'a') },
        { a: { id: 'a', type: 'number' } },
        range(size, (index) => ({ a: index })),
      ),
  ],
  [
    'cards with a long title of a column',
    (size) =>
      table(
        { type: 'cards', columns: ['a'] },
        { a: { id: 'a', type: 'number', title: 'a'.repeat(size) } },
        range(size, (index) => ({ a: index })),
      ),
  ],
  [
    'a table with many options',
    (size) =>
      table(
        grid,
        { a: { id: 'a', type: 'select', options: options(size) } },
        range(size, (index) => ({ a: `${index}` })),
      ),
  ],
  [
    'a table with an option with a long label',
    (size) =>
      table(
        grid,
        { a: { id: 'a', type: 'select', options: [{ value: 'a', label: 'a'.repeat(size) }] } },
        range(size, () => ({ a: 'a' })),
      ),
  ],
])('%s is rendered in linear time', ([name, make]) => {
  expectLinear(name, make, (nodes) => void render(nodes), { from: 128 });
  const large = make(2048);
  expect(render(large).length).toBeLessThan(20 * JSON.stringify(large).length);
});

test('a long page is rendered in turns with other work', async () => {
  const blocks = range(30_000, (index) => paragraph([textNode(`Paragraph ${index}`)]));
  let turns = 0;
  let isDone = false;
  const takeTurn = () => {
    turns += 1;
    if (!isDone) setImmediate(takeTurn);
  };
  setImmediate(takeTurn);
  const rendered = html`${await renderInTurns(blocks, contextWith())}`;
  isDone = true;
  expect(turns).toBeGreaterThan(0);
  expect(rendered.text).toBe(render(blocks));
});

test('rows without some of their cells keep the columns of the others', () => {
  const row = (size: number, index: number) =>
    table({ type: 'grid' }, columns(size), [{ c0: 1, [`c${index}`]: 2 }]);
  const cells = (nodes: readonly BlockNode[]) => render(nodes).match(/<td[^>]*>\d*/g);
  const empty = '<td class="at-end">';
  expect(cells(row(4, 2))).toEqual([`${empty}1`, empty, `${empty}2`, empty]);
  expect(cells(row(1500, 1490))).toEqual([
    `${empty}1`,
    '<td colspan="1000">',
    '<td colspan="489">',
    `${empty}2`,
    '<td colspan="9">',
  ]);
});

test.for<[string, readonly BlockNode[]]>([
  ['with much text', [paragraph([textNode('text '.repeat(10_000))])]],
  ['without text', []],
])('reusable contents %s that include each other often are limited', ([, innermost]) => {
  const include = (id: number): Block => ({
    object: 'block',
    type: 'reusable-content',
    isVoid: true,
    data: { ref: { kind: 'reusable-content', reusableContent: String(id) } },
  });
  const reusable: RenderContext['reusable'] = (ref) => {
    const id = Number((ref as { reusableContent: string }).reusableContent);
    return (id === 3 ? innermost : range(300, () => include(id + 1))).map((node) => ({ node }));
  };
  const context = contextWith({ reusable });
  expect(render([include(0)], context).length).toBeLessThan(2 * MAX_ADDED);
  expect(context.remaining).toBeLessThanOrEqual(0);
});

test('of API blocks that add much, the last ones show only their method and path', () => {
  const large = 'a'.repeat(MAX_ADDED / 4);
  const context = contextWith({
    api: (_block, _origins, isBrief) => html`<p>${isBrief ? 'brief' : large}</p>`,
  });
  const block: Block = { object: 'block', type: 'openapi-operation', isVoid: true, data: {} };
  const text = render(
    range(6, () => block),
    context,
  );
  expect(text.split(large)).toHaveLength(5);
  expect(text.endsWith('<p>brief</p><p>brief</p>')).toBe(true);
});

test('the description of a page that is often referred to is shortened', () => {
  const description = 'word '.repeat(2000);
  const context = contextWith({ target: () => ({ href: '/page', title: 'Page', description }) });
  const block = (): Block => ({
    object: 'block',
    type: 'content-ref',
    isVoid: true,
    data: { ref: { kind: 'page', page: 'page' } },
  });
  expect(render(range(100, block), context).length).toBeLessThan(200_000);
});

test('tasks within each other are rendered in linear time', () => {
  const nested = (depth: number, length: number): Block => ({
    object: 'block',
    type: 'list-tasks',
    nodes: [
      {
        object: 'block',
        type: 'list-item',
        nodes: [paragraph([textNode('a'.repeat(length))]), ...(depth > 0 ? [nested(depth - 1, length)] : [])],
      },
    ],
  });
  expectLinear(
    'tasks',
    (size) => [nested(size / 2, 2000)],
    (nodes) => void render(nodes),
    { from: 8, to: 8 },
  );
});

/** Schemas of which many properties refer to one that is long. */
test.for<[string, (size: number) => object]>([
  ['description', (size) => ({ 'x-gitbook-description-html': 'text '.repeat(20 * size) })],
  ['example', (size) => ({ example: 'a'.repeat(100 * size) })],
  ['example that is an object', (size) => ({ example: range(20 * size, () => 'a') })],
  ['default', (size) => ({ default: range(20 * size, () => 'a') })],
  ['enumeration', (size) => ({ enum: range(50, () => 'a'.repeat(2 * size)) })],
  ['pattern', (size) => ({ pattern: 'a'.repeat(100 * size) })],
  ['list of patterns', (size) => ({ allOf: range(size, (index) => ({ pattern: `${index}`.padEnd(20) })) })],
  ['enumeration of items', (size) => ({ items: { enum: range(20 * size, () => 'a') } })],
  ['list of types', (size) => ({ type: range(20 * size, () => 'string') })],
  ['type', (size) => ({ type: 'a'.repeat(100 * size), format: 'a'.repeat(100 * size) })],
  [
    'list of properties',
    (size) => ({ properties: Object.fromEntries(range(20 * size, (index) => [`p${index}`, {}])) }),
  ],
  [
    'list of required properties',
    (size) => ({ required: range(20 * size, (index) => `p${index}`), properties: { p0: {} } }),
  ],
  ['name of a property', (size) => ({ properties: { ['a'.repeat(100 * size)]: {} } })],
])('a schema with a long %s is rendered in linear time, however many properties have it', ([name, make]) => {
  const ref = { $ref: '#/components/schemas/Long' };
  const specOf = (size: number) => {
    const properties = Object.fromEntries(range(size, (index) => [`p${index}`, ref]));
    const schema = { type: 'object', properties };
    const content = { 'application/json': { schema } };
    const operation = { requestBody: { content }, responses: { 200: { description: 'Done', content } } };
    return {
      openapi: '3.1.0',
      paths: { '/': { post: operation } },
      components: { schemas: { Long: make(size) } },
    };
  };
  const block: Block = {
    object: 'block',
    type: 'openapi-operation',
    isVoid: true,
    data: { ref: { kind: 'openapi', spec: 'spec' }, path: '/', method: 'post' },
  };
  const renderSpec = (spec: object) => apiBlock(block, spec as Spec, en, new Set())?.text ?? '';
  expectLinear(name, specOf, renderSpec, { from: 64, to: 64 });
  const large = specOf(512);
  expect(renderSpec(large)).toContain('Done');
  expect(renderSpec(large).length).toBeLessThan(80 * JSON.stringify(large).length);
});

const named = (size: number, make: (index: number) => unknown) =>
  Object.fromEntries(range(size, (index) => [`n${index}`, make(index)]));

/** Operations of which many parts refer to one that is long. */
test.for<[string, object]>([
  ['headers', { headers: named(1000, () => ({ $ref: '#/components/headers/Long' })) }],
  [
    'examples',
    {
      content: named(1000, () => ({
        examples: named(1000, () => ({ $ref: '#/components/examples/Long' })),
      })),
    },
  ],
  [
    'media types',
    {
      content: named(1000, () => ({
        schema: { type: 'array', items: { $ref: '#/components/schemas/Long' } },
      })),
    },
  ],
])('an operation with many responses that have many %s is limited', ([, response]) => {
  const long = 'text '.repeat(5000);
  const Long = { type: 'string', description: long, pattern: long, enum: range(1000, () => long) };
  const responses = Object.fromEntries(range(400, (index) => [`${200 + index}`, response]));
  const operation = { responses };
  const callbacks = named(1000, () => named(1000, () => ({ post: operation })));
  const specOf = (post: object) => ({
    openapi: '3.1.0',
    paths: { '/': { post } },
    components: {
      headers: { Long: { description: long, schema: Long } },
      examples: { Long: { description: long, value: long } },
      schemas: { Long },
    },
  });
  const block: Block = {
    object: 'block',
    type: 'openapi-operation',
    isVoid: true,
    data: { ref: { kind: 'openapi', spec: 'spec' }, path: '/', method: 'post' },
  };
  for (const post of [operation, { responses: {}, callbacks }]) {
    const { text = '' } = apiBlock(block, specOf(post) as Spec, en, new Set()) ?? {};
    expect(text).toMatch(/n0.*>200<|>200<.*n0/s);
    expect(text.length).toBeLessThan(3_000_000);
  }
});
