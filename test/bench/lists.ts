import { rm } from 'node:fs/promises';
import { pino } from 'pino';
import { buildApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { openRuntime } from '../../server/runtime.ts';
import { makeDataDir, median } from './processes.ts';
import { seedSpaces } from './seed.ts';

const SPACES = 10_000;
const ROUNDS = 60;

/** Compares the first and the hundredth page of a long list, read alternately. */
export async function benchLists(): Promise<void> {
  const dataDir = await makeDataDir();
  const logger = pino({ level: 'warn' }, pino.destination(2));
  const config = readConfig({ DATA_DIR: dataDir, MAX_EVENT_LOOP_DELAY: '0' });
  const runtime = await openRuntime(config, { role: 'tool', logger });
  const { token, organization } = await seedSpaces(runtime.database, SPACES);
  const app = await buildApp(runtime, config, logger);
  const read = async (page?: string) => {
    const url = `/v1/orgs/${organization}/spaces?limit=50${page ? `&page=${page}` : ''}`;
    const started = performance.now();
    const response = await app.inject({ url, headers: { authorization: `Bearer ${token}` } });
    const milliseconds = performance.now() - started;
    if (response.statusCode !== 200)
      throw new Error(`the list returned ${response.statusCode}: ${response.body}`);
    return { milliseconds, next: response.json().next?.page as string | undefined };
  };
  let hundredth: string | undefined;
  for (let page = 1; page < 100; page++) hundredth = (await read(hundredth)).next;
  const times = { first: [] as number[], hundredth: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.first.push((await read()).milliseconds);
    times.hundredth.push((await read(hundredth)).milliseconds);
  }
  const [first, last] = [median(times.first), median(times.hundredth)];
  console.log(`list of ${SPACES} spaces, 50 per page`);
  console.table({
    'first page': { 'median ms': first.toFixed(2), ratio: '' },
    'hundredth page': { 'median ms': last.toFixed(2), ratio: (last / first).toFixed(2) },
  });
  await app.close();
  await runtime.close();
  await rm(dataDir, { recursive: true, force: true });
}
