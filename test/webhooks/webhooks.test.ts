import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Webhook as WebhookEntity } from '../../schema/entities/webhook.ts';
import { newId } from '../../schema/ids.ts';
import { type Scene, setScene } from '../change-requests/scene.ts';
import { untilBlocked } from '../helpers/blocked-sessions.ts';
import type { TestService } from '../helpers/service.ts';
import { receiverStarter, startDeliveringService } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startDeliveringService();
});
afterAll(() => service.close());

const receiver = receiverStarter();

async function createWebhook({ me, organization }: Scene, given: object) {
  const { status, body } = await me.post(`/orgs/${organization}/webhooks`, given);
  expect(status, JSON.stringify(body)).toBe(201);
  return { ...body, at: `/orgs/${organization}/webhooks/${body.id}` };
}

/** The deliveries of a webhook, newest first, once they meet a condition. */
async function deliveriesWhen({ me }: Scene, at: string, condition: (deliveries: Delivery[]) => boolean) {
  for (;;) {
    const { body } = await me.get(`${at}/deliveries`);
    if (condition(body.items)) return body.items as Delivery[];
    await sleep(50);
  }
}

interface Delivery {
  id: string;
  status: string;
  attempts: number;
  [field: string]: unknown;
}

/** Makes the next attempt at a delivery due now. */
async function attemptNow(id: string, changes: object = {}): Promise<void> {
  await service.runtime.database.db
    .updateTable('webhook_delivery')
    .set({ next_attempt_at: new Date(), ...changes })
    .where('id', '=', id)
    .execute();
}

const rename = ({ me, path }: Scene, title: string) => me.patch(path, { title });

