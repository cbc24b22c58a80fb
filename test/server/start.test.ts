import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readConfig } from '../../server/config.ts';
import { messageOf } from '../../server/failures.ts';
import { openRuntime } from '../../server/runtime.ts';
import { inCheckout } from '../helpers/checkout.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { silentLogger } from '../helpers/logger.ts';
import { makeSandbox, type Sandbox } from './embedded-postgres-harness.ts';
import { call, killAll, launch, type Program, runProduct, type Service, start } from './process-harness.ts';

const { version } = packageJson;

/** The packages that only development needs, according to the lock file. */
async function developmentPackages(): Promise<string[]> {
  const lock = JSON.parse(await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8'));
  return Object.entries<{ dev?: boolean }>(lock.packages).flatMap(([path, { dev }]) =>
    dev ? `${pathToFileURL(inCheckout(path))}/` : [],
  );
}

/** A module that makes a process fail if it loads one of these packages. */
const withoutPackages = (folders: string[]) => `
import { registerHooks } from 'node:module';
const folders = ${JSON.stringify(folders)};
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (folders.some((folder) => resolved.url.startsWith(folder))) throw new Error(specifier + ' is only for developing');
    return resolved;
  },
});
`;

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await makeSandbox();
});
afterEach(() => sandbox.clear());
afterAll(killAll);

/** The messages of the log, each of which is a line of JSON. */
const messagesOf = ({ stdout }: Program): { msg: string; version?: string }[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('a data directory in use', () => {
  let service: Service;
  let home: Sandbox;
  beforeAll(async () => {
    home = await makeSandbox();
    // Without the packages that only development needs, as after `npm ci --omit=dev`.
    service = await start({
      DATA_DIR: home.dataDir,
      HOST: '0.0.0.0',
      PUBLIC_URI: 'https://docs.example.com',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(withoutPackages(await developmentPackages()))}`,
    });
  });
  afterAll(async () => {
    await service.stop();
    await home.clear();
  });

  test('the first start shows an admin token once, which works, and a log collector gets nothing else', async () => {
    const { status, body } = await call(service, service.token, '/orgs');
    expect(status).toBe(200);
    expect(body.items).toEqual([
      expect.objectContaining({ permissions: expect.objectContaining({ admin: true }) }),
    ]);
    expect(service.stderr.split(service.token as string)).toHaveLength(2);
    const messages = messagesOf(service);
    expect(messages[0]).toMatchObject({ msg: 'starting', version });
    expect(messages.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['creating the PostgreSQL database', 'updating the database schema', 'ready']),
    );
    expect(service.stdout).not.toContain(service.token);
  });

  test('a second service on a data directory in use fails with a clear error', async () => {
    const second = launch({ DATA_DIR: home.dataDir });
    expect(await second.exit).toBe(1);
    expect(second.stderr).toContain(`Another Colophon service (pid ${service.process.pid}) already uses`);
    expect(await call(service, service.token, '/user')).toMatchObject({ status: 200 });
  });

  test('a service serves everything without development packages', async () => {
    const { body } = await call(service, service.token, '/orgs');
    const made = await call(service, service.token, `/orgs/${body.items[0].id}/spaces`, {
      title: 'Handbook',
    });
    const markdown = `# Title\n\n${'* item\n'.repeat(30_000)}`;
    const changes = [{ operation: 'insert_page', title: 'Large', document: { markdown } }];
    expect(await call(service, service.token, `/spaces/${made.body.id}/content`, { changes })).toMatchObject({
      status: 200,
    });
    for (const path of ['/openapi.json', '/reference', '/reference/scalar.js', '/metrics', '/auth/sign-in'])
      expect({ path, status: (await fetch(`${service.url}${path}`)).status }).toEqual({ path, status: 200 });
    const health = await fetch(`${service.url}/healthz`);
    expect(await health.json()).toEqual({ status: 'ok', version });
  });

  test('a start warns that HOST without PUBLIC_URL results in URLs that others cannot use', () => {
    expect(service.stdout).toContain('set PUBLIC_URL');
  });

  test('a start warns of a variable that looks like a misspelt setting', () => {
    expect(service.stdout).toContain('PUBLIC_URI is not a setting, and is ignored: it looks like PUBLIC_URL');
  });
});

test('BOOTSTRAP_TOKEN becomes the admin token of an empty database, and is not shown', async () => {
  const database = await createTestDatabase({ empty: true });
  const token = 'chosen-by-the-operator-0123456789abcdef';
  const service = await start({
    DATA_DIR: sandbox.dataDir,
    DATABASE_URL: database.url,
    BOOTSTRAP_TOKEN: token,
  });
  expect(await call(service, token, '/user')).toMatchObject({ status: 200 });
  expect(service.stdout + service.stderr).not.toContain(token);
  expect(service.stderr).not.toContain('Admin token');
  await service.stop();
  await database.drop();
});

describe('a failing start', () => {
  test('a failing start names each invalid variable and exits with code 2', async () => {
    const program = launch({ DATA_DIR: sandbox.dataDir, PORT: 'http', DATABASE_URL: 'mysql://x/y' });
    expect(await program.exit).toBe(2);
    expect(program.stderr).toMatch(/PORT: .+\n\s+DATABASE_URL: /);
    expect(program.stderr).not.toContain('    at ');
  });

  test('a failing start describes an unreachable database in one line', async () => {
    const program = launch({ DATA_DIR: sandbox.dataDir, DATABASE_URL: 'postgres://localhost:1/colophon' });
    expect(await program.exit).toBe(1);
    expect(program.stderr).toMatch(
      /^Colophon could not start: the database of DATABASE_URL .+ECONNREFUSED.+\n$/,
    );
  });
});

describe('an unsuitable database', () => {
  /** The error of a start, which is written on a line, as in the test above. */
  const refusal = async (database: TestDatabase) => {
    const config = readConfig({ DATA_DIR: sandbox.dataDir, DATABASE_URL: database.url });
    const opening = openRuntime(config, { role: 'service', logger: silentLogger });
    const message = await opening.then(() => '', messageOf);
    await database.drop();
    expect(message.split('\n')).toHaveLength(1);
    return message;
  };

  test('an unsuitable database with another encoding is rejected, with the statement that creates a suitable one', async () => {
    const database = await createTestDatabase({ empty: true, encoding: 'SQL_ASCII' });
    expect(await refusal(database)).toMatch(
      /its encoding is SQL_ASCII, .+ encoding 'UTF8' template template0/,
    );
  });

  test('an unsuitable database that a newer version has changed is rejected, and left as it is', async () => {
    const database = await createTestDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`insert into migration (name, executed_at) values ('Migration29990101000000', now())`);
    await client.query('delete from migration where name = (select min(name) from migration)');
    await client.end();
    expect(await refusal(database)).toContain(
      `a newer version of Colophon has changed its schema (Migration29990101000000), and this one, ${version}, cannot`,
    );
  });
});

test('the version is printed, and unknown arguments are rejected', async () => {
  const [told, unknown] = [['--version'], ['serve']].map((args) =>
    runProduct(['server/main.ts', ...args], {}),
  ) as [Program, Program];
  expect(await told.exit).toBe(0);
  expect(told.stdout).toBe(`${version}\n`);
  expect(await unknown.exit).toBe(2);
  expect(unknown.stderr).toContain('Unknown argument "serve".');
});
