import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../server/client/index.ts';
import { open, type Scene, setScene } from '../change-requests/scene.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let url: string;
beforeAll(async () => {
  service = await startTestService();
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`;
});
afterAll(() => service.close());

/** Subscribes through a proxy that answers the second connection itself. */
function subscribe({ organization: organizationId, admin }: Scene, status: number) {
  let attempts = 0;
  const client = createClient({
    url,
    token: admin.token,
    fetch: async (address, init) => {
      attempts += 1;
      return attempts === 2 ? new Response('<h1>Error</h1>', { status }) : fetch(address, init);
    },
  });
  const started = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  const outcome = Promise.withResolvers<string>();
  const states: (string | undefined)[] = [];
  const subscription = client.events.subscribe.subscribe(
    { organizationId },
    {
      onStarted: () => started.resolve(),
      onData: ({ data }) => (data.type === 'space.updated' ? first.resolve() : outcome.resolve(data.type)),
      onError: ({ message }) => outcome.resolve(message),
      onConnectionStateChange: ({ error }) => states.push(error?.message),
    },
  );
  return {
    started: started.promise,
    first: first.promise,
    states,
    outcome: outcome.promise.finally(() => subscription.unsubscribe()),
  };
}

test('a subscription reconnects until the service is available again, and ends if its URL is wrong', async () => {
  const scene = await setScene(service);
  const temporary = [429, 500, 502, 503, 504].map((status) => ({ status, ...subscribe(scene, status) }));
  const permanent = subscribe(scene, 404);
  await Promise.all([...temporary, permanent].map(({ started }) => started));
  await expectOk(scene.me.patch(`/spaces/${scene.space}`, { title: 'First' }));
  await Promise.all([...temporary, permanent].map(({ first }) => first));
  service.app.server.closeAllConnections();
  await open(scene);
  expect(await permanent.outcome).toBe('Non-200 status code (404)');
  for (const { status, states, outcome } of temporary) {
    expect(await outcome).toBe('change_request.created');
    expect(states.join()).toContain(`is not available at the moment (status ${status}).`);
  }
}, 20_000);
