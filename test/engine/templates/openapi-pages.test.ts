import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ApiPage, templatePages } from '../../../routers/engine/templates/api-outline.ts';
import { buildOutline, parseOutline } from '../../../routers/engine/templates/openapi-outline.ts';

const spec = { kind: 'openapi', spec: 'pets' } as const;
const titles = (pages: readonly ApiPage[] | undefined) =>
  pages?.map(({ title, pages }) => [title, pages?.map((page) => page.title)]);
const keys = (pages: readonly ApiPage[] | undefined): string[] =>
  (pages ?? []).flatMap(({ key, pages }) => [key, ...keys(pages)]);

describe('the outline of an API', () => {
  test('the outline of an API groups operations by tag, in the order of the document, with webhooks and models at the end', () => {
    const outline = buildOutline({
      openapi: '3.1.0',
      info: { title: 'Pets' },
      tags: [{ name: 'dogs' }, { name: 'unused' }, { name: 'cats', description: 'Cats.\nMore.' }],
      paths: {
        '/cats': { get: { tags: ['cats'], summary: 'List  cats' } },
        '/dogs/{id}': { parameters: [], delete: { tags: ['dogs'], operationId: 'removeDog' } },
        '/birds': { get: { tags: ['birds', 'cats'] }, patch: {} },
      },
      webhooks: { born: { post: { summary: 'A pet was born' } } },
      components: { schemas: { Cat: {}, Dog: {} } },
    });
    expect(titles(outline?.pages)).toEqual([
      ['dogs', ['removeDog']],
      ['cats', ['List cats']],
      ['birds', ['GET /birds']],
      ['Operations', ['PATCH /birds']],
      ['Webhooks', ['A pet was born']],
      ['Models', undefined],
    ]);
    expect(outline).toMatchObject({ title: 'Pets', isCut: false });
    expect(outline?.pages[1]).toMatchObject({ description: 'Cats.' });
    expect(templatePages(outline as never, spec)[1]).toMatchObject({
      type: 'group',
      pages: [
        {
          content: {
            document: {
              nodes: [{ type: 'openapi-operation', data: { ref: spec, path: '/cats', method: 'get' } }],
            },
          },
        },
      ],
    });
  });

  test.each(['swagger: 2.0', 'openapi: 3.1'])(
    'the outline of an API is parsed from YAML with a number as its version: %s',
    (version) => {
      const outline = parseOutline(Buffer.from(`${version}\npaths: {/a: {get: {summary: One}}}\n`));
      expect(titles(outline?.pages)).toEqual([['Operations', ['One']]]);
    },
  );

  test('the outline of an API uses only the start of long texts and lists that operations share', () => {
    const tags = Array.from({ length: 5_000_000 }, () => 1);
    const operation = { summary: 'a '.repeat(2_000_000), tags: ['one', ...tags] };
    const paths = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [`/${index}`, { get: operation }]),
    );
    // Reading all of them for each operation would take minutes.
    const outline = buildOutline({ openapi: '3.1.0', paths });
    expect(outline?.pages[0]?.pages?.[0]?.title).toHaveLength(200);
  });

  test('the keys of an outline depend on what its pages show, not on their titles', () => {
    const api = (summary: string) => ({ openapi: '3.1.0', paths: { '/a': { get: { summary } } } });
    const [before, after] = [buildOutline(api('One')), buildOutline(api('Two'))];
    expect(keys(before?.pages)).toEqual(['tag Operations', 'operation get /a']);
    expect(keys(after?.pages)).toEqual(keys(before?.pages));
    expect(after?.pages[0]?.pages?.[0]?.slug).toBe('two');
  });

  test('the outline of an API includes operations of any method and of referenced paths, except circular references', () => {
    const outline = buildOutline({
      openapi: '3.1.0',
      paths: {
        '/a': { $ref: '#/components/pathItems/a~1b' },
        '/b': { $ref: '#/paths/~1b' },
        '/c': { $ref: 'other.yaml' },
        '/d': { additionalOperations: { COPY: {} }, query: {} },
      },
      components: { pathItems: { 'a/b': { get: { summary: 'Shared' } } } },
    });
    expect(titles(outline?.pages)).toEqual([['Operations', ['Shared', 'QUERY /d', 'COPY /d']]]);
  });

  test('the outline of an API indicates that operations were left out', () => {
    const paths = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`/${index}`, { get: {} }]));
    const outline = buildOutline({ openapi: '3.1.0', paths });
    expect(outline?.isCut).toBe(true);
    expect(outline?.pages[0]?.pages).toHaveLength(2000);
  });

  test('the outline of anything but an OpenAPI document is undefined, without an error', () => {
    expect(buildOutline({ info: {} })).toBeUndefined();
    const broken = fc.dictionary(
      fc.constantFrom('tags', 'paths', 'webhooks', 'components', 'get', 'schemas', 'name', 'summary', '/a'),
      fc.jsonValue({ maxDepth: 4 }),
    );
    fc.assert(
      fc.property(broken, (document) => {
        expect(buildOutline({ ...document, openapi: '3.0.0' })?.pages).toBeInstanceOf(Array);
      }),
    );
  });
});

test('an outline is parsed from JSON and YAML in UTF-8, even if it is very large', () => {
  const read = (text: string) => parseOutline(Buffer.from(text))?.pages;
  expect(read('{"openapi": "3.0.0"}')).toEqual([]);
  const yaml = 'openapi: 3.0.0\npaths: {/a: {get: {}}}\n';
  expect(read(`${yaml}x-padding:\n${'  - some text\n'.repeat(100_000)}`)).toHaveLength(1);
  for (const text of ['{', 'a: [', '{"openapi": "\\u0000"}']) expect(read(text)).toBeUndefined();
  expect(parseOutline(Buffer.from([0xff, 0xfe]))).toBeUndefined();
});
