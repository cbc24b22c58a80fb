import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeOldEvents } from '../../routers/events/retention.operation.ts';
import { removeOldDeliveries } from '../../routers/webhooks/retention.operation.ts';
import { jobContext } from '../../server/context.ts';
import { setScene } from '../change-requests/scene.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ EVENT_RETENTION: '2' });
});
afterAll(() => service.close());

const DAY = 24 * 3600 * 1000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY);

test('events older than the retention are removed, except the last one of each organization', async () => {
  const scene = await setScene(service);
  const quiet = await setScene(service);
  const { db } = service.runtime.database;
  await db
    .updateTable('event')
    .set({ created_at: daysAgo(3) })
    .execute();
  await scene.me.patch(scene.path, { title: 'One' });
  await db
    .updateTable('event')
    .set({ created_at: daysAgo(1.9) })
    .where('created_at', '>', daysAgo(1))
    .execute();
  await scene.me.patch(scene.path, { title: 'Two' });
  const { database, services } = service.runtime;
  await removeOldEvents(jobContext(database, services));
  const of = async ({ me, organization }: typeof scene) =>
    (await me.get(`/orgs/${organization}/events`)).body.items.map(({ type }: { type: string }) => type);
  expect(await of(scene)).toEqual(['space.updated', 'space.updated']);
  expect(await of(quiet)).toEqual(['space.content.updated']);
});

test('deliveries older than the retention are removed, except those in progress', async () => {
  const { me, organization } = await setScene(service);
  const at = `/orgs/${organization}/webhooks`;
  const { id } = (await me.post(at, { url: 'https://example.com/' })).body;
  const test = async () => (await me.post(`${at}/${id}/test`)).body.id;
  const [old, pending, recent] = [await test(), await test(), await test()];
  const { db } = service.runtime.database;
  await db
    .updateTable('webhook_delivery')
    .set({ created_at: daysAgo(3) })
    .where('id', 'in', [old, pending])
    .execute();
  await db
    .updateTable('webhook_delivery')
    .set({ status: 'delivered' })
    .where('id', 'in', [old, recent])
    .execute();
  const { database, services } = service.runtime;
  await removeOldDeliveries(jobContext(database, services));
  const { body } = await me.get(`${at}/${id}/deliveries`);
  expect(body.items.map((delivery: { id: string }) => delivery.id)).toEqual([recent, pending]);
});
