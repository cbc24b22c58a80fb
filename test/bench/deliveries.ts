import { readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { kyselyOf } from '../../routers/base/db.ts';
import { queueMessages } from '../../routers/webhooks/delivery.operation.ts';
import { readConfig } from '../../server/config.ts';
import { jobContext } from '../../server/context.ts';
import { openRuntime } from '../../server/runtime.ts';
import { makeDataDir, median } from './processes.ts';
import { send, start } from './service.ts';

const BACKLOG = 5000;
/** Minimum deliveries per second to a receiver that responds immediately. */
const RATE_BOUND = 100;

const HANGING = 40;
const BESIDE = 50;
/** Maximum time until a delivery arrives while other receivers hang, in milliseconds. */
const DELAY_BOUND = 1000;

const DELIVERIES = 10_000;
const KILLS = 20;
/** The database is killed after each series of this many kills of the service. */
const DATABASE_KILLED_AFTER = 4;
/** The number of callers that cause events concurrently. */
const WRITERS = 4;

/** Starts a local server that responds with 204 immediately, but never to paths that start with `/hang`. */
async function listen(receive: (body: string, id: string) => void): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.url?.startsWith('/hang')) return;
    receive(body, String(request.headers['webhook-id']));
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Measures webhook deliveries. */
export async function benchWebhooks(): Promise<void> {
  await benchBacklog();
  await benchHanging();
  await benchDeliveries();
}

/** Measures how fast the backlog of one receiver is sent. */
async function benchBacklog(): Promise<void> {
  const dataDir = await makeDataDir();
  const logger = pino({ level: 'warn' }, pino.destination(2));
  const config = readConfig({ DATA_DIR: dataDir, OUTBOUND_ALLOW: '127.0.0.1/32' });
  const runtime = await openRuntime(config, { role: 'service', logger });
  const { database, services, jobs } = runtime;
  let received = 0;
  const { url, server } = await listen(() => {
    received++;
  });
  const { id: organization } = await database.db
    .selectFrom('organization')
    .select('id')
    .executeTakeFirstOrThrow();
  const now = new Date();
  const webhook = { id: 'webhook-of-the-bench', organization_id: organization, url, types: [] };
  await database.transaction(async (em) => {
    const db = kyselyOf(em);
    const secret = services.signer.seal('webhook', 'whsec_c2VjcmV0');
    await db
      .insertInto('webhook')
      .values({ ...webhook, secret, description: '', enabled: true, created_at: now, updated_at: now })
      .execute();
    const messages = Array.from({ length: BACKLOG }, (_, i) => ({
      type: 'webhook.test',
      payload: JSON.stringify({ object: 'event', type: 'webhook.test', id: i }),
      webhooks: [webhook.id],
    }));
    await queueMessages(db, services, messages);
  });
  const started = performance.now();
  await jobs.work(jobContext(database, services));
  while (received < BACKLOG) await sleep(20);
  const rate = BACKLOG / ((performance.now() - started) / 1000);
  await runtime.close();
  server.close();
  await rm(dataDir, { recursive: true });
  console.log(`a backlog of ${BACKLOG} deliveries to one receiver`);
  console.table({ 'deliveries per second': { measured: Math.round(rate), bound: `> ${RATE_BOUND}` } });
}

