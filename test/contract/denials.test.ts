import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { call, idsFor } from './calls.ts';
import { type Operation, operations, operatorProcedures, titled } from './operations.ts';
import { buildWorld, type World } from './world.ts';

let service: TestService;
let world: World;
/** A read-only token of the world's admin. */
let reader: string;
beforeAll(async () => {
  service = await startTestService();
  world = await buildWorld(service);
  reader = (await world.admin.post('/user/tokens', { scope: 'read' })).body.token;
});
afterAll(() => service.close());

const guarded = operations.filter(({ meta }) => meta.openapi?.protect !== false);
/** The status for a caller who may not know that something exists. */
const notFoundStatus = ({ meta }: Operation) => (meta.success === 'removal' ? 204 : 404);

describe('every operation is denied without a token', () => {
  test.for(titled(guarded))('%s', async ([, operation]) => {
    const { status, headers, body } = await call(service.as(), operation, idsFor(operation, world));
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer');
    expect(body.error.code).toBe(401);
  });
});

describe('every change is denied with a read-only token', () => {
  const mutations = guarded.filter(({ procedure }) => procedure._def.type === 'mutation');
  test.for(titled(mutations))('%s', async ([, operation]) => {
    expect((await call(service.as(reader), operation, idsFor(operation, world))).status).toBe(403);
  });
});

describe('every query is answered with a read-only token as with one that may write, except for secrets', () => {
  const queries = guarded.filter(({ procedure }) => procedure._def.type === 'query');
  const secrets = ['publishing/auth', 'publishing/preview', 'share-links'];
  test.for(titled(queries))('%s', async ([, operation]) => {
    const ids = idsFor(operation, world);
    const reading = await call(service.as(reader), operation, ids);
    if (secrets.some((path) => operation.path.endsWith(`/${path}`))) {
      expect([reading.status, reading.body.error.message]).toEqual([403, 'This API token is read-only.']);
      return;
    }
    expect(reading.status).toBe((await call(world.admin, operation, ids)).status);
  });
});

/** Two of these are sent for each parameter, all of them in turn. */
const STRANGE_IDS = ['x', '__proto__', "'", '-1', '😀'];

describe('a malformed id results in 404', () => {
  const cases = operations.filter(({ pathParameters }) => pathParameters.length > 0);
  test.for(titled(cases))('%s', async ([, operation]) => {
    const first = cases.indexOf(operation);
    for (const [index, parameter] of operation.pathParameters.entries())
      for (const step of [0, 1]) {
        const strange = STRANGE_IDS[(first + 2 * index + step) % STRANGE_IDS.length] as string;
        const ids = { ...idsFor(operation, world), [parameter]: strange };
        const { status, body } = await call(world.admin, operation, ids);
        const message = `${parameter} ${strange}: ${JSON.stringify(body)}`;
        // A slug or a domain, unlike an id, may exist, or be reported as malformed.
        if (parameter.endsWith('Id')) expect(status, message).toBe(notFoundStatus(operation));
        else expect(status, message).toBeLessThan(500);
      }
  });
});

describe('procedures that are not in the REST API are only for the operator', () => {
  test.for(operatorProcedures.map((name) => [name]))('%s', async ([name]) => {
    for (const method of ['GET', 'POST'] as const) {
      const response = await service.app.inject({
        method,
        url: `/trpc/${name}`,
        headers: { authorization: `Bearer ${world.owner.token}` },
        ...(method === 'POST' && { payload: { json: {} } }),
      });
      expect([403, 405]).toContain(response.statusCode);
    }
  });
});
