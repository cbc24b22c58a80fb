import { hash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { parse } from 'pg-connection-string';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Connection } from '../../schema/orm.config.ts';
import { backUp } from '../../server/backup/backup.ts';
import { restore } from '../../server/backup/restore.ts';
import { readConfig } from '../../server/config.ts';
import { openConfiguredDatabase } from '../../server/runtime.ts';
import { openFolderStorage } from '../../server/storage/folder-storage.ts';
import { openInstallation, restoreInstallation } from '../../server/tool/index.ts';
import { buildWorld } from '../contract/world.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { makeFolder } from '../helpers/folders.ts';
import { silentLogger } from '../helpers/logger.ts';
import { startTestS3 } from '../helpers/s3.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { cli } from './cli-harness.ts';

vi.setConfig({ testTimeout: 20_000, hookTimeout: 120_000 });

let service: TestService;
let source: Record<'DATABASE_URL' | 'DATA_DIR', string>;
let target: typeof source;
let targetDatabase: TestDatabase;
let folder: string;
let file: string;
let written: string;
beforeAll(async () => {
  folder = await makeFolder('backup');
  file = join(folder, 'backup.tar.gz');
  const dataDir = await makeFolder('backup-source');
  service = await startTestService({ DATA_DIR: dataDir });
  await buildWorld(service);
  const { database, services, jobs } = service.runtime;
  // Parts of every length, and texts that COPY must escape.
  await database.transaction(async (em) => {
    const sql = 'insert into setting (key, value) values (?, ?), (?, ?)';
    await em.getConnection().execute(sql, ['long', 'x'.repeat(3_000_000), 'odd', 'a\tb\\N\n\r\\.\n\u2028"']);
  });
  for (const text of ['one', 'two']) await services.storage.put(hashOf(text), Buffer.from(text));
  await jobs.enqueue(database.db, 'send-mail', {
    data: { kind: 'invite', invite: 'waiting' },
    group: 'acme',
  });
  source = { DATABASE_URL: service.databaseUrl, DATA_DIR: dataDir };
  targetDatabase = await createTestDatabase();
  await empty(targetDatabase.url);
  target = { DATABASE_URL: targetDatabase.url, DATA_DIR: await makeFolder('backup-target') };
  use(source);
  const backup = await cli('backup', file);
  expect(backup).toMatchObject({ code: 0 });
  written = backup.stdout;
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  await service.close();
  await targetDatabase.drop();
});

const hashOf = (text: string) => hash('sha256', text);

const use = (environment: Record<string, string>) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
};

async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const TABLES = `
  select quote_ident(relname) as name from pg_class
  where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname <> 'migration'`;

/** Removes everything that the first start creates. */
async function empty(url: string): Promise<void> {
  const tables = await query<{ name: string }>(url, TABLES);
  await query(url, `truncate ${tables.map(({ name }) => name).join()}`);
}

/** Every row of every table, and their constraints. */
async function contentsOf(url: string): Promise<Record<string, string[]>> {
  const tables = await query<{ name: string }>(url, TABLES);
  const rows = await query<{ name: string; row: string }>(
    url,
    tables.map(({ name }) => `select '${name}' as name, t::text as row from ${name} t`).join(' union all '),
  );
  const keys = await query<{ row: string }>(
    url,
    `select conrelid::regclass || conname || convalidated || pg_get_constraintdef(oid) as row
     from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`,
  );
  const jobs = await query<{ row: string }>(
    url,
    `select concat_ws(' ', name, data, priority, group_id) as row from pgboss.job where state = 'created'`,
  );
  const contents: Record<string, string[]> = { keys: [], jobs: [] };
  for (const { name, row } of rows) {
    contents[name] ??= [];
    contents[name].push(row);
  }
  contents.keys = keys.map(({ row }) => row);
  contents.jobs = jobs.map(({ row }) => row);
  for (const texts of Object.values(contents)) texts.sort();
  return contents;
}

