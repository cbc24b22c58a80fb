import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import type { Answer } from '../helpers/service.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type Operation, operations, titled, unlisted } from './operations.ts';
import { sample } from './sample.ts';

let service: TestService;
/** An id that exists for each of these parameters; any other names nothing. */
let existing: Record<string, string>;
let tokens: { admin: string; reader: string; stranger: string };

beforeAll(async () => {
  service = await startTestService();
  const { build } = service;
  const organization = await build.organization();
  const collection = await build.collection(organization.id);
  const space = await build.space(organization.id);
  existing = {
    organizationId: organization.id,
    userId: organization.admin.id,
    collectionId: collection.id,
    spaceId: space.id,
  };
  const admin = service.as(organization.admin.token);
  const reader = await admin.post('/user/tokens', { scope: 'read' });
  tokens = {
    admin: organization.admin.token,
    reader: reader.body.token,
    stranger: (await build.user()).token,
  };
});
afterAll(() => service.close());

/** Calls an operation with the least that it takes; `given` sets parameters of its path. */
function call(
  operation: Operation,
  token: string | undefined,
  given: Record<string, string> = {},
): Promise<Answer> {
  const { method, path, pathParameters, shape } = operation;
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => given[name] ?? existing[name] ?? newId());
  const rest = Object.entries(shape).flatMap(([name, schema]) => {
    const value =
      pathParameters.includes(name) || schema.safeParse(undefined).success ? undefined : sample(schema);
    return value === undefined ? [] : [[name, value] as const];
  });
  const client = service.as(token);
  if (method !== 'GET' && method !== 'DELETE') {
    return client[method.toLowerCase() as 'post'](url, Object.fromEntries(rest));
  }
  const query = new URLSearchParams(rest.map(([name, value]) => [name, String(value)] as [string, string]));
  return client[method.toLowerCase() as 'get'](query.size > 0 ? `${url}?${query}` : url);
}

const isPublic = ({ meta }: Operation) => meta.openapi?.protect === false;
const guarded = operations.filter((operation) => !isPublic(operation));
/** What a caller who must not know of a thing is told. */
const absent = ({ meta }: Operation) => (meta.success === 'removal' ? 204 : 404);

describe('without a token nobody gets in', () => {
  test.for(titled(guarded))('%s', async ([, operation]) => {
    const { status, headers, body } = await call(operation, undefined);
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer');
    expect(body.error.code).toBe(401);
  });
});

describe('a token that may only read changes nothing', () => {
  const mutations = guarded.filter(({ procedure }) => procedure._def.type === 'mutation');
  test.for(titled(mutations))('%s', async ([, operation]) => {
    expect((await call(operation, tokens.reader)).status).toBe(403);
  });
});

describe('an id of the wrong form names nothing', () => {
  const cases = operations.flatMap((operation) =>
    operation.pathParameters.map(
      (parameter) => [`${operation.method} ${operation.path}`, parameter, operation] as const,
    ),
  );
  test.for(cases)('%s with a strange %s', async ([, parameter, operation]) => {
    for (const strange of ['x', '__proto__', "'", '-1', '%F0%9F%98%80']) {
      const { status, body } = await call(operation, tokens.admin, { [parameter]: strange });
      // What is not named by ids, a slug or a domain, may be there or be said to be malformed.
      if (parameter.endsWith('Id')) expect(status, JSON.stringify(body)).toBe(absent(operation));
      else expect(status).toBeLessThan(500);
    }
  });
});

describe('strangers are told of nothing', () => {
  const inside = guarded.filter(({ pathParameters }) =>
    ['organizationId', 'collectionId', 'spaceId'].includes(pathParameters[0] as string),
  );
  test.for(titled(inside))('%s', async ([, operation]) => {
    const { status, body } = await call(operation, tokens.stranger);
    expect(status, JSON.stringify(body)).toBe(absent(operation));
  });
});

describe('what stands in no facade is for the operator alone', () => {
  test.for(unlisted.map((name) => [name]))('%s', async ([name]) => {
    for (const method of ['GET', 'POST'] as const) {
      const answer = await service.app.inject({
        method,
        url: `/trpc/${name}`,
        headers: { authorization: `Bearer ${tokens.admin}` },
        ...(method === 'POST' && { payload: { json: {} } }),
      });
      expect([403, 405]).toContain(answer.statusCode);
    }
  });
});
