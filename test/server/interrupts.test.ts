/** What interrupts a process, or takes what it needs, at the wrong time. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  isRoot,
  isStopped,
  makeSandbox,
  NOBODY,
  type Sandbox,
  serverPid,
} from './embedded-postgres-harness.ts';
import { holdUp, requestHeldUp } from './held-up-requests.ts';
import {
  call,
  killAll,
  launch,
  PATIENCE,
  runProduct,
  type Service,
  start,
  tokenIn,
  waitForOutput,
} from './process-harness.ts';
import { expectToStop, STOP_LIMIT } from './stopping.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await makeSandbox();
});
afterEach(async () => {
  killAll();
  await sandbox.clear();
});

test('an interrupted start reports that it was stopped, not a failure', async () => {
  const program = launch({ DATA_DIR: sandbox.dataDir }, { detached: true });
  await waitForOutput(program, 'creating the PostgreSQL database');
  // As a terminal does: the programs that create the database get it, too.
  process.kill(-(program.process.pid as number), 'SIGINT');
  expect(await program.exit).toBe(0);
  expect(program.stdout).toContain('stopped before it was ready');
  expect(program.stderr).not.toContain('could not');
});

test('an interrupted command stops the database that it started', async () => {
  const program = runProduct(['server/cli/main.ts', 'token', 'create', '--user', 'admin@localhost'], {
    DATA_DIR: sandbox.dataDir,
  });
  await vi.waitUntil(async () => !(await isStopped(sandbox.dataDir).catch(() => true)), {
    timeout: PATIENCE,
    interval: 5,
  });
  program.process.kill('SIGINT');
  expect(await program.exit).toBe(130);
  expect(await isStopped(sandbox.dataDir)).toBe(true);
});

test('Ctrl-C of `npm start` lets the request in progress finish, and the service exits in time', async () => {
  const first = await start({ DATA_DIR: sandbox.dataDir });
  await first.stop();
  const token = first.token as string;
  // A terminal sends the interrupt to the whole group, and npm sends it to its child once more.
  await expectToStop({ dataDir: sandbox.dataDir, token }, { signal: 'SIGINT', group: true });
});

test('a first start whose port is in use names it, shows the admin token and leaves nothing running; the next start shows none', async () => {
  // As an ordinary user, who stores the data in a home that only they can enter.
  const user = isRoot ? NOBODY : {};
  if (isRoot) await sandbox.moveToPrivateHome(NOBODY);
  const other = createServer().listen(0, '127.0.0.1');
  const { port } = await vi.waitUntil(() => other.address() as { port: number } | null);
  const first = launch({ DATA_DIR: sandbox.dataDir, PORT: String(port) }, user);
  expect(await first.exit).toBe(1);
  other.close();
  expect(first.stderr).toContain(`port ${port} of 127.0.0.1 is in use`);
  expect(first.stderr).not.toContain('    at ');
  expect(first.stderr).toContain('Admin token');
  expect(await isStopped(sandbox.dataDir)).toBe(true);

  const second = await start({ DATA_DIR: sandbox.dataDir }, user);
  expect(second.token).toBeUndefined();
  expect(await call(second, tokenIn(first), '/user')).toMatchObject({ status: 200 });
  expect(await second.stop()).toMatchObject({ code: 0 });
  expect(await isStopped(sandbox.dataDir)).toBe(true);
});

test('a crash of the database causes 503 only until it is restarted', async () => {
  const service = await start({ DATA_DIR: sandbox.dataDir });
  const { token } = service;
  const blocker = await holdUp(sandbox.dataDir);
  const interrupted = call(service, token, '/orgs');
  const sessions = await requestHeldUp(sandbox.dataDir);
  // Including its sessions: one that is left might still respond.
  for (const pid of [await serverPid(sandbox.dataDir), ...sessions]) process.kill(pid, 'SIGKILL');
  await blocker.end().catch(() => undefined);
  const unavailable = { code: 503, message: 'The database is not available right now.' };
  expect(await interrupted).toEqual({ status: 503, body: { error: unavailable } });
  const answers = await vi.waitUntil(
    async () => {
      const answer = await call(service, token, '/orgs');
      if (answer.status !== 200) expect(answer).toEqual({ status: 503, body: { error: unavailable } });
      return answer.status === 200 && answer;
    },
    { timeout: PATIENCE, interval: 5 },
  );
  expect(answers.body.items).toHaveLength(1);
  expect(await service.stop()).toMatchObject({ code: 0 });
  expect(await isStopped(sandbox.dataDir)).toBe(true);
});

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

test('a service told to stop aborts requests that never end and large edits, and exits in time with its workers', async () => {
  const service = await start({ DATA_DIR: sandbox.dataDir });
  const token = service.token as string;
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
