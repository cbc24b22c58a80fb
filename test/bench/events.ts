import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from './load.ts';
import { makeDataDir, median, type Running, residentMegabytes, runScript, startServer } from './processes.ts';

const TOKEN = 'bench-0123456789abcdef0123456789abcdef';

const SUBSCRIBERS = 1000;
const EVENTS = 20;
const LOAD_SECONDS = 6;
/** Kilobytes for each subscriber. */
const MEMORY_BOUND = 60;
/** Milliseconds until the last subscriber has an event. */
const TIME_BOUND = 500;

const DELIVERIES = 10_000;
const KILLS = 20;
/** Callers that cause events at the same time. */
const WRITERS = 4;

/** Many streams of one process, and many deliveries of one that is killed again and again. */
export async function benchEvents(): Promise<void> {
  await benchSubscribers();
  await benchDeliveries();
}

const start = (dataDir: string): Promise<Running> =>
  startServer('server/main.ts', {
    DATA_DIR: dataDir,
    BOOTSTRAP_TOKEN: TOKEN,
    MAX_EVENT_LOOP_DELAY: '0',
    OUTBOUND_ALLOW: '127.0.0.1/32',
    LOG_LEVEL: 'fatal',
  });

// biome-ignore lint/suspicious/noExplicitAny: the bench looks into bodies freely
async function send(url: string, method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function benchSubscribers(): Promise<void> {
  const dataDir = await makeDataDir();
  const service = await start(dataDir);
  const { url } = service;
  const pid = service.process.pid as number;
  const organization = (await send(url, 'GET', '/orgs')).items[0].id;
  const space = (await send(url, 'POST', `/orgs/${organization}/spaces`, {})).id;
  const tokens: string[] = [];
  for (let i = 0; i < SUBSCRIBERS; i++)
    tokens.push((await send(url, 'POST', '/user/tokens', { name: `Token ${i}` })).token);
  const list = `${url}/v1/orgs/${organization}/spaces`;
  const load = () => runScript<Load>('load.ts', [list, TOKEN, String(LOAD_SECONDS)]);
  const alone = await load();
  await sleep(2000);

  const before = await residentMegabytes(pid);
  const streams = await Promise.all(tokens.map((token) => openStream(url, organization, token)));
  await sleep(2000);
  const kilobytes = ((await residentMegabytes(pid)) - before) * (1024 / SUBSCRIBERS);
  let seen = 0;
  const arrive = async () => {
    seen++;
    const begun = performance.now();
    await send(url, 'PATCH', `/spaces/${space}`, { title: `Title ${seen}` });
    while (streams.some((stream) => stream.events < seen)) await sleep(5);
    return performance.now() - begun;
  };
  const times: number[] = [];
  for (let i = 0; i < EVENTS; i++) times.push(await arrive());
  const loading = load();
  let isLoading = true;
  void loading.then(() => {
    isLoading = false;
  });
  const busy: number[] = [];
  while (isLoading) {
    busy.push(await arrive());
    await sleep(500);
  }
  const beside = await loading;
  for (const { socket } of streams) socket.destroy();
  await service.stop();
  await rm(dataDir, { recursive: true });

  const rounded = (milliseconds: number) => Math.round(milliseconds);
  console.log(`${SUBSCRIBERS} subscribers, each with a token of its own`);
  console.table({
    'memory for each (kB)': { measured: rounded(kilobytes), bound: `< ${MEMORY_BOUND}` },
    'an event to all, median (ms)': { measured: rounded(median(times)), bound: `< ${TIME_BOUND}` },
    'the same under load, median (ms)': { measured: rounded(median(busy)), bound: '' },
    'reads a second without streams': { measured: rounded(alone.rate), bound: '' },
    'reads a second while events are sent': { measured: rounded(beside.rate), bound: '> half' },
    'failed reads': { measured: beside.failed, bound: '0' },
  });
}

interface Stream {
  socket: Socket;
  events: number;
}

/** A stream over a bare connection, which costs this process little. */
function openStream(url: string, organization: string, token: string): Promise<Stream> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const stream: Stream = { socket, events: 0 };
  socket.write(
    `GET /v1/orgs/${organization}/events HTTP/1.1\r\nhost: bench\r\naccept: text/event-stream\r\n` +
      `authorization: Bearer ${token}\r\n\r\n`,
  );
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      if (text.includes(': connected')) resolve(stream);
      stream.events += text.split('\ndata: ').length - 1;
    });
  });
}

async function benchDeliveries(): Promise<void> {
  const dataDir = await makeDataDir();
  const received = new Map<string, Set<string>>();
  let requests = 0;
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests++;
    const { id } = JSON.parse(body);
    received.set(id, (received.get(id) ?? new Set()).add(String(request.headers['webhook-id'])));
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve);
  });
  let service = await start(dataDir);
  const organization = (await send(service.url, 'GET', '/orgs')).items[0].id;
  const space = (await send(service.url, 'POST', `/orgs/${organization}/spaces`, {})).id;
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  await send(service.url, 'POST', `/orgs/${organization}/webhooks`, { url, types: ['space.updated'] });

  const begun = performance.now();
  let written = 0;
  let kills = 0;
  let isOver = false;
  const writer = async () => {
    while (written < DELIVERIES) {
      try {
        await send(service.url, 'PATCH', `/spaces/${space}`, { title: `Title ${written}` });
        written++;
      } catch {
        // A request that a kill interrupts may have caused its event all the same: what counts is what is listed.
        await sleep(50);
      }
    }
  };
  const killer = async () => {
    while (kills < KILLS && !isOver) {
      await sleep(100);
      if (received.size < ((kills + 1) * DELIVERIES) / (KILLS + 2) && written < DELIVERIES) continue;
      service.process.kill('SIGKILL');
      kills++;
      service = await start(dataDir);
      await sleep(1000);
    }
  };
  const killing = killer();
  await Promise.all(Array.from({ length: WRITERS }, writer));
  await killing;
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
  // Attempts that were interrupted are made again after their limit.
  for (let idle = 0, last = -1; received.size < happened.size && idle < 120; await sleep(1000)) {
    idle = requests === last ? idle + 1 : 0;
    last = requests;
  }
  isOver = true;
  const seconds = (performance.now() - begun) / 1000;
  const lost = [...happened].filter((id) => !received.has(id)).length;
  const renamed = [...received.values()].filter((ids) => ids.size > 1).length;
  await service.stop();
  receiver.close();
  await rm(dataDir, { recursive: true });
  console.log(`${happened.size} events to one receiver, the service killed ${kills} times`);
  console.table({
    lost: { measured: lost, bound: '0' },
    'of events that did not happen': { measured: received.size - (happened.size - lost), bound: '0' },
    'repeats under another id': { measured: renamed, bound: '0' },
    repeats: { measured: requests - received.size, bound: '' },
    'seconds until all arrived': { measured: Math.round(seconds), bound: '' },
  });
}
