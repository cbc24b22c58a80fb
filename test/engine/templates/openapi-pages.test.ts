import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pagesFromOpenApi, readSpecification } from '../../../routers/engine/templates/openapi.ts';

const spec = { kind: 'openapi', spec: 'pets' } as const;
const titles = (pages: ReturnType<typeof pagesFromOpenApi>) =>
  pages?.map(({ title, pages }) => [title, pages?.map((page) => page.title)]);

describe('the pages of an API reference', () => {
  test('are grouped by tag in the order of the document, with webhooks and models at the end', () => {
    const pages = pagesFromOpenApi(
      {
        openapi: '3.1.0',
        tags: [{ name: 'dogs' }, { name: 'unused' }, { name: 'cats', description: 'Cats.\nMore.' }],
        paths: {
          '/cats': { get: { tags: ['cats'], summary: 'List  cats' } },
          '/dogs/{id}': { parameters: [], delete: { tags: ['dogs'], operationId: 'removeDog' } },
          '/birds': { get: { tags: ['birds', 'cats'] }, patch: {} },
        },
        webhooks: { born: { post: { summary: 'A pet was born' } } },
        components: { schemas: { Cat: {}, Dog: {} } },
      },
      spec,
    );
    expect(titles(pages)).toEqual([
      ['dogs', ['removeDog']],
      ['cats', ['List cats']],
      ['birds', ['GET /birds']],
      ['Operations', ['PATCH /birds']],
      ['Webhooks', ['A pet was born']],
      ['Models', undefined],
    ]);
    expect(pages?.[1]).toMatchObject({ type: 'group', description: 'Cats.' });
    expect(pages?.[1]?.pages?.[0]?.content?.document?.nodes).toMatchObject([
      { type: 'openapi-operation', data: { ref: spec, path: '/cats', method: 'get' } },
    ]);
  });

  test('are none for what is no OpenAPI document, and never fail', () => {
    expect(pagesFromOpenApi({ info: {} }, spec)).toBeUndefined();
    const broken = fc.dictionary(
      fc.constantFrom('tags', 'paths', 'webhooks', 'components', 'get', 'schemas', 'name', 'summary', '/a'),
      fc.jsonValue({ maxDepth: 4 }),
    );
    fc.assert(
      fc.property(broken, (document) => {
        expect(pagesFromOpenApi({ ...document, openapi: '3.0.0' }, spec)).toBeInstanceOf(Array);
      }),
    );
  });
});

test('a specification is read from JSON and YAML, and not from what cannot be kept', () => {
  expect(readSpecification('{"openapi": "3.0.0"}')).toEqual({ openapi: '3.0.0' });
  expect(readSpecification('openapi: 3.0.0\ntags: [{name: a}]')).toEqual({
    openapi: '3.0.0',
    tags: [{ name: 'a' }],
  });
  for (const text of ['{', 'a: [', '{"a": "\\u0000"}', `${'['.repeat(10_000)}`]) {
    expect(readSpecification(text)).toBeUndefined();
  }
});
