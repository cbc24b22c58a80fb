import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { type Scene, setScene } from '../change-requests/scene.ts';
import type { TestService } from '../helpers/service.ts';
import { receiverStarter, startDeliveringService } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startDeliveringService();
});
afterAll(() => service.close());

const receiver = receiverStarter();

/** Creates a webhook, and copies that differ only in the path of the URL. */
async function createWebhooks({ me, organization }: Scene, url: string, copies = 0): Promise<string> {
  const { body } = await me.post(`/orgs/${organization}/webhooks`, { url });
  const { db } = service.runtime.database;
  const row = await db.selectFrom('webhook').selectAll().where('id', '=', body.id).executeTakeFirstOrThrow();
  const rows = Array.from({ length: copies }, (_, i) => ({ ...row, id: newId(), url: `${url}/${i}` }));
  if (copies > 0) await db.insertInto('webhook').values(rows).execute();
  return body.id;
}

const deliveries = () => service.runtime.database.db.selectFrom('webhook_delivery');

test('hanging receivers, however many on one server, delay no others', async () => {
  const scene = await setScene(service);
  const [hanging, good] = [await receiver(), await receiver()];
  hanging.respond(({ path }) => (path === '/hook/good' ? { status: 204 } : undefined));
  // More than are sent concurrently.
  await createWebhooks(scene, hanging.url, 199);
  for (let i = 0; i < 5; i++) await scene.me.patch(scene.path, { title: `Title ${i}` });
  await hanging.until(200);
  const { db } = service.runtime.database;
  const row = await db.selectFrom('webhook').selectAll().executeTakeFirstOrThrow();
  const healthy = [good.url, `${hanging.url}/good`].map((url) => ({ ...row, id: newId(), url }));
  await db.insertInto('webhook').values(healthy).execute();
  for (let i = 0; i < 10; i++) await scene.me.patch(scene.path, { title: `Title ${i}` });
  await good.until(10);
  await hanging.until(200 + 10);
  // Each of the others has one attempt in progress, and none has ended.
  expect(hanging.received.filter(({ path }) => path !== '/hook/good')).toHaveLength(200);
  const ended = await deliveries().selectAll().where('attempts', '>', 0).execute();
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['delivered']));
});

test('a delivery that a killed process was sending is sent again once the lease has expired', async () => {
  const scene = await setScene(service);
  const to = await receiver();
  const webhook = await createWebhooks(scene, to.url);
  const now = Date.now();
  const row = { webhook_id: webhook, type: 'webhook.test', payload: '{}', attempts: 0 };
  const times = {
    next_attempt_at: new Date(now),
    retry_until: new Date(now + 60_000),
    created_at: new Date(now),
  };
  const id = newId();
  await service.runtime.database.db
    .insertInto('webhook_delivery')
    .values({ id, ...row, ...times, status: 'pending', leased_until: new Date(now + 8000) })
    .execute();
  const [sent] = await to.until(1);
  expect(Date.now()).toBeGreaterThanOrEqual(now + 8000);
  expect(sent?.headers['webhook-id']).toBe(id);
});

test('a transaction with many events is sent to many webhooks', async () => {
  const scene = await setScene(service);
  const { me, organization } = scene;
  await createWebhooks(scene, 'https://example.com/hook', 99);
  await service.runtime.database.db
    .updateTable('webhook')
    .set({ types: ['space.deleted'] })
    .where('organization_id', '=', organization)
    .execute();
  const collection = (await me.post(`/orgs/${organization}/collections`, {})).body.id;
  for (let i = 0; i < 80; i++) await me.post(`/orgs/${organization}/spaces`, { parent: collection });
  expect((await me.delete(`/collections/${collection}`)).status).toBe(205);
  const { count } = await deliveries()
    .innerJoin('webhook', 'webhook.id', 'webhook_id')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('organization_id', '=', organization)
    .executeTakeFirstOrThrow();
  expect(Number(count)).toBe(8000);
});