const filesIn = async ({ DATA_DIR }: typeof source): Promise<string[]> => {
  const found = await readdir(join(DATA_DIR, 'files'), { recursive: true }).catch(() => []);
  return found.filter((name) => /[0-9a-f]{64}$/.test(name)).sort();
};

/** The archive with one text in it replaced by another of the same length. */
const altered = (archive: Buffer, from: string, to: string): Buffer => {
  const bytes = gunzipSync(archive);
  const at = bytes.lastIndexOf(from);
  expect(at).toBeGreaterThan(0);
  bytes.write(to, at);
  return gzipSync(bytes);
};

/** The archive with a manifest that is too long. */
function withLongManifest(archive: Buffer): Buffer {
  const header = gunzipSync(archive).subarray(0, 512);
  const size = 17 * 1024 * 1024;
  header.write(size.toString(8).padStart(11, '0'), 124);
  header.write(' '.repeat(8), 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return gzipSync(Buffer.concat([header, Buffer.alloc(size, ' '), Buffer.alloc(1024)]));
}

test('only its owner may read a backup, and an existing file is not replaced', async () => {
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  use(source);
  const before = await readFile(file);
  expect(await cli('backup', file)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('already exists'),
  });
  expect(await readFile(file)).toEqual(before);
  expect(await readdir(folder)).toEqual(['backup.tar.gz']);
});

test('a backup is not written to a file named -', async () => {
  use(source);
  expect(await cli('backup', '-')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('A backup is not written to standard output: name a new file.'),
  });
});

