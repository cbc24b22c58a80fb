import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CLIENT, isOurs, operations, publishedOperation, TAGS, titled } from './operations.ts';

/** Queries that have more to say than fits into an address. */
const POSTED_QUERIES = ['search.searchSite'];

describe.for(titled(operations))('%s', ([, operation]) => {
  const { name, meta, method, procedure, pathParameters, shape } = operation;

  test('the procedure has a summary, one tag of the document, and a name', () => {
    expect(meta.openapi?.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(meta.openapi?.tags).toHaveLength(1);
    expect(TAGS).toContain(meta.openapi?.tags?.[0]);
    expect(meta.openapi?.operationId).toMatch(/^[a-z]\w+$/);
  });

  test.skipIf(isOurs(operation))('the procedure is named as the published client names it', () => {
    expect(meta.openapi?.operationId).toBe(publishedOperation(operation, CLIENT)?.operationId);
  });

  test('the procedure takes objects, with every parameter of its path, and says what it gives', () => {
    for (const input of procedure._def.inputs) expect(input).toBeInstanceOf(z.ZodObject);
    for (const parameter of pathParameters) expect(shape).toHaveProperty(parameter);
    const { output } = procedure._def as unknown as { output?: unknown };
    expect(output).toBeInstanceOf(z.ZodType);
  });

  test('the procedure runs nothing twice for one call', () => {
    const { middlewares } = procedure._def as unknown as { middlewares: unknown[] };
    expect(middlewares.filter((one, i) => middlewares.indexOf(one) !== i)).toEqual([]);
  });

  test('the procedure reads exactly when its method does', () => {
    const isQuery = method === 'GET' || POSTED_QUERIES.includes(name);
    expect(procedure._def.type).toBe(isQuery ? 'query' : 'mutation');
  });

  test('the procedure says whether it removed something exactly when it is a removal', () => {
    const { output } = procedure._def as unknown as { output: z.ZodType };
    const { properties = {} } = z.toJSONSchema(output, { unrepresentable: 'any' });
    expect('removed' in properties).toBe(meta.success === 'removal');
  });
});

test('no two operations share a name', () => {
  const names = operations.map(({ meta }) => meta.openapi?.operationId);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});
