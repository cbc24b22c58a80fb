import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sealAuditLogs } from '../../routers/audit/seal.operation.ts';
import { verifyAuditLog } from '../../routers/audit/verify.query.ts';
import { jobContext } from '../../server/context.ts';
import { openSessionFor } from '../auth/browser.ts';
import { open, type Scene, setScene } from '../change-requests/scene.ts';
import { type Client, made, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const seal = () => sealAuditLogs(jobContext(service.runtime.database, service.runtime.services));

const listed = async (client: Client, organization: string, query = '') =>
  (await made(client.get(`/orgs/${organization}/audit-events?limit=1000${query}`))).items;

test('smoke', async () => {
  const scene = await setScene(service);
  await scene.me.patch(scene.path, { title: 'x' });
  const items = await listed(scene.me, scene.organization);
  console.log(JSON.stringify(items.slice(0, 2), null, 1));
  console.log((await scene.me.get(`/orgs/${scene.organization}/audit-events/${items[0].id}`)).body);
  console.log(await seal());
  console.log(await verifyAuditLog(service.runtime.database.db, scene.organization));
  console.log((await scene.me.get(`/orgs/${scene.organization}/audit-events/${items[0].id}`)).body);
});
