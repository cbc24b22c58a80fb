import { expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';

/** Closes a service, starts one as the next file does, and tells whether it is the same. */
async function isReused(service: TestService): Promise<boolean> {
  await service.close();
  const next = await startTestService();
  await next.close();
  return next.runtime === service.runtime;
}

test('a service is passed to the next file, without what was in it', async () => {
  const service = await startTestService();
  const { id, token } = await service.build.user({ email: 'kim@example.com' });
  expect((await service.as(token).get('/user')).body.id).toBe(id);
  const signIn = () => service.runtime.services.attempts;
  const before = signIn();
  await service.close();

  const next = await startTestService();
  expect(next.runtime).toBe(service.runtime);
  expect(signIn()).not.toBe(before);
  expect((await next.as(token).get('/user')).status).toBe(401);
  const again = await next.build.user({ email: 'kim@example.com' });
  expect((await next.as(again.token).get('/user')).status).toBe(200);
  await next.close();
});

test.for<[string, (service: TestService) => unknown]>([
  ['that listened', ({ app }) => app.listen({ port: 0 })],
  ['of which a part was replaced', ({ runtime }) => Object.assign(runtime.services, { mailer: undefined })],
  [
    'that has an open transaction',
    ({ runtime }) =>
      new Promise<void>((started) => {
        // It is cut off when the service is closed.
        runtime.database
          .transaction(async (em) => {
            await em.execute('select 1');
            started();
            await new Promise(() => undefined);
          })
          .catch(() => undefined);
      }),
  ],
  [
    'whose schema was changed',
    ({ runtime }) => runtime.database.transaction((em) => em.execute('create index on organization (title)')),
  ],
])('a service %s is not', async ([, change]) => {
  const service = await startTestService();
  await change(service);
  expect(await isReused(service)).toBe(false);
});

test('a service with settings of its own is not', async () => {
  expect(await isReused(await startTestService({ RATE_LIMIT: '1000' }))).toBe(false);
});
