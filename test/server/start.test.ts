import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { isRoot, isStopped, makeSandbox, NOBODY, type Sandbox } from './embedded-postgres-harness.ts';
import { call, endAll, launch, type Service, start } from './process-harness.ts';

// Real processes, on machines that do other work at the same time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await makeSandbox();
});
afterEach(() => sandbox.clear());
afterAll(endAll);

describe('a new data directory', () => {
  test('only the first start shows an admin token, which works', async () => {
    const first = await start({ DATA_DIR: sandbox.dataDir });
    const { status, body } = await call(first, first.token, '/orgs');
    expect(status).toBe(200);
    expect(body.items).toEqual([
      expect.objectContaining({ permissions: expect.objectContaining({ admin: true }) }),
    ]);
    expect(first.stdout.split(first.token as string)).toHaveLength(2);
    expect(await first.stop()).toMatchObject({ code: 0 });

    const second = await start({ DATA_DIR: sandbox.dataDir });
    expect(second.token).toBeUndefined();
    expect(await call(second, first.token, '/user')).toMatchObject({ status: 200 });
    await second.stop();
  });

  test('BOOTSTRAP_TOKEN becomes the admin token, and is not shown', async () => {
    const token = 'chosen-by-the-operator-0123456789abcdef';
    const service = await start({ DATA_DIR: sandbox.dataDir, BOOTSTRAP_TOKEN: token });
    expect(await call(service, token, '/user')).toMatchObject({ status: 200 });
    expect(service.stdout + service.stderr).not.toContain(token);
    expect(service.stdout).not.toContain('Admin token');
    await service.stop();
  });

  test('a port in use is named, the token is still shown, and nothing is left running', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    const { port } = await vi.waitUntil(() => other.address() as { port: number } | null);
    const program = launch({ DATA_DIR: sandbox.dataDir, PORT: String(port) });
    expect(await program.exit).toBe(1);
    other.close();
    expect(program.stderr).toContain(`port ${port} of 127.0.0.1 is in use`);
    expect(program.stderr).not.toContain('    at ');
    expect(program.stdout).toContain('Admin token');
    expect(await isStopped(sandbox.dataDir)).toBe(true);
  });
});

describe('a data directory in use', () => {
  let service: Service;
  let home: Sandbox;
  beforeAll(async () => {
    home = await makeSandbox();
    service = await start({ DATA_DIR: home.dataDir });
  });
  afterAll(async () => {
    await service.stop();
    await home.clear();
  });

  test('refuses a second service with a clear error', async () => {
    const second = launch({ DATA_DIR: home.dataDir });
    expect(await second.exit).toBe(1);
    expect(second.stderr).toContain(`Another Colophon service (pid ${service.process.pid}) already uses`);
    expect(await call(service, service.token, '/user')).toMatchObject({ status: 200 });
  });
});

describe('a failing start', () => {
  test('names each invalid variable and exits with code 2', async () => {
    const program = launch({ DATA_DIR: sandbox.dataDir, PORT: 'http', DATABASE_URL: 'mysql://x/y' });
    expect(await program.exit).toBe(2);
    expect(program.stderr).toMatch(/PORT: .+\n\s+DATABASE_URL: /);
    expect(program.stderr).not.toContain('    at ');
  });

  test('describes an unreachable database in one line', async () => {
    const program = launch({ DATA_DIR: sandbox.dataDir, DATABASE_URL: 'postgres://localhost:1/colophon' });
    expect(await program.exit).toBe(1);
    expect(program.stderr).toMatch(
      /^Colophon could not start: the database of DATABASE_URL .+ECONNREFUSED.+\n$/,
    );
  });
});

describe.runIf(isRoot)('with private homes', () => {
  test('an ordinary user can serve a data directory in their home', async () => {
    await sandbox.moveToPrivateHome(NOBODY);
    const service = await start({ DATA_DIR: sandbox.dataDir }, NOBODY);
    expect(await call(service, service.token, '/user')).toMatchObject({ status: 200 });
    expect(await service.stop()).toMatchObject({ code: 0 });
    expect(await isStopped(sandbox.dataDir)).toBe(true);
  });
});
