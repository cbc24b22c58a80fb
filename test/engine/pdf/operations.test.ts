import { describe, expect, test } from 'vitest';
import { layOutChapter } from '../../../routers/engine/pdf/chapter.ts';
import { refKey } from '../../../routers/engine/pdf/targets.ts';
import { all, bookOf, documentOf, PAGE } from './laid-out.ts';

describe('an operation of an API', () => {
  const operation = (spec: object, path = '/pets/{id}') => {
    const document = documentOf(
      `{% openapi-operation spec="pets" path="${path}" method="put" %}\nx\n{% endopenapi-operation %}`,
    );
    const targets = new Map([[refKey({ kind: 'openapi', spec: 'pets' }), { spec: 'hash', title: 'pets' }]]);
    const book = bookOf({ targets, specOf: (hash) => (hash === 'hash' ? { ...spec } : undefined) });
    return layOutChapter(PAGE, document, book).chapter.c;
  };
  const Pet = {
    required: ['name'],
    properties: {
      name: { type: 'string', description: 'What it is **called**.' },
      tags: { type: 'array', items: { properties: { label: { enum: ['a', 'b'], default: 'a' } } } },
    },
  };
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } };
  const put = {
    summary: 'Replace a pet',
    parameters: [{ name: 'dry', in: 'query', schema: { type: 'boolean' }, deprecated: true }],
    requestBody: { content },
    responses: {
      200: { description: 'The pet.', content, headers: { 'X-Rate-Limit': {}, 'Content-Type': {} } },
      404: { description: 'None.' },
    },
  };
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  const spec = { paths: { '/pets/{id}': { parameters, put } }, components: { schemas: { Pet } } };

  test('an operation of an API is laid out with its parameters, body and responses', () => {
    const nodes = operation(spec);
    const texts = all(nodes, 's');
    expect(nodes.map(({ t }) => t)).toEqual([
      'operation',
      ...'p p table p table p table p table p table'.split(' '),
    ]);
    expect(texts).toEqual(
      expect.arrayContaining([
        'Replace a pet',
        'id',
        'dry',
        'name',
        'called',
        'tags',
        'tags[].label',
        'a',
        'b',
        '200',
        '404',
        'X-Rate-Limit',
      ]),
    );
    expect(texts).not.toContain('Content-Type');
    expect(texts.filter((text) => text === 'required')).toHaveLength(3);
    expect(texts.filter((text) => text === 'deprecated')).toHaveLength(1);
  });

  test('the constraints of parameters and properties are laid out', () => {
    const schema = { type: 'integer', minimum: 1, exclusiveMaximum: 100, multipleOf: 5 };
    const tags = { type: 'array', maxItems: 9, items: { type: 'string', pattern: '^[a-z]+$' } };
    const content = { 'application/json': { schema: { minProperties: 1, properties: { tags } } } };
    const put = { parameters: [{ name: 'limit', in: 'query', schema }], requestBody: { content } };
    const paragraphs = all(operation({ paths: { '/pets/{id}': { put } } }), 'c').map((inlines) =>
      [inlines].flat().map((one) => (typeof one === 'string' ? one : (one as { s?: string }).s)),
    );
    for (const text of [
      'Range: ≥ 1, < 100; Multiple of: 5',
      'Number of properties: ≥ 1',
      'Number of items: ≤ 9',
      'Pattern: ^[a-z]+$',
    ])
      expect(paragraphs.map((texts) => texts.join(''))).toContain(text);
  });

  test('the media types of a body and the callbacks of an operation are laid out', () => {
    const text = { 'text/plain': { schema: { type: 'string', maxLength: 9 } } };
    const post = { summary: 'Tell of a pet', requestBody: { content: text } };
    const put = {
      requestBody: { content: { ...content, 'application/xml': content['application/json'], ...text } },
      callbacks: { replaced: { '{$request.body#/url}': { post } } },
    };
    const nodes = operation({ ...spec, paths: { '/pets/{id}': { put } } });
    expect(all(nodes, 'c').flat()).toEqual(
      expect.arrayContaining([' application/json, application/xml', ' text/plain', ' POST ']),
    );
    expect(all(nodes, 's')).toEqual(
      expect.arrayContaining(['Callbacks', 'replaced', '{$request.body#/url}', 'Tell of a pet']),
    );
  });

  test('an operation of OpenAPI 2 is laid out with its body, form and responses', () => {
    const schema = { $ref: '#/definitions/Pet' };
    const response = { description: 'The pet.', schema };
    const [body, form] = [
      { name: 'pet', in: 'body', schema },
      { name: 'photo', in: 'formData', type: 'file' },
    ].map((parameter) => {
      const put = { parameters: [parameter], responses: { 200: response } };
      return operation({ swagger: '2.0', definitions: { Pet }, paths: { '/pets/{id}': { put } } });
    });
    expect(body?.map(({ t }) => t)).toEqual(['operation', ...'p table p table p table'.split(' ')]);
    expect(all(body ?? [], 's').filter((text) => text === 'tags[].label')).toHaveLength(2);
    expect(all(form ?? [], 's')).toEqual(expect.arrayContaining(['Body', 'photo']));
  });

  test('only the method and path of an operation are laid out if the OpenAPI document is not available, or lacks it', () => {
    for (const nodes of [operation(spec, '/other'), operation({}), operation({ paths: [null] })])
      expect(nodes.map(({ t }) => t)).toEqual(['operation']);
  });

  test('the layout of an operation with recursive schemas is finite', () => {
    const self = { $ref: '#/components/schemas/Self' };
    const Self = {
      allOf: Array.from({ length: 20 }, () => self),
      properties: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, self])),
    };
    const nodes = operation({ ...spec, components: { schemas: { Pet: self, Self } } });
    expect(all(nodes, 'rows').flat().length).toBeLessThan(1000);
  });
});