test.for([
  ['half of it', (archive: Buffer) => archive.subarray(0, archive.length / 2), 'not a complete backup'],
  ['all but its last byte', (archive: Buffer) => archive.subarray(0, -1), 'not a complete backup'],
  ['nothing', () => Buffer.alloc(0), 'not a complete backup'],
  ['another file', () => Buffer.from('text'), 'not a complete backup'],
  [
    'an archive without its end',
    (archive: Buffer) => {
      const bytes = gunzipSync(archive);
      return gzipSync(bytes.subarray(0, bytes.lastIndexOf('checksums.json')));
    },
    'not a complete backup',
  ],
  ['an altered row', (archive: Buffer) => altered(archive, 'xxxx', 'xxyx'), 'rows of "setting"'],
  ['an altered stored file', (archive: Buffer) => altered(archive, 'two\0', 'owt\0'), 'was altered'],
  [
    'a missing row',
    (archive: Buffer) => altered(archive, '"rows": ', '"rows":1'),
    'are not those that were written',
  ],
  [
    'a manifest that is not JSON',
    (archive: Buffer) => altered(archive, '"migrations": [', '"migrations": ]'),
    'its manifest.json is damaged',
  ],
  [
    'a manifest with a damaged name',
    (archive: Buffer) => altered(archive, '"migrations": [', '"migratioNs": ['),
    'its manifest.json is damaged',
  ],
  [
    'of a newer version',
    (archive: Buffer) => altered(archive, '"formatVersion": 1', '"formatVersion": 2'),
    'it was written by a newer version of Colophon',
  ],
  [
    'of another product',
    (archive: Buffer) => altered(archive, '"colophon-backup"', '"anothers-backup"'),
    'it was not written by Colophon',
  ],
  ['a manifest that is too long', withLongManifest, 'is longer than it can be'],
  [
    'another schema',
    (archive: Buffer) => altered(archive, '"Migration20261121140716"', '"Migration20261121140717"'),
    'restore it with the version that wrote it',
  ],
] as const)('a backup that is %s is rejected, and nothing of it is left', async ([, change, message]) => {
  const path = join(folder, 'changed.tar.gz');
  await writeFile(path, change(await readFile(file)));
  const restoring = restore(path, {
    connection: parse(target.DATABASE_URL) as unknown as Connection,
    storage: openFolderStorage(target.DATA_DIR),
    jobs: service.runtime.jobs,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  await expect(restoring).rejects.toThrow(message);
  const { keys, jobs, ...rows } = await contentsOf(target.DATABASE_URL);
  expect({ rows, jobs }).toEqual({ rows: {}, jobs: [] });
  expect(keys).toEqual((await contentsOf(source.DATABASE_URL)).keys);
  expect(await filesIn(target)).toEqual([]);
});

test('a restore that fails leaves no folders, and a path that cannot be used is named', async () => {
  const [empty, dataDir] = await Promise.all([
    createTestDatabase({ empty: true }),
    makeFolder('backup-refused'),
  ]);
  const environment = { DATABASE_URL: empty.url, DATA_DIR: dataDir };
  const path = join(folder, 'refused.tar.gz');
  await writeFile(path, altered(await readFile(file), 'two\0', 'owt\0'));
  const options = { environment, logger: silentLogger };
  await expect(restoreInstallation(path, options)).rejects.toThrow('was altered');
  expect(await readdir(dataDir)).toEqual([]);
  await expect(restoreInstallation(folder, options)).rejects.toThrow(`${folder} is not a file`);
  await empty.drop();
  const missing = join(folder, 'missing');
  const backingUp = backUp(join(missing, 'backup.tar.gz'), {
    connection: parse(source.DATABASE_URL) as unknown as Connection,
    storage: openFolderStorage(source.DATA_DIR),
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  await expect(backingUp).rejects.toThrow(`There is no folder ${missing}.`);
});

test('a backup of an earlier version is restored into a new database, and migrated', async () => {
  const [earlier, fresh] = await Promise.all([1, 2].map(() => createTestDatabase({ empty: true })));
  const migrations = await query<{ name: string }>(
    source.DATABASE_URL,
    'select name from migration order by id',
  );
  const connection = parse(earlier?.url ?? '') as unknown as Connection;
  const config = readConfig({ DATABASE_URL: earlier?.url });
  const migrateTo = migrations.at(-3)?.name;
  await (
    await openConfiguredDatabase(config, connection, { role: 'tool', logger: silentLogger, migrateTo })
  ).close();
  await query(earlier?.url ?? '', `insert into setting (key, value) values ('of', 'then')`);
  const path = join(folder, 'earlier.tar.gz');
  await backUp(path, {
    connection,
    storage: openFolderStorage(await makeFolder('backup-earlier')),
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  use({ DATABASE_URL: fresh?.url ?? '', DATA_DIR: await makeFolder('backup-fresh') });
  expect(await cli('restore', path)).toMatchObject({ code: 0 });
  const rows = await query(fresh?.url ?? '', 'select key, value from setting');
  expect(rows).toEqual([{ key: 'of', value: 'then' }]);
  expect(await query(fresh?.url ?? '', 'select name from migration order by id')).toEqual(migrations);

  await query(fresh?.url ?? '', 'truncate setting');
  const { code, stderr } = await cli('restore', path);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('into a new database') });
  await Promise.all([earlier?.drop(), fresh?.drop()]);
});

test('a backup that lacks files of the content is written, and reports that', async () => {
  use({ ...source, DATA_DIR: await makeFolder('backup-elsewhere') });
  const { code, stdout, stderr } = await cli('backup', join(folder, 'without-files.tar.gz'));
  expect({ code, stdout }).toEqual({ code: 3, stdout: expect.stringContaining(' 0 files, ') });
  expect(stderr).toMatch(/^The backup is missing [1-9]\d* files? that content or OpenAPI specs refer to/m);
});

test('files are kept if the connection is lost during the commit of a restore', async () => {
  const database = await createTestDatabase();
  await empty(database.url);
  const dataDir = await makeFolder('backup-lost');
  const query = pg.Client.prototype.query as (this: pg.Client, ...given: unknown[]) => Promise<unknown>;
  const lost = function (this: pg.Client, ...given: unknown[]) {
    const result = query.apply(this, given);
    if (given[0] !== 'commit') return result;
    return result.then(() => Promise.reject(new Error('the connection was lost')));
  };
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(lost as never);
  const restoring = restore(file, {
    connection: parse(database.url) as unknown as Connection,
    storage: openFolderStorage(dataDir),
    jobs: service.runtime.jobs,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  await expect(restoring)
    .rejects.toThrow('the connection was lost')
    .finally(() => spy.mockRestore());
  expect(await filesIn({ ...target, DATA_DIR: dataDir })).toEqual(await filesIn(source));
  await database.drop();
});

test('every row, file and waiting job is restored, but only into an empty installation', async () => {
  use(target);
  const { code, stdout } = await cli('restore', file);
  expect({ code, stdout }).toEqual({ code: 0, stdout: written });
  expect(stdout).toMatch(/^\d+ tables with \d+ rows, [2-9]\d* files, [1-9]\d* jobs?\n$/);
  const contents = await contentsOf(target.DATABASE_URL);
  expect(contents).toEqual(await contentsOf(source.DATABASE_URL));
  expect(contents.jobs?.join()).toContain('waiting');
  expect(await filesIn(target)).toEqual(await filesIn(source));
  for (const name of await filesIn(target))
    expect(await readFile(join(target.DATA_DIR, 'files', name))).toEqual(
      await readFile(join(source.DATA_DIR, 'files', name)),
    );
  await using tool = await openInstallation({ environment: target, logger: silentLogger });
  expect(tool.created).toBeUndefined();
  expect((await tool.operator.organizations.list({})).items.length).toBeGreaterThan(0);
  expect(await cli('restore', file)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^(bytes .*\n)*This installation is not empty/),
  });
  expect(await contentsOf(target.DATABASE_URL)).toEqual(contents);
});

test('an installation whose files are in a bucket is restored and backed up alike', async () => {
  const s3 = await startTestS3();
  const database = await createTestDatabase();
  await empty(database.url);
  const dataDir = await makeFolder('backup-bucket');
  use({ DATA_DIR: dataDir, DATABASE_URL: database.url, ...s3.environment('docs') });
  expect(await cli('restore', file)).toMatchObject({ code: 0, stdout: written });
  const again = join(folder, 'from-bucket.tar.gz');
  expect(await cli('backup', again)).toMatchObject({ code: 0, stdout: written });
  const filesOf = (archive: Buffer) =>
    gunzipSync(archive)
      .toString('latin1')
      .match(/files\/[0-9a-f]{64}/g)
      ?.sort();
  expect(filesOf(await readFile(again))).toEqual(filesOf(await readFile(file)));
  await database.drop();
  await s3.close();
});

test('an organization is deleted with everything in it except users and audit logs', async () => {
  use(target);
  const before = await contentsOf(target.DATABASE_URL);
  const { stdout } = await cli('org', 'list', '--json');
  const organizations = JSON.parse(stdout) as { id: string; title: string }[];
  const [{ id } = { id: '' }] = organizations;
  expect(await cli('org', 'delete', id)).toMatchObject({
    code: 2,
    stderr: '--confirm is required: the title of the organization\n',
  });
  expect(await cli('org', 'delete', id, '--confirm', 'x')).toMatchObject({ code: 2, stdout: '' });
  expect(JSON.parse((await cli('org', 'list', '--json')).stdout)).toEqual(organizations);
  for (const { id, title } of organizations)
    expect(await cli('org', 'delete', id, '--confirm', title)).toMatchObject({ code: 0, stdout: '' });
  const { audit_event = [], ...after } = await contentsOf(target.DATABASE_URL);
  expect(audit_event.join().split('organization.deleted')).toHaveLength(organizations.length + 1);
  expect(audit_event).toEqual(expect.arrayContaining(before.audit_event ?? []));
  expect(after['"user"']).toEqual(before['"user"']);
  const ofUsers = [
    '"user"',
    'api_token',
    'one_time_token',
    'passkey',
    'password',
    'session',
    'user_identity',
  ];
  // Objects that are no longer reachable are collected later.
  const ofContent = ['api_outline', 'content_object', 'document_link'];
  expect(Object.keys(after).sort()).toEqual(['keys', 'jobs', ...ofUsers, ...ofContent, 'setting'].sort());
});
