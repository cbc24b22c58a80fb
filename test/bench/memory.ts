import { setTimeout as sleep } from 'node:timers/promises';
import { seedContent } from './content-seed.ts';
import { openBenchService } from './content-service.ts';
import { residentMegabytes, startServer } from './processes.ts';

const REQUESTS = 4000;
const CLIENTS = 32;
/** Maximum memory of the process under this load, in megabytes. */
const BOUND = 420;

/** Measures the service's memory while many clients read and some write. */
export async function benchMemory(): Promise<void> {
  const bench = await openBenchService();
  const { seed, runtime, dataDir } = bench;
  const content = await seedContent(runtime.database, seed, 300, 'own');
  const service = await startServer('server/main.ts', { DATA_DIR: dataDir, MAX_EVENT_LOOP_DELAY: '0' });
  const pid = service.process.pid as number;
  const idle = await residentMegabytes(pid);
  const base = `/v1/spaces/${content.id}`;
  const list = encodeURIComponent(JSON.stringify({ json: { organizationId: seed.organization } }));
  const reads = [
    base,
    `/v1/orgs/${seed.organization}/spaces`,
    `${base}/content`,
    `${base}/content/pages`,
    `${base}/content/page/${content.pages[100]}`,
    `/trpc/spaces.list?input=${list}`,
  ];
  const text = 'Some **text** with a [link](https://example.com/).\n\n'.repeat(60);
  const headers = { authorization: `Bearer ${seed.token}`, 'content-type': 'application/json' };
  const send = async (number: number) => {
    const page = {
      operation: 'insert_page',
      title: `Page ${number}`,
      document: { markdown: `${number} ${text}` },
    };
    const response =
      number % 20 === 0
        ? await fetch(`${service.url}/v1/spaces/${seed.spaces[0]}/content`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ changes: [page] }),
          })
        : await fetch(service.url + reads[number % reads.length], {
            headers: { authorization: headers.authorization },
          });
    if (!response.ok)
      throw new Error(`${response.url} returned ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  };
  let sent = 0;
  let most = idle;
  let over = false;
  const watching = (async () => {
    for (; !over; await sleep(100)) most = Math.max(most, await residentMegabytes(pid));
  })();
  const client = async () => {
    while (sent < REQUESTS) await send(sent++);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  over = true;
  await watching;
  console.log(`${REQUESTS} requests by ${CLIENTS} clients, of which one in 20 writes a page`);
  console.table({
    'memory before (MB)': { measured: Math.round(idle), bound: '' },
    'peak memory (MB)': { measured: Math.round(most), bound: `< ${BOUND}` },
  });
  await service.stop();
  await bench.close();
}
