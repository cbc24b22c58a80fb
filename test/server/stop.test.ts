import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { isStopped, makeSandbox, type Sandbox } from './embedded-postgres-harness.ts';
import { holdUp, requestHeldUp } from './held-up-requests.ts';
import {
  call,
  killAll,
  launch,
  PATIENCE,
  ready,
  run,
  type Service,
  start,
  waitForOutput,
} from './process-harness.ts';

let template: Sandbox;
let token: string;
let sandbox: Sandbox;
beforeAll(async () => {
  template = await makeSandbox();
  const service = await start({ DATA_DIR: template.dataDir });
  token = service.token as string;
  await service.stop();
});
afterAll(() => template.clear());
beforeEach(async () => {
  sandbox = await makeSandbox(template);
});
afterEach(async () => {
  killAll();
  await sandbox.clear();
});

/** Supervisors allow 10 seconds or more. The service exits with 1 after 9, if it has not finished before. */
const STOP_LIMIT = 10_000;

/** Waits until a service accepts no new connections. */
const refused = (url: string) =>
  vi.waitUntil(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        socket.on('error', () => resolve(true));
        socket.on('connect', () => {
          socket.destroy();
          resolve(false);
        });
      }),
    { timeout: STOP_LIMIT, interval: 10 },
  );

/** Stops `npm start` while a request is in progress and a client keeps its connection open, which must take little time. */
async function expectToStop({ signal, group }: { signal: NodeJS.Signals; group: boolean }): Promise<void> {
  const { dataDir } = sandbox;
  const program = run('npm', ['start'], { DATA_DIR: dataDir, PORT: '0' }, { detached: true });
  const service = await ready(program);
  // This connection is kept alive by the client, and idle from here on.
  await call(service, token, '/user');
  const blocker = await holdUp(dataDir);
  const answer = call(service, token, '/orgs');
  await requestHeldUp(dataDir);
  const begun = performance.now();
  const pid = program.process.pid as number;
  process.kill(group ? -pid : pid, signal);
  await refused(service.url);
  await blocker.end();
  expect((await answer).status).toBe(200);
  await program.exit;
  // npm may exit first.
  await vi.waitUntil(() => isStopped(dataDir), { timeout: STOP_LIMIT });
  expect(performance.now() - begun).toBeLessThan(STOP_LIMIT);
  await expect(call(service, token, '/user')).rejects.toThrow();
}

/** The ids of the worker processes of a service, if there are any. */
async function workersOf({ process: { pid } }: Service): Promise<string[] | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const pids = children.trim().split(' ').filter(Boolean);
  const all = await Promise.all(
    pids.map((child) => readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')),
  );
  const found = pids.filter((_, index) => /worker-main/.test(all[index] as string));
  return found.length > 0 ? found : undefined;
}

describe('a service told to stop', () => {
  test('a service told to stop by kill of `npm start` responds to the request in progress and exits in time, although clients keep their connections open', async () => {
    await expectToStop({ signal: 'SIGTERM', group: false });
  });

  test('a service told to stop by Ctrl-C of `npm start` responds to the request in progress and exits in time', async () => {
    // A terminal sends the interrupt to the whole group, and npm sends it to its child once more.
    await expectToStop({ signal: 'SIGINT', group: true });
  });

  test('a service told to stop leaves nothing running, even while it starts', async () => {
    const program = launch({ DATA_DIR: sandbox.dataDir });
    await waitForOutput(program, 'PostgreSQL started');
    const line = program.stdout.split('\n').find((text) => text.includes('PostgreSQL started'));
    expect(line?.match(/"pid":/g)).toHaveLength(1);
    program.process.kill('SIGTERM');
    expect(await program.exit).toBe(0);
    expect(await isStopped(sandbox.dataDir)).toBe(true);
  });

  test('a service told to stop aborts requests that never end and large edits, and exits in time with its workers', async () => {
    const service = await start({ DATA_DIR: sandbox.dataDir });
    const { port } = new URL(service.url);
    const slow = connect(Number(port), '127.0.0.1');
    slow.on('error', () => undefined);
    slow.write(
      'POST /v1/orgs HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
    );
    const organization = (await call(service, token, '/orgs')).body.items[0].id;
    const { body: space } = await call(service, token, `/orgs/${organization}/spaces`, { title: 'Large' });
    const markdown = '* **item** of a list\n'.repeat(45_000);
    const change = { operation: 'insert_page', title: 'Large', document: { markdown } };
    const edits = Array.from({ length: 3 }, () =>
      call(service, token, `/spaces/${space.id}/content`, { changes: [change, change] }).catch(String),
    );
    const workers = await vi.waitUntil(() => workersOf(service), { timeout: PATIENCE });
    await holdUp(sandbox.dataDir);
    const lost = call(service, token, '/orgs').catch((error: unknown) => error);
    await requestHeldUp(sandbox.dataDir);
    const { code, took } = await service.stop();
    expect(code).toBe(0);
    expect(took).toBeLessThan(STOP_LIMIT);
    expect(await lost).toBeInstanceOf(Error);
    await Promise.all(edits);
    for (const worker of workers) expect(existsSync(`/proc/${worker}`)).toBe(false);
    expect(await isStopped(sandbox.dataDir)).toBe(true);
  });
});
