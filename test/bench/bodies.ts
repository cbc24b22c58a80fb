import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { makeDataDir, type Running, residentMegabytes, startServer } from './processes.ts';

/** The number of concurrent hostile requests, each of which is abandoned after this many seconds. */
const PARALLEL = 64;
const PATIENCE = 30;

const MB = 1024 * 1024;
const EDIT_LIMIT = 20 * MB;

type Feed = (write: (bytes: Buffer | string) => Promise<boolean>) => Promise<void>;

/** Measures the memory that concurrent hostile request bodies take, and how long other requests wait meanwhile. */
export async function benchBodies(): Promise<void> {
  const dataDir = await makeDataDir();
  const token = randomBytes(24).toString('hex');
  const rows: Record<string, object> = {};
  const values = Buffer.from(`{"changes":[${'{},'.repeat((EDIT_LIMIT - 20) / 3)}{}]}`);
  const text = Buffer.from(`{"changes":"${'a'.repeat(EDIT_LIMIT - 20)}"}`);
  const bomb = gzipSync(values, { level: 9 });
  const whole =
    (body: Buffer): Feed =>
    async (write) => {
      for (let at = 0; at < body.length; at += 65_536) {
        if (!(await write(body.subarray(at, at + 65_536)))) return;
      }
    };
  const chunked =
    (chunk: string): Feed =>
    async (write) => {
      const piece = `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
      const many = piece.repeat(Math.ceil(65_536 / piece.length));
      while (await write(many));
    };
  const authorization = `Authorization: Bearer ${token}\r\n`;
  for (const [name, headers, feed] of [
    ['gzip bombs, no token', `Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n`, whole(bomb)],
    ['20 MB of values, no token', `Content-Length: ${values.length}\r\n`, whole(values)],
    ['20 MB of values', `${authorization}Content-Length: ${values.length}\r\n`, whole(values)],
    ['20 MB of text', `${authorization}Content-Length: ${text.length}\r\n`, whole(text)],
    ['chunks without end', `${authorization}Transfer-Encoding: chunked\r\n`, chunked('a'.repeat(65_536))],
    ['chunks of a byte', `${authorization}Transfer-Encoding: chunked\r\n`, chunked(' ')],
  ] as const) {
    const service = await startServer('server/main.ts', {
      DATA_DIR: dataDir,
      BOOTSTRAP_TOKEN: token,
      MAX_EVENT_LOOP_DELAY: '0',
    });
    rows[name] = await attack(service, token, headers, feed);
    await service.stop();
  }
  console.log(`${PARALLEL} concurrent requests:`);
  console.table(rows);
  await rm(dataDir, { recursive: true, force: true });
}

/** Sends one kind of hostile request many times at once, and watches the service. */
async function attack(service: Running, token: string, headers: string, feed: Feed): Promise<object> {
  const url = new URL(`${service.url}/v1/spaces/${await newSpace(service.url, token)}/content`);
  const head = `POST ${url.pathname} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n`;
  const started = performance.now();
  const counts: Record<string, number> = {};
  let open = PARALLEL;
  const senders = Array.from({ length: PARALLEL }, async () => {
    const status = await send(Number(url.port), head, feed);
    counts[status] = (counts[status] ?? 0) + 1;
    open--;
  });
  const waits: number[] = [];
  const watch = (async () => {
    while (open > 0) {
      const begun = performance.now();
      const status = await fetch(`${service.url}/healthz`, { signal: AbortSignal.timeout(30_000) }).then(
        (response) => response.status,
        () => 0,
      );
      waits.push(status === 200 ? performance.now() - begun : Number.POSITIVE_INFINITY);
      await sleep(50);
    }
  })();
  await Promise.all([...senders, watch]);
  const seconds = (performance.now() - started) / 1000;
  const pid = service.process.pid as number;
  const peak = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))?.[1];
  await sleep(1000);
  waits.sort((a, b) => a - b);
  return {
    'peak memory (MB)': peak ? Math.round(Number(peak) / 1024) : 'died',
    'memory after (MB)': peak ? Math.round(await residentMegabytes(pid)) : 'died',
    'healthz p50 (ms)': Math.round(waits[Math.floor(waits.length / 2)] ?? 0),
    'healthz p99 (ms)': Math.round(waits[Math.floor(waits.length * 0.99)] ?? 0),
    'until all responses (s)': Number(seconds.toFixed(1)),
    responses: Object.entries(counts)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', '),
  };
}

async function newSpace(base: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const organizations = succeeded(await fetch(`${base}/v1/orgs`, { headers }));
  const { items } = (await organizations.json()) as { items: { id: string }[] };
  const created = succeeded(
    await fetch(`${base}/v1/orgs/${items[0]?.id}/spaces`, {
      method: 'POST',
      headers,
      body: '{"title":"Attacked"}',
    }),
  );
  return ((await created.json()) as { id: string }).id;
}

function succeeded(response: Response): Response {
  if (!response.ok) throw new Error(`${response.url} returned ${response.status}`);
  return response;
}

/** Sends one request until there is a response. Returns its status, or how else the request ended. */
function send(port: number, head: string, feed: Feed): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const timer = setTimeout(() => finish('none'), PATIENCE * 1000);
    let done = false;
    const finish = (status: string) => {
      if (done) return;
      done = true;
      clearTimeout(timer);
      socket.destroy();
      resolve(status);
    };
    socket.once('data', (bytes) => finish(/^HTTP\/1.1 (\d+)/.exec(bytes.toString('latin1'))?.[1] ?? '?'));
    socket.on('error', () => finish('cut'));
    socket.on('close', () => finish('cut'));
    socket.write(head);
    void feed(async (bytes) => {
      if (done) return false;
      if (!socket.write(bytes)) {
        await new Promise<void>((drained) => {
          const settle = () => {
            socket.off('drain', settle).off('close', settle);
            drained();
          };
          socket.once('drain', settle).once('close', settle);
        });
      }
      return !done;
    });
  });
}
