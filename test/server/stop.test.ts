import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { isStopped, makeSandbox, type Sandbox } from './embedded-postgres-harness.ts';
import { holdUp, requestHeldUp } from './held-up-requests.ts';
import { call, killAll, launch, PATIENCE, type Service, start, waitForOutput } from './process-harness.ts';
import { expectToStop, STOP_LIMIT } from './stopping.ts';

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
    await expectToStop({ dataDir: sandbox.dataDir, token }, { signal: 'SIGTERM', group: false });
  });

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
