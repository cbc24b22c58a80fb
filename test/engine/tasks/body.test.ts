import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { SerializedText } from '../../../routers/engine/specs/serialized-text.ts';
import { assembleBody, type ParsedBody, parseBody } from '../../../routers/engine/tasks/body.ts';
import { inputProblem } from '../../../schema/json/value.ts';

const LIMITS = { maxValues: 1000, maxNames: 100 };

const read = (body: unknown) => parseBody(Buffer.from(JSON.stringify(body)), LIMITS) as ParsedBody;

test.each<[string, (input: object) => object, (body: never) => { source: { text: unknown } }]>([
  ['a body', (input) => input, (body) => body],
  ['a tRPC call', (input) => ({ json: input }), (body) => body['json' as never]],
  ['a tRPC batch', (input) => ({ 0: { json: input } }), (body) => body['0' as never]['json' as never]],
])(
  'the text of an OpenAPI spec in %s is returned separately as bytes with their hash',
  (_, wrap, inputIn) => {
    const text = 'openapi: "é😀"';
    const { value, ...rest } = read(wrap({ specSlug: 'pets', source: { text } }));
    expect(JSON.stringify(value)).not.toContain('openapi');
    const body = assembleBody({ value, ...rest });
    const { specSlug, source } = inputIn(body as never) as {
      specSlug: string;
      source: { text: SerializedText };
    };
    expect(specSlug).toBe('pets');
    expect(source.text).toBeInstanceOf(SerializedText);
    expect(Buffer.from(source.text.bytes).toString()).toBe(text);
    expect(source.text.sha256).toBe(hash('sha256', text));
    // Code that traverses inputs finds nothing in it.
    expect(Object.keys(source.text)).toEqual([]);
    expect(inputProblem(body)).toBeUndefined();
  },
);

test.each([
  { source: { url: 'https://example.com' } },
  { source: { text: '' } },
  { source: { text: 1 } },
  { source: 1 },
  [1],
])('a body without the text of an OpenAPI spec is unchanged: %j', (body) =>
  expect(assembleBody(read(body))).toEqual(body),
);
