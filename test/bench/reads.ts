import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { buildApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { openEmbeddedDatabase } from '../../server/embedded-postgres/index.ts';
import { openRuntime } from '../../server/runtime.ts';
import { seedContent } from './content-seed.ts';
import type { Load } from './load.ts';
import type { MinimalOptions } from './minimal-server.ts';
import { makeDataDir, median, type Running, residentMegabytes, runScript, startServer } from './processes.ts';
import { statementsOf } from './queries.ts';
import { seedSpaces } from './seed.ts';

/** Seconds of load before each target is measured: until the compiler has optimized all hot code. */
const WARM_UP = 8;

/** Every target is loaded this often in turn, for this many seconds: what disturbs one round disturbs all alike. */
const ROUNDS = 7;
const SECONDS = 1;

interface Target {
  server: Running;
  path: string;
  /** Calls in each request. */
  calls?: number;
  /** The target that this one is measured by, and the ratio of the rates of calls to reach. */
  goal?: [beside: string, ratio: number];
}

interface Measured extends Load {
  /** Microseconds of the server's processor time for each request. */
  processor: number;
}

/**
 * Reads over REST and tRPC beside a minimal server on the same database. Where the environment names the folder of
 * another checkout with the same schema as `BESIDE`, its service is measured in the same run.
 */
export async function benchReads(): Promise<void> {
  const dataDir = await makeDataDir();
  const logger = pino({ level: 'warn' }, pino.destination(2));
  const config = readConfig({ DATA_DIR: dataDir, MAX_EVENT_LOOP_DELAY: '0' });
  const embedded = await openEmbeddedDatabase({ dataDir, role: 'tool', logger });
  const runtime = await openRuntime(config, { role: 'tool', logger });
  const seed = await seedSpaces(runtime.database, 49);
  const { token, organization, space } = seed;
  const content = await seedContent(runtime.database, seed, 300, 'own');
  const paths = {
    space: `/v1/spaces/${space}`,
    list: `/v1/orgs/${organization}/spaces?limit=50`,
    page: `/v1/spaces/${content.id}/content/page/${content.pages[100]}`,
  };
  const app = await buildApp(runtime, config, logger);
  const headers = { authorization: `Bearer ${token}` };
  const page: object = (await app.inject({ url: paths.page, headers })).json();
  // A list opens a second connection; its setup must not count towards later requests.
  await app.inject({ url: paths.list, headers });
  const trips = {
    space: (await statementsOf(app, paths.space, token)).length,
    list: (await statementsOf(app, paths.list, token)).length,
    page: (await statementsOf(app, paths.page, token)).length,
  };
  console.log(
    `round trips: one space ${trips.space} (at most 2), a list ${trips.list} (at most 4), a page ${trips.page} (at most 2)`,
  );
  await app.close();
  await runtime.close();

  const options: MinimalOptions = {
    connection: embedded.connection,
    space,
    organization,
    content: content.id,
    page,
  };
  const minimal = await startServer('test/bench/minimal-server.ts', { MINIMAL: JSON.stringify(options) });
  const service = await startServer('server/main.ts', { DATA_DIR: dataDir });
  const { host, user = '', password = '', database } = embedded.connection;
  const url = `postgres://${[user, password].map(encodeURIComponent).join(':')}@${encodeURIComponent(host)}/${database}`;
  const older = process.env.BESIDE
    ? await startServer(
        'server/main.ts',
        { DATA_DIR: `${dataDir}/beside`, DATABASE_URL: url },
        process.env.BESIDE,
      )
    : undefined;
  const one = call('spaces.get', { spaceId: space });
  const ten = call('spaces.get', { spaceId: space }, 10);
  const list = call('spaces.list', { organizationId: organization, limit: 50 });
  const targets: Record<string, Target> = {
    'minimal one space': { server: minimal, path: '/v1/space' },
    'REST one space': { server: service, path: paths.space, goal: ['minimal one space', 0.8] },
    'minimal 50 spaces': { server: minimal, path: '/v1/list' },
    'REST 50 spaces': { server: service, path: paths.list, goal: ['minimal 50 spaces', 0.8] },
    'minimal page of Markdown': { server: minimal, path: '/v1/page' },
    'REST page of Markdown': { server: service, path: paths.page, goal: ['minimal page of Markdown', 0.7] },
    'tRPC one space': { server: service, path: one, goal: ['REST one space', 0.9] },
    'tRPC one space, ten calls': { server: service, path: ten, calls: 10, goal: ['tRPC one space', 5] },
    'tRPC 50 spaces': { server: service, path: list, goal: ['REST 50 spaces', 0.9] },
  };
  if (older) {
    for (const [name, { path, server, calls }] of Object.entries(targets)) {
      if (server === service)
        targets[`${name} (beside)`] = { server: older, path, ...(calls && { calls }), goal: [name, 1] };
    }
  }
  await measure(targets, token);
  for (const server of [older, service, minimal]) await server?.stop();
  await embedded.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** The address of one call over tRPC, or of a batch of the same. */
function call(procedure: string, input: object, times = 1): string {
  const inputs = Object.fromEntries(Array.from({ length: times }, (_, i) => [i, { json: input }]));
  const names = Array.from({ length: times }, () => procedure).join(',');
  return times === 1
    ? `/trpc/${names}?input=${encodeURIComponent(JSON.stringify(inputs[0]))}`
    : `/trpc/${names}?batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`;
}

async function measure(targets: Record<string, Target>, token: string): Promise<void> {
  const load = async ({ server, path }: Target, seconds: number): Promise<Measured> => {
    const before = await processorMicroseconds(server.process.pid as number);
    const measured = await runScript<Load>('load.ts', [server.url + path, token, String(seconds)]);
    const used = (await processorMicroseconds(server.process.pid as number)) - before;
    return { ...measured, processor: used / (measured.rate * seconds) };
  };
  const rounds: Record<string, Measured>[] = [];
  for (const target of Object.values(targets)) await load(target, WARM_UP);
  for (let round = 0; round < ROUNDS; round++) {
    const measured: Record<string, Measured> = {};
    for (const [name, target] of Object.entries(targets)) measured[name] = await load(target, SECONDS);
    rounds.push(measured);
  }
  // Each round is compared with itself, so that what others do on the machine counts little.
  const over = (figure: (round: Record<string, Measured>) => number) => median(rounds.map(figure));
  const of = (name: string, key: keyof Measured) => over((round) => (round[name] as Measured)[key]);
  const rows = Object.entries(targets).map(([name, { goal, calls = 1 }]) => {
    const [beside = name, bound = 1] = goal ?? [];
    const callsBeside = targets[beside]?.calls ?? 1;
    const ratio = (key: 'rate' | 'processor') =>
      over((round) => (round[name] as Measured)[key] / (round[beside] as Measured)[key]);
    return [
      name,
      {
        'requests/s': Math.round(of(name, 'rate')),
        'p50 ms': of(name, 'p50'),
        'p99 ms': of(name, 'p99'),
        'processor µs': Math.round(of(name, 'processor')),
        failed: rounds.reduce((sum, round) => sum + (round[name] as Measured).failed, 0),
        ...(goal && {
          beside,
          ratio: ((ratio('rate') * calls) / callsBeside).toFixed(2),
          'by processor': (calls / callsBeside / ratio('processor')).toFixed(2),
          goal: bound,
        }),
      },
    ];
  });
  console.table(Object.fromEntries(rows));
}

/** Processor time that a process has used, all of its threads together (Linux). */
async function processorMicroseconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // What stands before is the name of the program, which may hold spaces; a tick is 10 ms.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** Start to ready on a new data folder, and memory when nothing happens. */
export async function benchStart(): Promise<void> {
  const dataDir = await makeDataDir();
  const first = await startServer('server/main.ts', { DATA_DIR: dataDir });
  await sleep(5000);
  const idle = await residentMegabytes(first.process.pid as number);
  await first.stop();
  const second = await startServer('server/main.ts', { DATA_DIR: dataDir });
  await second.stop();
  console.table({
    'first start to ready, new data folder (ms)': {
      measured: Math.round(first.startMilliseconds),
      bound: 5000,
    },
    'second start to ready (ms)': { measured: Math.round(second.startMilliseconds), bound: '' },
    'idle memory of the service process (MB)': { measured: Math.round(idle), bound: 200 },
  });
  await rm(dataDir, { recursive: true, force: true });
}
