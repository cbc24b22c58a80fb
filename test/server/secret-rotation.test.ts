import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { makeFolder } from '../helpers/folders.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { cli } from './cli-harness.ts';
import { call, killAll, type Service, start } from './process-harness.ts';

const TOKEN = 'chosen-by-the-operator-0123456789abcdef';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  vi.stubEnv('DATABASE_URL', database.url);
});
afterEach(killAll);
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.drop();
});

test('once processes are restarted, a rotated secret voids what it signed, but not what it encrypted', async () => {
  const environment = {
    DATABASE_URL: database.url,
    DATA_DIR: await makeFolder('test'),
    BOOTSTRAP_TOKEN: TOKEN,
    OUTBOUND_ALLOW: '127.0.0.0/8',
  };
  const receiver = await startReceiver();
  const first = await start(environment);
  const { body: organizations } = await call(first, TOKEN, '/orgs');
  const at = `/orgs/${organizations.items[0].id}`;
  const { body: site } = await call(first, TOKEN, `${at}/sites`, {
    title: 'Docs',
    visibility: 'visitor-auth',
  });
  const { body: webhook } = await call(first, TOKEN, `${at}/webhooks`, { url: receiver.url });
  const { body: space } = await call(first, TOKEN, `${at}/spaces`, { title: 'Guide' });
  const { body: upload } = await call(first, TOKEN, `/spaces/${space.id}/uploads`, {});

  const readKey = (service: Service) => call(service, TOKEN, `${at}/sites/${site.id}/publishing/auth`);
  const sendTo = async (service: Service) => {
    const { pathname, search } = new URL(upload.url);
    return (await fetch(`${service.url}${pathname}${search}`, { method: 'PUT', body: 'Text' })).status;
  };
  const key = await readKey(first);
  expect(key.body).toMatchObject({ privateKey: expect.any(String) });
  for (let round = 0; round < 2; round++) {
    expect(await cli('secret', 'rotate')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Restart all processes of the service'),
    });
  }
  expect(await sendTo(first)).toBe(201);
  expect(await readKey(first)).toEqual(key);
  await first.stop();

  const second = await start(environment);
  expect(await sendTo(second)).toBe(404);
  expect(await readKey(second)).toEqual(key);
  receiver.received.length = 0;
  await call(second, TOKEN, `${at}/webhooks/${webhook.id}/test`, {});
  const [delivery] = await receiver.until(1);
  const headers = delivery?.headers as Record<string, string>;
  expect(new Webhook(webhook.secret).verify(delivery?.body ?? '', headers)).toBeTruthy();
  const { stdout } = await cli('audit', 'export', '--organization', 'installation');
  expect(stdout.match(/"secret\.rotated"/g)).toHaveLength(2);
  receiver.close();
});
