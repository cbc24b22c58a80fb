import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { buildApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { openEmbeddedDatabase } from '../../server/embedded-postgres/index.ts';
import { openRuntime } from '../../server/runtime.ts';
import type { Load } from './load.ts';
import { makeDataDir, median, residentMegabytes, runScript, startServer } from './processes.ts';
import { type Statement, statementsOf } from './queries.ts';
import { seedSpaces } from './seed.ts';

/** Every target is loaded this often in turn, for this many seconds: what disturbs one round disturbs all alike. */
const ROUNDS = 3;
const SECONDS = 3;

/** Reads over REST and tRPC beside a minimal server that sends the same statements to the same database. */
export async function benchReads(): Promise<void> {
  const dataDir = await makeDataDir();
  const logger = pino({ level: 'warn' }, pino.destination(2));
  const config = readConfig({ DATA_DIR: dataDir, MAX_EVENT_LOOP_DELAY: '0' });
  const embedded = await openEmbeddedDatabase({ dataDir, role: 'tool', logger });
  const runtime = await openRuntime(config, { role: 'tool', logger });
  const { token, organization, space } = await seedSpaces(runtime.database, 50);
  const paths = { space: `/v1/spaces/${space}`, list: `/v1/orgs/${organization}/spaces?limit=50` };

  const app = await buildApp(runtime, config, logger);
  await app.inject({ url: paths.space, headers: { authorization: `Bearer ${token}` } });
  const statements = {
    space: await statementsOf(app, paths.space, token),
    list: await statementsOf(app, paths.list, token),
  };
  await app.close();
  await runtime.close();
  console.log(
    `round trips: one space ${statements.space.length} (at most 2), a list ${statements.list.length} (at most 4)`,
  );

  const minimal = await startServer('test/bench/minimal-server.ts', {
    MINIMAL: JSON.stringify({
      connection: embedded.connection,
      token: statements.space[0],
      space: statements.space.slice(1),
      list: statements.list.slice(1),
    } satisfies Record<string, object | Statement | undefined>),
  });
  const service = await startServer('server/main.ts', { DATA_DIR: dataDir });
  const call = (procedure: string, input: object, times: number) => {
    const inputs = Object.fromEntries(Array.from({ length: times }, (_, i) => [i, { json: input }]));
    const names = Array.from({ length: times }, () => procedure).join(',');
    return times === 1
      ? `/trpc/${names}?input=${encodeURIComponent(JSON.stringify(inputs[0]))}`
      : `/trpc/${names}?batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`;
  };
  const targets = [
    { name: 'REST one space', url: service.url + paths.space, beside: 'minimal one space' },
    { name: 'minimal one space', url: `${minimal.url}/v1/space` },
    { name: 'REST 50 spaces', url: service.url + paths.list, beside: 'minimal 50 spaces' },
    { name: 'minimal 50 spaces', url: `${minimal.url}/v1/list` },
    { name: 'tRPC one space', url: service.url + call('spaces.get', { spaceId: space }, 1) },
    { name: 'tRPC one space, batched by 10', url: service.url + call('spaces.get', { spaceId: space }, 10) },
    {
      name: 'tRPC 50 spaces',
      url: service.url + call('spaces.list', { organizationId: organization, limit: 50 }, 1),
    },
  ];
  const loads = new Map<string, Load[]>(targets.map(({ name }) => [name, []]));
  for (const { url } of targets) await runScript<Load>('load.ts', [url, token, '1']);
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, url } of targets) {
      loads.get(name)?.push(await runScript<Load>('load.ts', [url, token, String(SECONDS)]));
    }
  }
  const rate = (name: string) => median((loads.get(name) ?? []).map((load) => load.rate));
  console.table(
    Object.fromEntries(
      targets.map(({ name, beside }) => [
        name,
        {
          'requests/s': Math.round(rate(name)),
          'p50 ms': median((loads.get(name) ?? []).map((load) => load.p50)),
          'p99 ms': median((loads.get(name) ?? []).map((load) => load.p99)),
          failed: (loads.get(name) ?? []).reduce((sum, load) => sum + load.failed, 0),
          ratio: beside ? (rate(name) / rate(beside)).toFixed(2) : '',
        },
      ]),
    ),
  );
  await service.stop();
  await minimal.stop();
  await embedded.close();
  await rm(dataDir, { recursive: true, force: true });
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
