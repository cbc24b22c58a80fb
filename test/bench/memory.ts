import { setTimeout as sleep } from 'node:timers/promises';
import { seedContent } from './content-seed.ts';
import { openBenchService } from './content-service.ts';
import { residentMegabytes, startServer } from './processes.ts';

const REQUESTS = 4000;
const CLIENTS = 32;
/** Megabytes of the process under this load. */
const BOUND = 350;

/** The most memory that the service takes while many read and some write, and what it keeps of it. */
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
    const answer =
      number % 20 === 0
        ? await fetch(`${service.url}/v1/spaces/${seed.spaces[0]}/content`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ changes: [page] }),
          })
        : await fetch(service.url + reads[number % reads.length], {
            headers: { authorization: headers.authorization },
          });
    if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
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
  console.log(`${REQUESTS} requests of ${CLIENTS} clients, one of 20 of which writes a page`);
  console.table({
    'memory before (MB)': { measured: Math.round(idle), bound: '' },
    'most memory (MB)': { measured: Math.round(most), bound: `< ${BOUND}` },
  });
  await service.stop();
  await bench.close();
}