describe('a webhook', () => {
  it('a webhook receives the events it subscribes to, signed according to Standard Webhooks', async () => {
    const scene = await setScene(service);
    const other = (await scene.me.post(`/orgs/${scene.organization}/spaces`, {})).body.id;
    const to = await receiver();
    const hook = await createWebhook(scene, {
      url: to.url,
      types: ['space.updated', 'space.deleted'],
      space: scene.space,
    });
    await scene.me.patch(`/spaces/${other}`, { title: 'Of another space' });
    await scene.me.post(`${scene.path}/change-requests`, {});
    await rename(scene, 'One');
    const [first] = await to.until(1);
    const verified = new Webhook(hook.secret).verify(
      first?.body ?? '',
      first?.headers as Record<string, string>,
    );
    const listed = await scene.me.get(`/orgs/${scene.organization}/events?limit=1`);
    expect(verified).toEqual(listed.body.items[0]);
    expect(() => new Webhook(hook.secret).verify(`${first?.body} `, first?.headers as never)).toThrow();

    const [delivery] = await deliveriesWhen(scene, hook.at, ([one]) => one?.status === 'delivered');
    expect(delivery).toMatchObject({
      id: first?.headers['webhook-id'],
      attempts: 1,
      type: 'space.updated',
      request: { body: first?.body },
      response: { status: 204, body: '' },
    });
    expect(delivery?.duration).toBeGreaterThanOrEqual(0);
    expect(to.received).toHaveLength(1);
  });

  it('a webhook is shown without its secret, and after a rotation deliveries are signed with both secrets', async () => {
    const scene = await setScene(service);
    const to = await receiver();
    const hook = await createWebhook(scene, { url: to.url });
    expect(hook.secret).toMatch(/^whsec_[\w+/]{43}=$/);
    for (const path of [hook.at, `/orgs/${scene.organization}/webhooks`]) {
      expect(JSON.stringify((await scene.me.get(path)).body)).not.toContain('secret');
    }
    const rows = await service.runtime.database.db.selectFrom('webhook').select('secret').execute();
    expect(JSON.stringify(rows)).not.toContain(hook.secret.slice(6));
    const rotated = (await scene.me.post(`${hook.at}/rotate-secret`)).body;
    expect(rotated.secret).not.toBe(hook.secret);
    expect((await scene.me.post(`${hook.at}/test`)).status).toBe(201);
    const [test] = await to.until(1);
    for (const secret of [hook.secret, rotated.secret]) {
      const verified = new Webhook(secret).verify(test?.body ?? '', test?.headers as never);
      expect(verified).toMatchObject({ type: 'webhook.test', webhook: hook.id });
    }
  });

  it('a failed delivery to a webhook is retried with the same id, and its problem is recorded', async () => {
    const scene = await setScene(service);
    const to = await receiver();
    to.respond(() => ({ status: 500, body: 'x'.repeat(10_000) }));
    const hook = await createWebhook(scene, { url: to.url });
    await scene.me.post(`${hook.at}/test`);
    const [failed] = await deliveriesWhen(scene, hook.at, ([one]) => one?.attempts === 1);
    expect(failed).toMatchObject({ status: 'pending', response: { status: 500, body: 'x'.repeat(4096) } });
    expect(Date.parse(failed?.nextAttemptAt as string)).toBeGreaterThan(Date.now() + 5000);
    expect((await scene.me.post(`${hook.at}/deliveries/${failed?.id}/replay`)).status).toBe(409);

    to.respond(() => ({ status: 200 }));
    await attemptNow(failed?.id ?? '');
    const [delivered] = await deliveriesWhen(scene, hook.at, ([one]) => one?.status === 'delivered');
    expect(delivered).toMatchObject({ id: failed?.id, attempts: 2 });
    expect((await scene.me.post(`${hook.at}/deliveries/${failed?.id}/replay`)).status).toBe(200);
    const all = await to.until(3);
    expect(new Set(all.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([failed?.id]));
  });

  it('a delivery to a webhook is retried for three days', async () => {
    const scene = await setScene(service);
    const to = await receiver();
    to.respond(() => ({ status: 503 }));
    const hook = await createWebhook(scene, { url: to.url });
    await scene.me.post(`${hook.at}/test`);
    const [one] = await deliveriesWhen(scene, hook.at, ([first]) => first?.attempts === 1);
    await attemptNow(one?.id ?? '', { retry_until: new Date() });
    const [failed] = await deliveriesWhen(scene, hook.at, ([first]) => first?.attempts === 2);
    expect(failed).toMatchObject({ status: 'failed' });
    expect(failed).not.toHaveProperty('nextAttemptAt');
  });

  it('a replayed delivery to a webhook is retried as often as a new one', async () => {
    const scene = await setScene(service);
    const to = await receiver();
    to.respond(() => ({ status: 503 }));
    const hook = await createWebhook(scene, { url: to.url });
    await scene.me.post(`${hook.at}/test`);
    const [one] = await deliveriesWhen(scene, hook.at, ([first]) => first?.attempts === 1);
    await attemptNow(one?.id ?? '', { attempts: 12, retry_until: new Date() });
    await deliveriesWhen(scene, hook.at, ([first]) => first?.status === 'failed');
    expect((await scene.me.post(`${hook.at}/deliveries/${one?.id}/replay`)).status).toBe(200);
    const [again] = await deliveriesWhen(
      scene,
      hook.at,
      ([first]) => first?.response !== undefined && first.attempts > 0 && first.status === 'pending',
    );
    expect(again).toMatchObject({ id: one?.id, attempts: 1 });
    const wait = Date.parse(again?.nextAttemptAt as string) - Date.now();
    expect(wait).toBeGreaterThan(5000);
    expect(wait).toBeLessThan(13_000);
  });

  it('a webhook is disabled by a 410 response, and receives nothing from then on', async () => {
    const scene = await setScene(service);
    const to = await receiver();
    to.respond(() => ({ status: 410 }));
    const hook = await createWebhook(scene, { url: to.url });
    await rename(scene, 'Last');
    const [gone] = await deliveriesWhen(scene, hook.at, ([one]) => one?.attempts === 1);
    expect(gone?.status).toBe('failed');
    expect((await scene.me.get(hook.at)).body.enabled).toBe(false);
    await rename(scene, 'Later');
    expect((await scene.me.get(`${hook.at}/deliveries`)).body.count).toBe(1);
  });

  it('a webhook that hangs or redirects delays no others', async () => {
    const scene = await setScene(service);
    const [hanging, redirecting, to] = [await receiver(), await receiver(), await receiver()];
    hanging.respond(() => undefined);
    redirecting.respond(() => ({ status: 302, location: to.url }));
    await createWebhook(scene, { url: hanging.url });
    const redirected = await createWebhook(scene, { url: redirecting.url });
    await createWebhook(scene, { url: to.url });
    for (let i = 0; i < 10; i++) await rename(scene, `Title ${i}`);
    await to.until(10);
    const deliveries = await deliveriesWhen(scene, redirected.at, (all) =>
      all.every(({ attempts }) => attempts > 0),
    );
    expect(deliveries[0]).toMatchObject({ status: 'pending', response: { status: 302 } });
    expect(to.received).toHaveLength(10);
  });

  it('a webhook receives nothing from transactions that are rolled back', async () => {
    const scene = await setScene(service);
    const to = await receiver();
    const hook = await createWebhook(scene, { url: to.url });
    expect(
      (await scene.me.patch(scene.path, { mergeRules: { type: 'rules', rules: [] }, title: 1 })).status,
    ).toBe(400);
    expect((await scene.me.get(`${hook.at}/deliveries`)).body.count).toBe(0);
  });

  it('a webhook that is deleted concurrently does not make the change fail', async () => {
    const scene = await setScene(service);
    const [kept, deleted] = [await receiver(), await receiver()];
    await createWebhook(scene, { url: kept.url });
    const { id, at } = await createWebhook(scene, { url: deleted.url });
    const { database } = service.runtime;
    const { renamed } = await database.transaction(async (em) => {
      await em.nativeDelete(WebhookEntity, { id });
      const renamed = rename(scene, 'New');
      await untilBlocked((statement) => sql.raw(statement).execute(database.db));
      return { renamed };
    });
    expect((await renamed).status).toBe(200);
    await kept.until(1);
    expect(deleted.received).toEqual([]);
    expect((await scene.me.delete(at)).status).toBe(204);
  });
});

it('an organization has at most 100 webhooks', async () => {
  const scene = await setScene(service);
  const url = 'https://example.com/hook';
  await createWebhook(scene, { url });
  const { db } = service.runtime.database;
  const [first] = await db
    .selectFrom('webhook')
    .selectAll()
    .where('organization_id', '=', scene.organization)
    .execute();
  const copies = Array.from({ length: 98 }, (_, index) => ({
    ...first,
    id: newId(),
    description: `${index}`,
  }));
  await db
    .insertInto('webhook')
    .values(copies as never)
    .execute();
  await createWebhook(scene, { url });
  const beyond = await scene.me.post(`/orgs/${scene.organization}/webhooks`, { url });
  expect(beyond).toMatchObject({ status: 409, body: { error: { code: 409 } } });
});

it.each([
  ['ftp://example.com/', 'not http'],
  ['javascript:alert(1)', 'no URL of a server'],
  ['http://10.0.0.1/', 'private'],
  ['http://[::1]/', 'local'],
  ['http://[::ffff:10.0.0.1]/', 'private, mapped to IPv6'],
  ['http://[::10.0.0.1]/', 'private, within IPv6'],
  ['http://169.254.169.254/latest', 'that of a metadata service'],
  ['http://0x0a000001/', 'private in hexadecimal'],
  ['https://user:secret@example.com/', 'with a password'],
])('the URL of a webhook cannot be %s, which is %s', async (url) => {
  const { me, organization } = await setScene(service);
  const { status, body } = await me.post(`/orgs/${organization}/webhooks`, { url });
  expect(status).toBe(400);
  expect(body.error.details[0].path).toBe('url');
});

it('the URL of a webhook must be that of a public server', async () => {
  const { me, organization } = await setScene(service);
  const { body } = await me.post(`/orgs/${organization}/webhooks`, { url: 'ftp://example.com/' });
  expect(body.error.details).toEqual([{ path: 'url', message: 'must be an http or https URL' }]);
});

it.for<[string | undefined, string]>([
  [undefined, 'is required'],
  [`https://receiver.example/${'a'.repeat(2048)}`, 'must have at most 2048 characters'],
])('the URL of a webhook is refused with the reason', async ([url, message]) => {
  const { me, organization } = await setScene(service);
  const { status, body } = await me.post(`/orgs/${organization}/webhooks`, { url });
  expect([status, body.error.details]).toEqual([400, [{ path: 'url', message }]]);
});

it('the URL of a webhook is validated again for each delivery', async () => {
  const scene = await setScene(service);
  const hook = await createWebhook(scene, { url: 'https://example.com/' });
  await service.runtime.database.db
    .updateTable('webhook')
    .set({ url: 'http://10.0.0.1/' })
    .where('id', '=', hook.id)
    .execute();
  await scene.me.post(`${hook.at}/test`);
  const [refused] = await deliveriesWhen(scene, hook.at, ([one]) => one?.attempts === 1);
  expect(refused?.problem).toContain('private network');
});

it('webhooks are for admins of their organization', async () => {
  const scene = await setScene(service);
  const hook = await createWebhook(scene, { url: 'https://example.com/' });
  const foreign = await setScene(service);
  const creator = service.as((await service.build.member(scene.organization, 'create')).token);
  expect((await creator.get(hook.at)).status).toBe(403);
  expect((await foreign.me.get(hook.at)).status).toBe(404);
  expect((await foreign.me.get(hook.at.replace(scene.organization, foreign.organization))).status).toBe(404);
  const space = { space: foreign.space };
  expect((await scene.me.patch(hook.at, space)).status).toBe(404);
  const changed = await scene.me.patch(hook.at, { types: ['space.created'], enabled: false });
  expect(changed.body).toMatchObject({ types: ['space.created'], enabled: false });
  expect((await scene.me.delete(hook.at)).status).toBe(205);
  expect((await scene.me.delete(hook.at)).status).toBe(204);
});
