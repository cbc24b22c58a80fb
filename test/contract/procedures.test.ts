import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CONTRACT_CLIENT, isExtension, operations, publishedOperation, TAGS, titled } from './operations.ts';

/** Queries with more input than fits in a URL. */
const POSTED_QUERIES = ['search.searchSite'];

describe.for(titled(operations))('%s', ([, operation]) => {
  const { name, meta, method, procedure, pathParameters, shape } = operation;

  test('the procedure has a summary, a tag of the document, and a name', () => {
    expect(meta.openapi?.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(meta.openapi?.tags).toHaveLength(1);
    expect(TAGS).toContain(meta.openapi?.tags?.[0]);
    expect(meta.openapi?.operationId).toMatch(/^[a-z]\w+$/);
  });

  test.skipIf(isExtension(operation))('the procedure has the name that the published client uses', () => {
    expect(meta.openapi?.operationId).toBe(publishedOperation(operation, CONTRACT_CLIENT)?.operationId);
  });

  test('the input of the procedure is an object with all path parameters, and its output is declared', () => {
    for (const input of procedure._def.inputs) expect(input).toBeInstanceOf(z.ZodObject);
    for (const parameter of pathParameters) expect(shape).toHaveProperty(parameter);
    const { output } = procedure._def as unknown as { output?: unknown };
    expect(output).toBeInstanceOf(z.ZodType);
  });

  test('the procedure runs each middleware only once per call', () => {
    const { middlewares } = procedure._def as unknown as { middlewares: unknown[] };
    expect(middlewares.filter((one, i) => middlewares.indexOf(one) !== i)).toEqual([]);
  });

  test('the procedure is a query if and only if its method is for reading', () => {
    const isQuery = method === 'GET' || POSTED_QUERIES.includes(name);
    expect(procedure._def.type).toBe(isQuery ? 'query' : 'mutation');
  });

  test('the procedure returns whether it removed something if and only if it is a removal', () => {
    const { output } = procedure._def as unknown as { output: z.ZodType };
    const { properties = {} } = z.toJSONSchema(output, { unrepresentable: 'any' });
    expect('removed' in properties).toBe(meta.success === 'removal');
  });
});

test('the names of operations are unique', () => {
  const names = operations.map(({ meta }) => meta.openapi?.operationId);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});
