import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { buildApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { openEmbeddedDatabase } from '../../server/embedded-postgres/index.ts';
import { openRuntime } from '../../server/runtime.ts';
import { seedContent } from './content-seed.ts';
import type { Load, LoadOptions } from './load.ts';
import type { MinimalOptions } from './minimal-server.ts';
import { makeDataDir, median, type Running, residentMegabytes, startServer } from './processes.ts';
import { statementsOf } from './queries.ts';
import { runLoad } from './run-load.ts';
import { analyze, seedMembers, seedSpaces } from './seed.ts';

/** Seconds of load before each target is measured: until the compiler has optimized all hot code. */
const WARM_UP = 8;

/** Rounds, in each of which every target is loaded for this many seconds, so that disturbances affect all alike. */
const ROUNDS = 7;
const SECONDS = 1;

/** The number of spaces and pages that are read. */
const SPACES = 50;

/** The number of members who read them: an admin, and others with all roles. */
const MEMBERS = 16;

export interface Target {
  server: Running;
  /** The paths that are requested in order, or to which these bodies are posted. */
  paths: string[];
  bodies?: object[];
  /** Additional headers for each of the paths, and the expected status. */
  headers?: Record<string, string>[];
  status?: number;
  /** The number of members who send requests; all by default. */
  callers?: number;
  /** The number of calls in each request. */
  calls?: number;
  /** The target with which this one is compared, and the required ratio of call rates. */
  goal?: [beside: string, ratio: number];
}

interface Measured extends Load {
  /** The server's CPU time per request, in microseconds. */
  processor: number;
}

/**
 * Compares reads over REST and tRPC with a minimal server on the same database. If the environment variable `BESIDE` names
 * another checkout with the same schema, its service is measured in the same run.
 */
export async function benchReads(): Promise<void> {
  const dataDir = await makeDataDir();
  const logger = pino({ level: 'warn' }, pino.destination(2));
  const config = readConfig({ DATA_DIR: dataDir, MAX_EVENT_LOOP_DELAY: '0' });
  const embedded = await openEmbeddedDatabase({ dataDir, role: 'tool', logger });
  const runtime = await openRuntime(config, { role: 'tool', logger });
  const seed = await seedSpaces(runtime.database, SPACES - 1);
  const { token, organization } = seed;
  const content = await seedContent(runtime.database, seed, 300, 'own');
  const spaces = [...seed.spaces, content.id];
  const tokens = [token, ...(await seedMembers(runtime.database, seed, spaces, MEMBERS - 1))];
  await analyze(runtime.database);
  const pages = content.pages.slice(100, 100 + SPACES);
  const spacePath = (space: string) => `/v1/spaces/${space}`;
  const pagePath = (page: string) => `/v1/spaces/${content.id}/content/page/${page}`;
  const listPath = `/v1/orgs/${organization}/spaces?limit=50`;
  const app = await buildApp(runtime, config, logger);
  const headers = { authorization: `Bearer ${token}` };
  const pageBodies: Record<string, object> = {};
  for (const page of pages) {
    const response = await app.inject({ url: pagePath(page), headers });
    if (response.statusCode !== 200)
      throw new Error(`the page returned ${response.statusCode}: ${response.body}`);
    pageBodies[page] = response.json();
  }
  // A list opens a second connection, whose setup must not count towards later requests.
  await app.inject({ url: listPath, headers });
  const trips = {
    space: (await statementsOf(app, spacePath(content.id), token)).length,
    list: (await statementsOf(app, listPath, token)).length,
    page: (await statementsOf(app, pagePath(pages[0] as string), token)).length,
  };
  console.log(
    `round trips: one space ${trips.space} (at most 2), a list ${trips.list} (at most 3), a page ${trips.page} (at most 2)`,
  );
  await app.close();
  await runtime.close();

  const options: MinimalOptions = { connection: embedded.connection, pages: pageBodies };
  await writeFile(`${dataDir}/minimal.json`, JSON.stringify(options));
  const minimal = await startServer('test/bench/minimal-server.ts', { MINIMAL: `${dataDir}/minimal.json` });
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
  const one = { paths: spaces.map(spacePath) };
  const list = { paths: [listPath] };
  const page = { paths: pages.map(pagePath) };
  const get = (space: string): Call => ['spaces.get', { spaceId: space }];
  const tenFrom = (start: number) => [...spaces.slice(start), ...spaces].slice(0, 10).map(get);
  const targets: Record<string, Target> = {
    'minimal one space': { server: minimal, ...one },
    'REST one space': { server: service, ...one, goal: ['minimal one space', 0.8] },
    'minimal 50 spaces': { server: minimal, ...list },
    'REST 50 spaces': { server: service, ...list, goal: ['minimal 50 spaces', 0.8] },
    'minimal page of Markdown': { server: minimal, ...page },
    'REST page of Markdown': { server: service, ...page, goal: ['minimal page of Markdown', 0.7] },
    'tRPC one space': {
      server: service,
      paths: spaces.map((space) => callPath(get(space))),
      goal: ['REST one space', 0.9],
    },
    'tRPC one space, ten calls': {
      server: service,
      paths: spaces.map((_, start) => batchPath(tenFrom(start))),
      calls: 10,
      goal: ['tRPC one space', 5],
    },
    'tRPC 50 spaces': {
      server: service,
      paths: [callPath(['spaces.list', { organizationId: organization, limit: 50 }])],
      goal: ['REST 50 spaces', 0.9],
    },
    // A single caller repeats the same request: concurrent requests share statements.
    'minimal one space, one caller': { server: minimal, paths: one.paths.slice(0, 1), callers: 1 },
    'REST one space, one caller': {
      server: service,
      paths: one.paths.slice(0, 1),
      callers: 1,
      goal: ['minimal one space, one caller', 0.8],
    },
  };
  if (older) {
    for (const [name, target] of Object.entries(targets)) {
      if (target.server === service)
        targets[`${name} (beside)`] = { ...target, server: older, goal: [name, 1] };
    }
  }
  await measure(targets, tokens);
  for (const server of [older, service, minimal]) await server?.stop();
  await embedded.close();
  await rm(dataDir, { recursive: true, force: true });
}

type Call = [procedure: string, input: object];

/** The address of one call over tRPC. */
const callPath = ([procedure, input]: Call): string =>
  `/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify({ json: input }))}`;

/** The address of a batch of calls. */
function batchPath(calls: Call[]): string {
  const names = calls.map(([procedure]) => procedure).join(',');
  const inputs = Object.fromEntries(calls.map(([, input], index) => [index, { json: input }]));
  return `/trpc/${names}?batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`;
}

export async function measure(targets: Record<string, Target>, tokens: string[]): Promise<void> {
  const load = async (
    { server, paths, bodies, headers, status, callers = MEMBERS }: Target,
    seconds: number,
  ): Promise<Measured> => {
    const options: LoadOptions = {
      url: server.url,
      paths,
      bodies,
      headers,
      status,
      tokens: tokens.slice(0, callers),
      seconds,
    };
    const before = await processorMicroseconds(server.process.pid as number);
    const measured = await runLoad(options);
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
  // Ratios are computed within each round, so that other work on the machine matters little.
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

/** The CPU time that all threads of a process have used (Linux). */
async function processorMicroseconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // Before it is the name of the program, which may contain spaces; a tick is 10 ms.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** Measures the time until a service on a new data folder is ready, and its idle memory. */
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
