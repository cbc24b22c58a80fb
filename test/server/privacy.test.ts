import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, realpath, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFolderStorage } from '../../server/storage/folder-storage.ts';
import { reachableNode } from '../helpers/checkout.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { isRoot, makeSandbox, NOBODY, type Sandbox } from './embedded-postgres-harness.ts';
import {
  call,
  type Environment,
  killAll,
  type Service,
  type SpawnOptions,
  start,
} from './process-harness.ts';

/** Another user of the machine, without processes or files. */
const STRANGER = { uid: 54_321, gid: 54_321 };

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await makeSandbox();
});
afterEach(async () => {
  killAll();
  await sandbox.clear();
});

/** Prints which of the paths in its input the process can list or read. A program per path would take minutes. */
const PRINT_OPEN = `
import { accessSync, constants, readFileSync } from 'node:fs';
for (const path of readFileSync(0, 'utf8').trim().split('\\n'))
  try {
    accessSync(path, constants.R_OK);
    console.log(path);
  } catch (error) {
    if (error.code !== 'EACCES' && error.code !== 'ENOENT') throw error;
  }
`;

/** Which of these paths another user can list or read. */
async function openToStrangers(paths: string[]): Promise<string[]> {
  const child = spawn(reachableNode(), ['--input-type=module', '-e', PRINT_OPEN], {
    ...STRANGER,
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(`${paths.join('\n')}\n`);
  const [found, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect(code).toBe(0);
  return found.split('\n').filter(Boolean);
}

/** All paths in the data directory and in that of the database, wherever it is. */
async function everythingIn(dataDir: string): Promise<string[]> {
  const roots = [dataDir, await realpath(join(dataDir, 'postgres')).catch(() => dataDir)];
  const listed = await Promise.all(
    roots.map(async (root) => (await readdir(root, { recursive: true })).map((name) => join(root, name))),
  );
  return [...new Set([...roots, ...listed.flat()])];
}

async function upload(service: Service): Promise<void> {
  const { token } = service;
  const [organization] = (await call(service, token, '/orgs')).body.items;
  const space = await call(service, token, `/orgs/${organization.id}/spaces`, { title: 'Space' });
  const address = await call(service, token, `/spaces/${space.body.id}/uploads`, {});
  const { status } = await fetch(address.body.url, { method: 'PUT', body: 'of nobody else' });
  expect(status).toBe(201);
}

/** Starts the service on the data directory of this test, and stores a file, which other users must not see. */
async function startClosed(environment: Environment = {}, options?: SpawnOptions): Promise<Service> {
  const { dataDir } = sandbox;
  const service = await start({ DATA_DIR: dataDir, ...environment }, options);
  await upload(service);
  const paths = await everythingIn(dataDir);
  expect(paths.length).toBeGreaterThan(5);
  expect(await openToStrangers(paths)).toEqual([]);
  return service;
}

test('stored files and their folders are private even in an open data directory', async () => {
  const dataDir = join(sandbox.dataDir, 'open');
  await mkdir(dataDir, { recursive: true, mode: 0o755 });
  const sha256 = 'ab'.repeat(32);
  await openFolderStorage(dataDir).put(sha256, Buffer.from('private'));
  const folder = join(dataDir, 'files/ab/ab');
  expect(await modeOf(join(folder, sha256))).toBe(0o600);
  expect(await modeOf(folder)).toBe(0o700);
  expect(await modeOf(join(dataDir, 'files'))).toBe(0o700);
});

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

// Only root can run as another user, and list everything.
if (!isRoot) console.warn('NOT TESTED: what other users of the machine can read, because only root can try');

describe.runIf(isRoot)(
  'another user of the machine can neither list the data directory nor read its files',
  () => {
    test('started by root, also after an earlier version left it open', async () => {
      const { dataDir } = sandbox;
      const service = await startClosed();
      expect(await modeOf(dataDir)).toBe(0o711);
      expect((await service.stop()).code).toBe(0);

      await chmod(dataDir, 0o755);
      await chmod(join(dataDir, 'files'), 0o755);
      const again = await start({ DATA_DIR: dataDir });
      expect(await openToStrangers(await everythingIn(dataDir))).toEqual([]);
      await again.stop();
    });

    test('started by an ordinary user', async () => {
      await mkdir(sandbox.dataDir);
      await chown(sandbox.dataDir, NOBODY.uid, NOBODY.gid);
      const service = await startClosed({}, NOBODY);
      expect(await modeOf(sandbox.dataDir)).toBe(0o700);
      await service.stop();
    });
  },
);

describe.runIf(isRoot)('with an external database', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase({ empty: true });
  });
  afterEach(() => database.drop());

  test('a new data directory is private, and a private one stays so', async () => {
    await (await startClosed({ DATABASE_URL: database.url })).stop();
    expect(await modeOf(sandbox.dataDir)).toBe(0o700);
    const again = await start({ DATA_DIR: sandbox.dataDir, DATABASE_URL: database.url });
    expect(await modeOf(sandbox.dataDir)).toBe(0o700);
    await again.stop();
  });

  test("a directory with other content keeps its mode, with a warning; the service's own files in it are private", async () => {
    const { dataDir } = sandbox;
    await mkdir(dataDir);
    await chmod(dataDir, 0o755);
    await writeFile(join(dataDir, 'notes.txt'), 'of somebody', { mode: 0o644 });
    const service = await start({ DATA_DIR: dataDir, DATABASE_URL: database.url });
    await upload(service);
    expect(await modeOf(dataDir)).toBe(0o755);
    expect(service.stdout).toContain('it also contains notes.txt');
    const open = await openToStrangers(await everythingIn(dataDir));
    expect(open.sort()).toEqual([dataDir, join(dataDir, 'notes.txt')].sort());
    await service.stop();
  });
});
