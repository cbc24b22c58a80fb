import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { benchWebhooks } from './deliveries.ts';
import type { LoadOptions } from './load.ts';
import { makeDataDir, median, residentMegabytes, runCommand } from './processes.ts';
import { runLoad } from './run-load.ts';
import { send, start, TOKEN } from './service.ts';

const SUBSCRIBERS = 1000;
/** The number of users: more than one, because the streams of one user are limited. */
const USERS = 10;
const EVENTS = 20;
const LOAD_SECONDS = 6;
/** Maximum memory per subscriber, in kilobytes. */
const MEMORY_BOUND = 60;
/** Maximum time until the last subscriber receives an event, in milliseconds. */
const TIME_BOUND = 500;

/** Measures many event streams of one process, and webhook deliveries. */
export async function benchEvents(): Promise<void> {
  await benchSubscribers();
  await benchWebhooks();
}

async function benchSubscribers(): Promise<void> {
  const dataDir = await makeDataDir();
  const service = await start(dataDir);
  const { url } = service;
  const pid = service.process.pid as number;
  const organization = (await send(url, 'GET', '/orgs')).items[0].id;
  const space = (await send(url, 'POST', `/orgs/${organization}/spaces`, {})).id;
  const tokens = await makeTokens(url, dataDir, organization);
  const paths = [`/v1/orgs/${organization}/spaces`];
  const options: LoadOptions = { url, paths, tokens: [TOKEN], seconds: LOAD_SECONDS };
  const load = () => runLoad(options);
  const alone = await load();
  await sleep(2000);

  const before = await residentMegabytes(pid);
  const streams = await Promise.all(tokens.map((token) => openStream(url, organization, token)));
  await sleep(2000);
  const kilobytes = ((await residentMegabytes(pid)) - before) * (1024 / SUBSCRIBERS);
  let seen = 0;
  const arrive = async () => {
    seen++;
    const started = performance.now();
    await send(url, 'PATCH', `/spaces/${space}`, { title: `Title ${seen}` });
    while (streams.some((stream) => stream.events < seen)) await sleep(5);
    return performance.now() - started;
  };
  const times: number[] = [];
  for (let i = 0; i < EVENTS; i++) times.push(await arrive());
  const loading = load();
  let isLoading = true;
  const end = () => {
    isLoading = false;
  };
  void loading.then(end, end);
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
  console.log(`${SUBSCRIBERS} subscribers, each with its own token`);
  console.table({
    'memory per subscriber (kB)': { measured: rounded(kilobytes), bound: `< ${MEMORY_BOUND}` },
    'time until all have an event, median (ms)': {
      measured: rounded(median(times)),
      bound: `< ${TIME_BOUND}`,
    },
    'the same under load, median (ms)': { measured: rounded(median(busy)), bound: '' },
    'reads per second without streams': { measured: rounded(alone.rate), bound: '' },
    'reads per second while events are sent': { measured: rounded(beside.rate), bound: '> half' },
  });
}

/** Creates a token for each subscriber. */
async function makeTokens(url: string, dataDir: string, organization: string): Promise<string[]> {
  const tokens: string[] = [];
  for (let user = 0; user < USERS; user++) {
    const email = `reader${user}@example.com`;
    const membership = ['--organization', organization, '--role', 'read'];
    await runCommand(dataDir, 'user', 'create', '--email', email, '--name', `Reader ${user}`, ...membership);
    const { token } = await runCommand<{ token: string }>(dataDir, 'token', 'create', '--user', email);
    tokens.push(token);
    for (let i = 1; i < SUBSCRIBERS / USERS; i++)
      tokens.push((await send(url, 'POST', '/user/tokens', { name: `Token ${i}` }, token)).token);
  }
  return tokens;
}

interface Stream {
  socket: Socket;
  events: number;
}

/** Opens a stream over a raw connection, which costs this process little. */
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