/** Measures how much receivers that hang delay deliveries to another one. */
async function benchHanging(): Promise<void> {
  const dataDir = await makeDataDir();
  const service = await start(dataDir);
  const arrived = new Map<string, number>();
  const { url, server } = await listen((body) => {
    arrived.set(JSON.parse(body).id, performance.now());
  });
  const organization = (await send(service.url, 'GET', '/orgs')).items[0].id;
  const space = (await send(service.url, 'POST', `/orgs/${organization}/spaces`, {})).id;
  const webhooks = `/orgs/${organization}/webhooks`;
  await send(service.url, 'POST', webhooks, { url: `${url}/good` });
  const measure = async () => {
    const times: number[] = [];
    for (let i = 0; i < BESIDE; i++) {
      const before = arrived.size;
      const started = performance.now();
      await send(service.url, 'PATCH', `/spaces/${space}`, { title: `Title ${i}` });
      while (arrived.size === before) await sleep(2);
      times.push(performance.now() - started);
    }
    return times;
  };
  const alone = await measure();
  for (let i = 0; i < HANGING; i++) await send(service.url, 'POST', webhooks, { url: `${url}/hang/${i}` });
  const beside = await measure();
  await service.stop();
  server.closeAllConnections();
  server.close();
  await rm(dataDir, { recursive: true });
  const rounded = (milliseconds: number) => Math.round(milliseconds);
  console.log(`one receiver while ${HANGING} others hang`);
  console.table({
    'time until a delivery arrives, without the others, median (ms)': {
      measured: rounded(median(alone)),
      bound: '',
    },
    'while the others hang, median (ms)': { measured: rounded(median(beside)), bound: '' },
    'while the others hang, maximum (ms)': {
      measured: rounded(Math.max(...beside)),
      bound: `< ${DELAY_BOUND}`,
    },
  });
}

/** Checks that no delivery is lost while the service and its database are killed repeatedly. */
async function benchDeliveries(): Promise<void> {
  const dataDir = await makeDataDir();
  const received = new Map<string, Set<string>>();
  let requests = 0;
  const { url, server } = await listen((body, webhookId) => {
    requests++;
    const { id } = JSON.parse(body);
    received.set(id, (received.get(id) ?? new Set()).add(webhookId));
  });
  let service = await start(dataDir);
  const organization = (await send(service.url, 'GET', '/orgs')).items[0].id;
  const space = (await send(service.url, 'POST', `/orgs/${organization}/spaces`, {})).id;
  await send(service.url, 'POST', `/orgs/${organization}/webhooks`, { url, types: ['space.updated'] });

  const started = performance.now();
  let written = 0;
  let kills = 0;
  let databaseKills = 0;
  const writer = async () => {
    while (written < DELIVERIES) {
      try {
        await send(service.url, 'PATCH', `/spaces/${space}`, { title: `Title ${written}` });
        written++;
      } catch {
        // A request interrupted by a kill may still have caused its event, so only the listed events count.
        await sleep(50);
      }
    }
  };
  const killer = async () => {
    while (kills < KILLS) {
      await sleep(20);
      if (received.size < ((kills + 1) * DELIVERIES) / (KILLS + 2)) continue;
      if (kills % DATABASE_KILLED_AFTER === DATABASE_KILLED_AFTER - 1) {
        const pid = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8');
        process.kill(Number.parseInt(pid, 10), 'SIGKILL');
        databaseKills++;
        await sleep(1000);
      }
      service.process.kill('SIGKILL');
      kills++;
      service = await start(dataDir);
    }
  };
  await Promise.all([killer(), ...Array.from({ length: WRITERS }, writer)]);
  const happened = new Set<string>();
  for (let page = ''; ; ) {
    const list = await send(
      service.url,
      'GET',
      `/orgs/${organization}/events?type=space.updated&limit=1000${page}`,
    );
    for (const { id } of list.items) happened.add(id);
    if (!list.next) break;
    page = `&page=${encodeURIComponent(list.next.page)}`;
  }
  const last = performance.now();
  for (let idle = 0, before = -1; received.size < happened.size && idle < 120; await sleep(500)) {
    idle = requests === before ? idle + 1 : 0;
    before = requests;
  }
  const now = performance.now();
  const lost = [...happened].filter((id) => !received.has(id)).length;
  const renamed = [...received.values()].filter((ids) => ids.size > 1).length;
  await service.stop();
  server.close();
  await rm(dataDir, { recursive: true });
  console.log(
    `${happened.size} events to one receiver, the service killed ${kills} times and the database ${databaseKills} times`,
  );
  console.table({
    lost: { measured: lost, bound: '0' },
    'deliveries of events that did not happen': {
      measured: received.size - (happened.size - lost),
      bound: '0',
    },
    'repeats under another id': { measured: renamed, bound: '0' },
    repeats: { measured: requests - received.size, bound: '' },
    'total seconds': { measured: Math.round((now - started) / 1000), bound: '' },
    'seconds from the last event until all arrived': {
      measured: Math.round((now - last) / 100) / 10,
      bound: '',
    },
  });
}
