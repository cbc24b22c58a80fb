import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadOptions } from './load.ts';
import { makeDataDir, median, residentMegabytes, startServer } from './processes.ts';
import { runLoad } from './run-load.ts';

const TOKEN = 'bench'.repeat(10);
/** How long each row is measured, in seconds. */
const SECONDS = 15;
/** Reads per second: a usual load, not the maximum. */
const READS = 200;
const OPERATIONS = 1000;
/** The size of the generated OpenAPI spec, in bytes. */
const SIZE = 13_000_000;
const LARGE_BOUND = 6000;
const SMALL = 200;
const SMALL_BOUND = 60_000;
/** Maximum slowdown of reads. */
const READ_BOUND = 3;
/** Maximum memory of all processes of the service except the database, in megabytes. */
const MEMORY_BOUND = 1500;

/** An OpenAPI spec with many operations, which consists mostly of the schemas of their requests and responses. */
function largeDocument(): string {
  const word = (number: number) => `Value ${number} of what the operation takes, in plain words.`;
  const schema = (number: number) => ({
    type: 'object',
    description: word(number),
    properties: Object.fromEntries(
      Array.from({ length: 25 }, (_, i) => [
        `field_${i}`,
        {
          type: i % 3 === 0 ? 'integer' : 'string',
          description: `${word(i)} ${word(number)} ${word(i + number)}`,
          ...(i === 7 && { $ref: `#/components/schemas/Schema${(number * 7) % OPERATIONS}` }),
        },
      ]),
    ),
  });
  const numbers = Array.from({ length: OPERATIONS }, (_, i) => i);
  const document = {
    openapi: '3.1.0',
    info: { title: 'Large', version: '1' },
    paths: Object.fromEntries(
      numbers.map((number) => [
        `/things/${number}/{id}`,
        {
          get: {
            operationId: `get${number}`,
            summary: `Get thing ${number}`,
            tags: [`Tag ${number % 50}`],
            responses: {
              200: {
                description: word(number),
                content: { 'application/json': { schema: schema(number) } },
              },
            },
          },
        },
      ]),
    ),
    components: {
      schemas: Object.fromEntries(numbers.map((number) => [`Schema${number}`, schema(number)])),
    },
  };
  const text = JSON.stringify(document, null, 1);
  return text.length < SIZE ? text.replace('"Large"', `"Large${' '.repeat(SIZE - text.length)}"`) : text;
}

const smallDocument = (number: number) =>
  JSON.stringify({
    openapi: '3.0.3',
    info: { title: `Small ${number}`, version: '1' },
    paths: { [`/${number}`]: { get: { summary: 'Get', responses: { 200: { description: 'OK' } } } } },
  });

const bodyOf = (text: string): Buffer => Buffer.from(JSON.stringify({ source: { text } }));

