import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { AlreadyRunningError } from '../../server/embedded-postgres/errors.ts';
import {
  copyDirectory,
  isStopped,
  makeSandbox,
  makeTemplate,
  pidFile,
  query,
  type Sandbox,
  serverPid,
} from './embedded-postgres-harness.ts';

// Real servers, on machines that do other work at the same time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let template: Sandbox;
let sandbox: Sandbox;
beforeAll(async () => {
  template = await makeTemplate();
});
afterAll(() => template.clear());
beforeEach(async () => {
  sandbox = await makeSandbox(template);
});
afterEach(() => sandbox.clear());

describe('after a crash', () => {
  test('a server whose service was killed is adopted, with all committed data', async () => {
    const killed = await sandbox.participate();
    await query(killed.connection, 'INSERT INTO t VALUES (8)');
    const pid = await serverPid(sandbox.dataDir);
    await killed.kill();

    const next = await sandbox.open();
    expect(await serverPid(sandbox.dataDir)).toBe(pid);
    expect(await query(next.connection, 'SELECT sum(v)::int FROM t')).toBe(15);
    await next.close();
    expect(await isStopped(sandbox.dataDir)).toBe(true);
  });

  test('a killed service and server come back with all committed data', async () => {
    const killed = await sandbox.participate({ durable: true });
    await query(killed.connection, 'INSERT INTO t VALUES (8)');
    process.kill(await serverPid(sandbox.dataDir), 'SIGKILL');
    await killed.kill();
    const next = await sandbox.open({ durable: true });
    expect(await query(next.connection, 'SELECT sum(v)::int FROM t')).toBe(15);
  });

  test('a killed server is restarted by its service, at the same address', async () => {
    const onAvailability = vi.fn();
    const database = await sandbox.open({ onAvailability });
    process.kill(await serverPid(sandbox.dataDir), 'SIGKILL');
    await vi.waitFor(() => expect(onAvailability).toHaveBeenLastCalledWith(true), 10_000);
    expect(onAvailability.mock.calls).toEqual([[false], [true]]);
    expect(database.available).toBe(true);
    expect(await query(database.connection, 'SELECT 1')).toBe(1);
    await expect(sandbox.open()).rejects.toThrow(AlreadyRunningError);
  });

  test('the server survives when the session of another client is killed', async () => {
    const onAvailability = vi.fn();
    const database = await sandbox.open({ onAvailability });
    const victim = new pg.Client(database.connection);
    victim.on('error', () => undefined);
    await victim.connect();
    const { rows } = await victim.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
    await vi.waitFor(() => expect(onAvailability).toHaveBeenLastCalledWith(true), 10_000);
    expect(await query(database.connection, 'SELECT 1')).toBe(1);
  });

  test.runIf(process.platform === 'linux')(
    'a busy session of the old server does not prevent a new one',
    async () => {
      const killed = await sandbox.participate();
      const busy = query(killed.connection, 'SELECT count(*) FROM generate_series(1, 1e12)').catch(
        () => undefined,
      );
      await vi.waitFor(async () => {
        const active =
          "SELECT count(*)::int FROM pg_stat_activity WHERE query LIKE '%1e12%' AND state = 'active'";
        expect(await query(killed.connection, active)).toBe(2);
      });
      await killed.kill();
      process.kill(await serverPid(sandbox.dataDir), 'SIGKILL');
      const next = await sandbox.open();
      expect(await query(next.connection, 'SELECT 1')).toBe(1);
      await busy;
    },
  );

  test.each([
    ['names a running process', (content: string) => content.replace(/^\d+/, String(process.ppid))],
    ['names no process', (content: string) => content.replace(/^\d+/, '4194303')],
    ['is empty', () => ''],
  ])('a lock file of the server that %s does not prevent a start', async (_, change) => {
    const cluster = path.join(sandbox.dataDir, 'postgres');
    const content = `1\n${cluster}\n1700000000\n5432\n${cluster}\n\n  123456    987654\nready   \n`;
    await writeFile(pidFile(sandbox.dataDir), change(content));
    await writeFile(path.join(cluster, '.s.PGSQL.5432.lock'), change(content));
    expect(await query((await sandbox.open()).connection, 'SELECT 1')).toBe(1);
  });

  test('a first start killed at any moment is completed by the next', async () => {
    for (const delay of [120, 300, 700]) {
      const directory = path.join(sandbox.base, `data-${delay}`);
      const child = sandbox.launch({ dataDir: directory });
      await sleep(delay);
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      const database = await sandbox.open({ dataDir: directory });
      expect(await query(database.connection, 'SELECT 1')).toBe(1);
      expect((await readdir(directory)).sort()).toEqual(['postgres', 'postgres.log', 'postgres.password']);
      await database.close();
    }
  });

  test('a start removes the drafts of killed processes, and no others', async () => {
    const dead = spawnSync('true').pid;
    const draft = (pid: number) => `postgres.lock.${pid}-0123456789ab`;
    await mkdir(sandbox.dataDir, { recursive: true });
    for (const pid of [dead, process.ppid]) await writeFile(path.join(sandbox.dataDir, draft(pid)), '');
    await sandbox.open();
    const names = await readdir(sandbox.dataDir);
    expect(names).not.toContain(draft(dead));
    expect(names).toContain(draft(process.ppid));
  });

  test('the lock of a killed process is ignored even if its pid is in use again', async () => {
    await writeFile(path.join(sandbox.dataDir, 'postgres.lock'), `${process.ppid} 1 1\n`);
    expect(await query((await sandbox.open()).connection, 'SELECT 1')).toBe(1);
  });

  test('a copy of a crashed data directory gets its own server', async () => {
    const original = await sandbox.participate();
    await query(original.connection, 'CHECKPOINT');
    const copy = path.join(sandbox.base, 'copy');
    await copyDirectory(sandbox.dataDir, copy);
    const database = await sandbox.open({ dataDir: copy });
    expect(await serverPid(copy)).not.toBe(await serverPid(sandbox.dataDir));
    expect(database.connection.host).not.toBe(original.connection.host);
  });
});

test('an interrupt from the terminal does not reach the server', async () => {
  const service = await sandbox.participate({}, { detached: true });
  process.kill(-(service.process.pid ?? 0), 'SIGINT');
  await sleep(200);
  expect(await query(service.connection, 'SELECT 1')).toBe(1);
});
