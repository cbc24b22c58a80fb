/** What interrupts a process, or takes what it needs, at the wrong time. */

import { createServer } from 'node:net';
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
  start,
  tokenIn,
  waitForOutput,
} from './process-harness.ts';

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