/** Measures how long OpenAPI specs take to process, and how much that slows down reads. */
export async function benchSpecs(): Promise<void> {
  const dataDir = await makeDataDir();
  const service = await startServer('server/main.ts', {
    DATA_DIR: dataDir,
    BOOTSTRAP_TOKEN: TOKEN,
    MAX_EVENT_LOOP_DELAY: '0',
  });
  const pid = service.process.pid as number;
  const send = async (method: string, path: string, body?: Buffer) => {
    const response = await fetch(`${service.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    return response;
  };
  // biome-ignore lint/suspicious/noExplicitAny: the bench looks into bodies freely
  const json = async (...request: Parameters<typeof send>): Promise<any> => (await send(...request)).json();
  const [{ id: organization }] = (await json('GET', '/orgs')).items;
  const specs = `/orgs/${organization}/openapi`;
  const untilComplete = async (slug: string) => {
    for (;;) {
      const spec = await json('GET', `${specs}/${slug}`);
      if (spec.processingState === 'complete') {
        if (spec.lastProcessErrorCode) throw new Error(JSON.stringify(spec.lastProcessedErrors));
        return spec;
      }
      await sleep(20);
    }
  };

  const rows: Record<string, object> = {};
  /** Repeats some work while another process reads. */
  const measure = async (name: string, work: (run: number) => Promise<unknown>): Promise<void> => {
    const options: LoadOptions = {
      url: service.url,
      paths: [`/v1/orgs/${organization}/spaces`, `/v1/orgs/${organization}`],
      tokens: [TOKEN],
      seconds: SECONDS,
      rate: READS,
    };
    let most = 0;
    let over = false;
    const loading = runLoad(options);
    const end = () => {
      over = true;
    };
    void loading.then(end, end);
    const watching = (async () => {
      for (; !over; await sleep(50)) most = Math.max(most, await megabytesOf(pid));
    })();
    const times: number[] = [];
    for (let run = 0; !over; run++) {
      const started = performance.now();
      await work(run);
      times.push(performance.now() - started);
    }
    const { rate, p50, p99 } = await loading;
    await watching;
    rows[name] = {
      times: times.length,
      'median ms': Math.round(median(times)),
      'reads a second': Math.round(rate),
      'reads p50 ms': p50,
      'reads p99 ms': p99,
      'most MB': Math.round(most),
    };
  };

  await measure('nothing else', () => sleep(1000));
  const documents: Record<string, string> = { made: largeDocument(), ...(await realDocuments()) };
  for (const [name, text] of Object.entries(documents)) {
    // Encoded beforehand, because encoding would delay the measuring process.
    const bodies = [0, 1].map((run) => bodyOf(`${text}${' '.repeat(run)}`));
    await measure(`${name}, ${(text.length / 1e6).toFixed(1)} MB`, async (run) => {
      await send('PUT', `${specs}/${name}`, bodies[run % 2]);
      await untilComplete(name);
    });
    const { operations } = await json('GET', `${specs}/${name}/versions/latest`);
    console.log(`${name}: ${operations} operations`);
    await measure(`its filesystem`, async () => {
      const response = await send('GET', `${specs}/${name}/versions/latest/content`);
      await response.arrayBuffer();
    });
  }
  await measure(`${SMALL} small`, async () => {
    const slugs = Array.from({ length: SMALL }, (_, number) => `small-${number}`);
    for (const [number, slug] of slugs.entries())
      await send('PUT', `${specs}/${slug}`, bodyOf(smallDocument(number)));
    for (const slug of slugs) await untilComplete(slug);
  });
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  console.table(rows);
  console.log(
    `bounds: ${LARGE_BOUND} ms for one large document, ${SMALL_BOUND} ms for ${SMALL} small ones, ` +
      `a p99 of ${READ_BOUND} times the usual, ${MEMORY_BOUND} MB`,
  );
  console.log(
    metrics
      .split('\n')
      .filter((line) => /^nodejs_eventloop_lag_(p99|max)_seconds/.test(line))
      .join('\n'),
  );
  await service.stop();
  await rm(dataDir, { recursive: true });
}

/** If `OPENAPI_EXAMPLES` names a folder: the largest OpenAPI spec in it that is not too large. */
async function realDocuments(): Promise<Record<string, string>> {
  const folder = process.env.OPENAPI_EXAMPLES;
  if (!folder) return {};
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json') && !name.includes('.deref.'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const [largest] = texts.toSorted((a, b) => b.length - a.length);
  return largest ? { real: largest } : {};
}

/** Resident memory of a Node.js process and its child processes except PostgreSQL, in megabytes. */
async function megabytesOf(pid: number): Promise<number> {
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const children = listed.split(' ').filter(Boolean).map(Number);
  const sizes = await Promise.all(
    [pid, ...children].map(async (id) => {
      const command = await readFile(`/proc/${id}/comm`, 'utf8').catch(() => '');
      if (!/^(node|MainThread)/.test(command)) return 0;
      // The process may just have ended.
      return (await residentMegabytes(id).catch(() => 0)) || 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
