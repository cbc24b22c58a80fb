import { dereference } from '@scalar/openapi-parser';
import { describe, expect, test } from 'vitest';
import { bundleSpec, type SpecFile } from '../../../routers/engine/specs/bundle.ts';

const openapi = (members: object) => ({ openapi: '3.1.0', info: { title: 'A', version: '1' }, ...members });
const file = (value: unknown, url?: string): SpecFile => ({
  bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  ...(url !== undefined && { url }),
});
const bundle = (first: SpecFile, ...others: SpecFile[]) => bundleSpec([first, ...others]);

function documentOf(...files: [SpecFile, ...SpecFile[]]) {
  const result = bundleSpec(files);
  if (!('spec' in result)) throw new Error(JSON.stringify(result));
  return JSON.parse(Buffer.from(result.spec.document.bytes).toString());
}

describe('bundling an OpenAPI spec', () => {
  test('an OpenAPI spec in one file is unchanged, including circular references', () => {
    const document = openapi({
      paths: { '/a': { $ref: '#/paths/~1b' }, '/b': { get: {}, post: {} } },
      components: { schemas: { Node: { properties: { next: { $ref: '#/components/schemas/Node' } } } } },
    });
    expect(documentOf(file(document))).toEqual(document);
    expect(bundle(file(document))).toMatchObject({ spec: { operations: 4, format: 'json' } });
  });

  test.each<[string, unknown, object]>([
    ['a list', '[]', { path: '' }],
    ['a text', 'hello', { path: '' }],
    ['another format', { asyncapi: '3.0.0' }, { path: '' }],
    ['Swagger 1.2', { swagger: '1.2', swaggerVersion: '1.2' }, { path: '/swagger' }],
    ['OpenAPI 4', { openapi: '4.0.0' }, { path: '/openapi' }],
    ['OpenAPI 3.20', { openapi: '3.20.0' }, { path: '/openapi' }],
    ['paths that are a list', openapi({ paths: [] }), { path: '/paths' }],
    ['components that are null', openapi({ components: null }), { path: '/components' }],
    ['a version that is an object', { openapi: { toString: 1, valueOf: 1 } }, { path: '' }],
    ['a version that is a list', { swagger: [2] }, { path: '' }],
  ])('an OpenAPI spec cannot be %s', (_, value, place) => {
    expect(bundle(file(value))).toEqual({
      errors: [{ code: 'PARSE_ERROR', message: expect.any(String), ...place }],
    });
  });

  test.each([
    ['2.0', 'swagger: 2.0\npaths: {}\n'],
    ['3.0', 'openapi: 3.0.4\npaths: {}\n'],
    ['3.1', 'openapi: "3.1.1"\ncomponents: {}\n'],
    ['3.2', 'openapi: 3.2.0\npaths: {/a: {query: {}, additionalOperations: {COPY: {}}}}\n'],
  ])('an OpenAPI spec can have version %s', (_, text) => {
    expect(bundle(file(text))).toHaveProperty('spec');
  });

  test('the missing files of an OpenAPI spec are returned once, with the place of a reference', () => {
    const paths = { '/a': { $ref: 'a.json' }, '/b': { $ref: './a.json#/b' }, '/c': { $ref: '../c.json' } };
    expect(bundle(file(openapi({ paths }), 'https://example.com/v1/api.json'))).toEqual({
      missing: [
        { url: 'https://example.com/v1/a.json', path: '/paths/~1a' },
        { url: 'https://example.com/c.json', path: '/paths/~1c' },
      ],
    });
  });

  test.each([
    ['a relative URL in a document without one', 'a.json', undefined],
    ['a file', 'file:///etc/passwd', 'https://example.com/'],
    ['another protocol', 'ftp://example.com/a', undefined],
    ['an invalid URL', 'https://exa mple.com:a/', 'https://example.com/'],
    ['an anchor of another document', 'https://example.com/b#anchor', 'https://example.com/'],
  ])('an OpenAPI spec cannot refer to %s', (_, $ref, url) => {
    expect(bundle(file(openapi({ paths: { '/a': { $ref } } }), url))).toEqual({
      errors: [{ code: 'PARSE_ERROR', message: expect.stringContaining($ref), path: '/paths/~1a' }],
    });
  });

  test('the errors of an OpenAPI spec have a limited length and can be stored', () => {
    const long = '😀'.repeat(100_000);
    const results = [
      bundle(file(openapi({ [long]: { $ref: `x${long}` } }))),
      bundle(file(openapi({ [long]: { $ref: `${long}.json` } }), 'https://example.com/')),
      bundle(file(`{"openapi": "3.1.0", "a": {"x\\u0000${long}": {"\\ud83d": 1, "\\ud83d": 2}}}`)),
      bundle(file(`{"openapi": "3.1.0", "a": x${long}`)),
      bundle(file(`"${long}": 1\n"${long}": 2\n`)),
    ];
    for (const result of results) {
      const { errors } = result as { errors: object[] };
      expect(errors).toHaveLength(1);
      const json = JSON.stringify(errors);
      expect(json.length).toBeLessThan(5000);
      // PostgreSQL rejects these in JSON.
      expect(json).not.toMatch(/\\u(?:0000|d[89a-f])/);
    }
  });

  test('the number of missing files that are returned is limited', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 1000 }, (_, i) => [`/${i}`, { $ref: `${i}.json` }]),
    );
    const { missing } = bundle(file(openapi({ paths }), 'https://example.com/')) as { missing: object[] };
    expect(missing).toHaveLength(100);
  });

  test('operations that paths share are counted up to a million', () => {
    const methods = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`M${i}`, {}]));
    const paths = Object.fromEntries(
      Array.from({ length: 2000 }, (_, i) => [`/${i}`, { $ref: '#/components/pathItems/all' }]),
    );
    const components = {
      pathItems: { all: { get: {}, additionalOperations: { ...methods, m1: {}, GET: {} } } },
    };
    const one = { '/0': paths['/0'] };
    expect(bundle(file(openapi({ paths: one, components })))).toMatchObject({ spec: { operations: 2001 } });
    expect(bundle(file(openapi({ paths, components })))).toMatchObject({ spec: { operations: 1_000_000 } });
  });

  test('references in arbitrary data are ignored', () => {
    const $ref = 'nowhere.json';
    const document = openapi({
      paths: {
        '/a': {
          get: {
            parameters: [{ name: 'a', in: 'query', schema: { default: { $ref }, enum: [{ $ref }] } }],
            responses: {
              default: { content: { json: { example: { $ref }, examples: { a: { value: { $ref } } } } } },
            },
          },
        },
      },
      components: { schemas: { A: { examples: [{ $ref }], const: { $ref } } } },
      'x-own': { $ref },
    });
    expect(documentOf(file(document))).toEqual(document);
  });

  test('references in members that are only named like data are resolved', () => {
    const names = ['example', 'default', 'value', 'enum', 'const', 'x-a', 'properties', '$ref'];
    const properties = Object.fromEntries(
      names.map((name) => [name, { $ref: `https://example.com/${name}` }]),
    );
    const result = bundle(file(openapi({ components: { schemas: { A: { properties } } } })));
    expect(result).toMatchObject({ missing: names.map((name) => ({ url: `https://example.com/${name}` })) });
  });

  test('a bundled OpenAPI spec means the same to other tools as its files', async () => {
    const url = 'https://example.com/api.json';
    const document = documentOf(
      file(
        openapi({
          'x-ext': 'taken',
          paths: { '/a': { $ref: 'parts.json#/a~1b' } },
          components: { schemas: { Id: { type: 'string' }, Pet: { $ref: 'parts.json#/Pet' } } },
        }),
        url,
      ),
      file(
        {
          'a/b': { get: { responses: { 200: { description: 'ok', $ref: '#/ok' } } } },
          ok: { content: { json: { schema: { $ref: 'api.json#/components/schemas/Pet' } } } },
          Pet: {
            properties: { id: { $ref: `${url}#/components/schemas/Id` } },
            discriminator: { propertyName: 'type', mapping: { cat: '#/Pet', dog: 'Dog' } },
          },
        },
        'https://example.com/parts.json',
      ),
    );
    expect(document['x-ext-2'][1].Pet.discriminator.mapping).toEqual({ cat: '#/x-ext-2/1/Pet', dog: 'Dog' });
    const { schema, errors } = await dereference(document);
    expect(errors).toEqual([]);
    const { responses } = (schema as typeof document).paths['/a'].get;
    expect(responses[200].content.json.schema.properties.id).toEqual({ type: 'string' });
  });

  test('the hash of an OpenAPI spec changes only with the bytes of its files', () => {
    const hashOf = (...files: [SpecFile, ...SpecFile[]]) => {
      const result = bundleSpec(files);
      return 'spec' in result && result.spec.hash;
    };
    const api = file(openapi({ paths: { '/a': { $ref: 'https://example.com/a' } } }));
    const part = (value: unknown) => file(value, 'https://example.com/a');
    expect(hashOf(api, part({ get: {} }))).toBe(hashOf(api, part({ get: {} })));
    expect(hashOf(api, part({ get: {} }))).not.toBe(hashOf(api, part({ put: {} })));
  });
});
