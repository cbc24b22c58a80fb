import { type CreateOpenApiFetchHandlerOptions, createOpenApiFetchHandler } from 'trpc-to-openapi';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Browser } from '../../routers/base/principal.ts';
import { appRouter } from '../../routers/index.ts';
import { newId } from '../../schema/ids.ts';
import { contextFactory } from '../../server/context.ts';
import { operations, titled } from '../contract/operations.ts';
import type { Person } from '../helpers/builders.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

/**
 * Compares the REST facade with the HTTP adapter of the library whose annotations it reads. The two must agree wherever the
 * adapter is right; it responds to every success with 200, and is not compared where it coerces bodies or fails on odd input.
 */
let service: TestService;
let person: Person;
let organizationId: string;
beforeAll(async () => {
  // Otherwise the adapter generates a document for each request, and rejects parameters with union types.
  vi.stubEnv('NODE_ENV', 'production');
  service = await startTestService();
  const organization = await service.build.organization({ title: 'Acme' });
  organizationId = organization.id;
  person = organization.admin;
});
afterAll(() => service.close());

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

async function byAdapter(method: string, path: string, token?: string, body?: object) {
  const { database, services } = service.runtime;
  const request = new Request(`http://docs.test/v1${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      // It rejects requests without a content type, even without a body.
      ...(method !== 'GET' && method !== 'DELETE' && { 'content-type': 'application/json' }),
    },
    ...(method !== 'GET' && method !== 'DELETE' && { body: JSON.stringify(body ?? {}) }),
  });
  const answer = await createOpenApiFetchHandler({
    endpoint: '/v1',
    router: appRouter as unknown as CreateOpenApiFetchHandlerOptions<never>['router'],
    req: request,
    createContext: async () =>
      contextFactory(database, services)(request.headers.get('authorization') ?? undefined, {
        token: () => undefined,
      } as Partial<Browser> as Browser) as never,
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const byFacade = (method: string, path: string, token?: string, body?: object) =>
  service.as(token)[method.toLowerCase() as Lowercase<Method>](path, body as never);

describe('the facade has the routes of the adapter', () => {
  // Without a token, a known route gives 401 and an unknown one 404.
  const guarded = operations.filter(({ meta }) => meta.openapi?.protect !== false);
  test.for(titled(guarded))('%s', async ([, { method, path }]) => {
    const url = path.replace(/\{\w+\}/g, () => newId());
    expect((await byAdapter(method, url)).status).toBe(401);
    expect((await byFacade(method, url)).status).toBe(401);
  });
});

describe('the facade responds like the adapter', () => {
  test.for([
    '/user',
    '/orgs',
    '/orgs?limit=1',
    '/orgs/:organization',
    '/orgs/:organization/members?order=asc',
  ])('GET %s', async (template) => {
    const path = template.replace(':organization', organizationId);
    const [adapter, facade] = [
      await byAdapter('GET', path, person.token),
      await byFacade('GET', path, person.token),
    ];
    expect(facade.status).toBe(200);
    expect(facade.body).toEqual(adapter.body);
  });

  test('POST, PATCH and DELETE have the same effects and results', async () => {
    const made = [
      await byAdapter('POST', '/orgs', person.token, { title: 'Typed' }),
      await byFacade('POST', '/orgs', person.token, { title: 'Typed' }),
    ];
    const ids = made.map(({ body }) => body.id as string);
    const shown = made.map(({ body }, i) =>
      JSON.stringify(body)
        .replaceAll(ids[i] as string, 'id')
        .replace(/"createdAt":"[^"]*"/, ''),
    );
    expect(shown[1]).toBe(shown[0]);

    const renamed = [
      await byAdapter('PATCH', `/orgs/${ids[0]}`, person.token, { title: 'Renamed' }),
      await byFacade('PATCH', `/orgs/${ids[0]}`, person.token, { title: 'Renamed' }),
    ];
    expect(renamed[1]?.body).toEqual(renamed[0]?.body);

    const tokens = await Promise.all([1, 2].map(() => byFacade('POST', '/user/tokens', person.token)));
    const removed = await byAdapter('DELETE', `/user/tokens/${tokens[0]?.body.id}`, person.token);
    expect(removed.body).toEqual({ removed: true });
    expect((await byFacade('DELETE', `/user/tokens/${tokens[1]?.body.id}`, person.token)).status).toBe(205);
    expect((await byFacade('GET', '/user/tokens', person.token)).body.count).toBe(1);
  });

  test.for([
    ['GET', '/orgs/nothing', undefined],
    ['GET', '/orgs?limit=0', undefined],
    ['GET', '/orgs?limit=abc', undefined],
    ['GET', '/nothing', undefined],
    ['POST', '/orgs', { title: '' }],
    ['PATCH', '/orgs/nothing', { title: 'Acme' }],
  ] as const)('%s %s is rejected in the same way', async ([method, path, body]) => {
    const [adapter, facade] = [
      await byAdapter(method, path, person.token, body),
      await byFacade(method, path, person.token, body),
    ];
    expect(facade.status).toBe(adapter.status);
  });
});
