import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { untilBlocked } from '../helpers/blocked-sessions.ts';
import { isStopped, makeSandbox, type Sandbox, serverPid } from './embedded-postgres-harness.ts';
import {
  call,
  databaseOf,
  killAll,
  launch,
  PATIENCE,
  ready,
  run,
  type Service,
  start,
  waitForOutput,
} from './process-harness.ts';

/** Supervisors allow 10 seconds or more. The service exits with 1 after 9, if it has not finished before. */
const STOP_LIMIT = 10_000;

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

/** A statement that keeps every request for organizations waiting until the connection is ended. */
async function holdUp(): Promise<pg.Client> {
  const client = new pg.Client(await databaseOf(sandbox.dataDir));
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin');
  await client.query('lock table organization in access exclusive mode');
  return client;
}

/** Waits until a request is blocked; returns the process ids of the other database sessions at that time. */
async function requestHeldUp(): Promise<number[]> {
  const client = new pg.Client(await databaseOf(sandbox.dataDir));
  await client.connect();
  await untilBlocked((statement) => client.query(statement));
  const { rows } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where pid <> pg_backend_pid()',
  );
  await client.end();
  return rows.map(({ pid }) => pid);
}

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
  test.each([
    ['kill', 'SIGTERM', false],
    // A terminal sends the interrupt to the whole group, and npm sends it to its child once more.
    ['Ctrl-C', 'SIGINT', true],
  ] as const)(
    'a service told to stop by %s of `npm start` responds to the request in progress and exits in time, although clients keep their connections open',
    async (_, signal, group) => {
      const program = run('npm', ['start'], { DATA_DIR: sandbox.dataDir, PORT: '0' }, { detached: true });
      const service = await ready(program);
      // This connection is kept alive by the client, and idle from here on.
      await call(service, token, '/user');
      const blocker = await holdUp();
      const answer = call(service, token, '/orgs');
      await requestHeldUp();
      const begun = performance.now();
      const pid = program.process.pid as number;
      process.kill(group ? -pid : pid, signal);
      await refused(service.url);
      await blocker.end();
      expect((await answer).status).toBe(200);
      await program.exit;
      // npm may exit first.
      await vi.waitUntil(() => isStopped(sandbox.dataDir), { timeout: STOP_LIMIT });
      expect(performance.now() - begun).toBeLessThan(STOP_LIMIT);
      await expect(call(service, token, '/user')).rejects.toThrow();
    },
  );

  test('aborts requests that never end and large edits, and exits in time with its workers', async () => {
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
    await holdUp();
    const lost = call(service, token, '/orgs').catch((error: unknown) => error);
    await requestHeldUp();
    const { code, took } = await service.stop();
    expect(code).toBe(0);
    expect(took).toBeLessThan(STOP_LIMIT);
    expect(await lost).toBeInstanceOf(Error);
    await Promise.all(edits);
    for (const worker of workers) expect(existsSync(`/proc/${worker}`)).toBe(false);
    expect(await isStopped(sandbox.dataDir)).toBe(true);
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
});

test('a crash of the database causes 503 only until it is restarted', async () => {
  const service = await start({ DATA_DIR: sandbox.dataDir });
  const blocker = await holdUp();
  const interrupted = call(service, token, '/orgs');
  const sessions = await requestHeldUp();
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
