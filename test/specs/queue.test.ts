import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { refreshDueSpecs } from '../../routers/specs/processing.operation.ts';
import { jobContext } from '../../server/context.ts';
import type { Client, TestService } from '../helpers/service.ts';
import { petstore } from '../helpers/specs.ts';
import { startDeliveringService } from '../webhooks/scene.ts';

vi.setConfig({ testTimeout: 60_000 });

let service: TestService;
/** The number of requests to a server that never responds: now, and at most so far. */
const hanging = { now: 0, most: 0 };
const dead = createServer((_, response) => {
  hanging.most = Math.max(hanging.most, ++hanging.now);
  response.on('close', () => hanging.now--);
});
let address: string;
beforeAll(async () => {
  service = await startDeliveringService();
  await new Promise<void>((resolve) => dead.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(dead.address() as AddressInfo).port}`;
});
afterAll(async () => {
  dead.closeAllConnections();
  dead.close();
  await service.close();
});

async function organization(): Promise<{ me: Client; base: string }> {
  const { id, admin } = await service.build.organization();
  return { me: service.as(admin.token), base: `/orgs/${id}/openapi` };
}

const put = async ({ me, base }: { me: Client; base: string }, slug: string, source: object) =>
  expect((await me.put(`${base}/${slug}`, { source })).status).toBe(200);

const completes = ({ me, base }: { me: Client; base: string }, slug: string) =>
  vi.waitUntil(async () => (await me.get(`${base}/${slug}`)).body.processingState === 'complete', {
    timeout: 50_000,
    interval: 50,
  });

/** The waiting jobs of OpenAPI specs, in the order in which they run. */
async function waitingJobs(): Promise<{ name: string; spec: string; priority: number }[]> {
  const sql = `select name, data->>'spec' as spec, priority from pgboss.job
    where name like '%-openapi-spec' and state = 'created' order by priority desc, created_on`;
  const { rows } = await service.runtime.database.background.executeQuery({
    sql,
    parameters: [],
    query: {},
  } as never);
  return rows as never;
}

test('servers that do not respond delay neither uploaded specs nor those of other organizations', async () => {
  const [one, other] = [await organization(), await organization()];
  for (let i = 0; i < 12; i++) await put(one, `dead-${i}`, { url: `${address}/${i}` });
  await vi.waitUntil(() => hanging.now === 2);
  await put(one, 'text', { text: petstore() });
  await completes(one, 'text');
  await put(other, 'gone', { url: 'http://127.0.0.1:1/' });
  await completes(other, 'gone');
  expect(hanging.most).toBe(2);
});

test('organizations take turns: later specs of one with few are processed before the many of another', async () => {
  await service.runtime.jobs.close();
  const [many, few] = [await organization(), await organization()];
  const ids: Record<string, string> = {};
  const note = async (of: typeof many, slug: string, source: object) => {
    await put(of, slug, source);
    ids[(await of.me.get(`${of.base}/${slug}`)).body.id] = slug;
  };
  const order = async () => (await waitingJobs()).flatMap(({ spec }) => ids[spec] ?? []);
  for (let i = 0; i < 4; i++) await note(many, `many-${i}`, { url: address });
  for (let i = 0; i < 2; i++) await note(few, `few-${i}`, { url: address });
  await note(many, 'text', { text: petstore() });
  expect(await order()).toEqual(['many-0', 'few-0', 'text', 'many-1', 'few-1', 'many-2', 'many-3']);

  // So do those that are fetched again.
  const { database, services } = service.runtime;
  await database.db
    .updateTable('openapi_spec')
    .set({ processing_state: 'complete', next_fetch_at: new Date(0) })
    .where('source_url', 'is not', null)
    .where('id', 'in', Object.keys(ids))
    .execute();
  const before = (await waitingJobs()).length;
  await refreshDueSpecs(jobContext(database, services));
  const rank = new Map<string, number[]>();
  for (const { spec, priority } of (await waitingJobs()).filter(
    ({ name }) => name === 'fetch-openapi-spec',
  )) {
    const organization = ids[spec]?.split('-')[0];
    if (organization) rank.set(organization, [...(rank.get(organization) ?? []), priority]);
  }
  expect((await waitingJobs()).length - before).toBe(6);
  expect(rank.get('many')?.toSorted()).toEqual([0, 0, -1, -1, -2, -2, -3, -3].toSorted());
  expect(rank.get('few')?.toSorted()).toEqual([0, 0, -1, -1].toSorted());
});
