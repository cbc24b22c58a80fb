import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readConfig } from '../../server/config.ts';
import { messageOf } from '../../server/failures.ts';
import { openRuntime } from '../../server/runtime.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { silentLogger } from '../helpers/logger.ts';
import { makeSandbox, type Sandbox } from './embedded-postgres-harness.ts';
import { call, killAll, launch, type Program, runProduct, type Service, start } from './process-harness.ts';

const { version } = packageJson;

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

describe('a first start', () => {
  let service: Service;
  let home: Sandbox;
  beforeAll(async () => {
    home = await makeSandbox();
    service = await start({
      DATA_DIR: home.dataDir,
      HOST: '0.0.0.0',
      PUBLIC_URI: 'https://docs.example.com',
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

  test('a start warns that HOST without PUBLIC_URL results in URLs that others cannot use', () => {
    expect(service.stdout).toContain('set PUBLIC_URL');
  });

  test('a start warns of a variable that looks like a misspelt setting', () => {
    expect(service.stdout).toContain('PUBLIC_URI is not a setting, and is ignored: it looks like PUBLIC_URL');
  });
});

describe('a failing start', () => {
  test('a failing start names each invalid variable and exits with code 2', async () => {
    const program = launch({ DATA_DIR: sandbox.dataDir, PORT: 'http', DATABASE_URL: 'mysql://x/y' });
    expect(await program.exit).toBe(2);
    expect(program.stderr).toMatch(/PORT: .+\n\s+DATABASE_URL: /);
    expect(program.stderr).not.toContain('    at ');
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
