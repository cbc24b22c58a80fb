import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { makeFolder } from '../helpers/folders.ts';
import { petstore } from '../helpers/specs.ts';
import { cli } from './cli-harness.ts';
import { call, killAll, PATIENCE, runProduct, start } from './process-harness.ts';

let database: TestDatabase;
let folder: string;
let environment: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeFolder('specs');
  environment = {
    DATABASE_URL: database.url,
    DATA_DIR: join(folder, 'data'),
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  await cli('org', 'create', '--title', 'Acme', '--owner', 'admin@localhost');
});
afterEach(killAll);
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.drop();
});

async function fileOf(name: string, text: string | Uint8Array): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}
const publish = (file: string, slug: string, ...others: string[]) =>
  cli('openapi-spec', 'publish', file, '--org', 'Acme', '--slug', slug, ...others);
const VERSION = /: (new version|unchanged, version) ([\w-]{20}), (\d+) operations?\n$/;

test('a document is published, read back byte by byte, listed and deleted', async () => {
  const text = 'openapi: 3.1.0   # A comment\ninfo: {title: Pets, version: "1"}\npaths: {/pets: {get: {}}}\n';
  const file = await fileOf('pets.yaml', text);
  const first = await publish(file, 'pets');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  const [, state, version, operations] = VERSION.exec(first.stdout) ?? [];
  expect([state, operations]).toEqual(['new version', '1']);

  const again = VERSION.exec((await publish(file, 'pets')).stdout);
  expect(again?.slice(1, 3)).toEqual(['unchanged, version', version]);

  const json = JSON.parse((await publish(await fileOf('b.json', petstore('Cats')), 'pets', '--json')).stdout);
  expect(json).toMatchObject({
    spec: { slug: 'pets', processingState: 'complete' },
    version: { isNew: true },
  });

  const read = (...args: string[]) => cli('openapi-spec', 'read', 'pets', '--org', 'Acme', ...args);
  for (const output of [[], ['-o', '-']])
    expect(await read(...output)).toEqual({ code: 0, stdout: petstore('Cats'), stderr: '' });
  const output = join(folder, 'out.yaml');
  expect(await read('--version', version as string, '-o', output)).toMatchObject({ code: 0 });
  expect(await readFile(output, 'utf8')).toBe(text);
  for (const printed of [[], ['-o', '-']])
    expect(await read('--json', ...printed)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--output'),
    });
  expect(await cli('openapi-spec', 'export', 'pets', '--organization', 'Acme')).toMatchObject({ code: 0 });

  const listed = JSON.parse((await cli('openapi-spec', 'list', '--org', 'Acme', '--json')).stdout);
  expect(listed).toMatchObject([{ slug: 'pets', lastVersion: json.version.id }]);
  expect((await cli('openapi-spec', 'list', '--org', 'Acme')).stdout).toContain('pets');
  expect(await cli('openapi-spec', 'delete', 'pets', '--org', 'Acme')).toMatchObject({ code: 0, stdout: '' });
  expect(await read()).toMatchObject({ code: 1, stdout: '' });
});

test('a rejected document has its own exit code, and the latest version is kept', async () => {
  const good = await fileOf('good.json', petstore());
  const [, , version] = VERSION.exec((await publish(good, 'kept')).stdout) ?? [];
  const bad = await fileOf('bad.yaml', 'openapi: 3.1.0\npaths:\n  - a\n b: [\n');
  const refused = await publish(bad, 'kept');
  expect(refused).toMatchObject({ code: 3, stdout: '' });
  expect(refused.stderr).toMatch(/bad\.yaml:4: PARSE_ERROR: .*\nthe document was rejected: /);
  const whole = await publish(await fileOf('list.json', '[]'), 'kept');
  expect(whole.stderr).toMatch(/list\.json: PARSE_ERROR: [^(]*\n/);
  const asJson = await publish(bad, 'kept', '--json');
  expect(asJson.code).toBe(3);
  expect(JSON.parse(asJson.stdout).spec).toMatchObject({
    lastVersion: version,
    lastProcessErrorCode: 'PARSE_ERROR',
    lastProcessedErrors: [{ line: 4 }],
  });
  expect((await publish(await fileOf('binary', Buffer.from([0xff, 0xfe, 0])), 'kept')).code).toBe(3);
  expect((await publish(await fileOf('large', Buffer.alloc(21 * 1024 * 1024, 32)), 'kept')).code).toBe(3);
  expect((await cli('openapi-spec', 'read', 'kept', '--org', 'Acme')).stdout).toBe(petstore());
});

test('invalid usage and missing objects have their own exit codes', async () => {
  const file = await fileOf('usage.json', petstore());
  expect((await cli('openapi-spec', 'publish', file)).code).toBe(2);
  expect((await publish(file, 'no slug')).code).toBe(2);
  const elsewhere = ['--org', 'Nowhere', '--slug', 'pets'];
  expect((await cli('openapi-spec', 'publish', file, ...elsewhere)).code).toBe(1);
  const missing = join(folder, 'missing.json');
  expect(await publish(missing, 'pets')).toMatchObject({ code: 1, stderr: `There is no file ${missing}.\n` });
  expect((await cli('openapi-spec', 'delete', 'nothing', '--org', 'Acme')).code).toBe(1);
});

test('a publication that was killed is completed once, by the next one', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 3000 }, (_, index) => [`/p/${index}`, { get: { description: 'x'.repeat(2000) } }]),
  );
  const file = await fileOf('large.json', petstore('Large', paths));
  const args = ['openapi-spec', 'publish', file, '--org', 'Acme', '--slug', 'large'];
  const program = runProduct(['server/cli/main.ts', ...args], environment);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const state = async () =>
    (await client.query("select processing_state as state from openapi_spec where slug = 'large'")).rows[0]
      ?.state;
  await vi.waitUntil(state, { timeout: PATIENCE, interval: 2 });
  program.process.kill('SIGKILL');
  await program.exit;
  expect(await state()).not.toBe('complete');
  await client.end();
  const again = await publish(file, 'large', '--json');
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout).version.operations).toBe(3000);
  const token = (await cli('token', 'create', '--user', 'admin@localhost')).stdout.trim();
  const service = await start(environment);
  const { items: organizations } = (await call(service, token, '/orgs')).body;
  const { id } = organizations.find(({ title }: { title: string }) => title === 'Acme');
  const versions = await call(service, token, `/orgs/${id}/openapi/large/versions`);
  expect(versions.body.count).toBe(1);

  // While a service runs, either of the two may process it.
  const beside = await publish(await fileOf('beside.json', petstore('Beside')), 'large');
  expect(beside).toMatchObject({ code: 0, stdout: expect.stringMatching(VERSION) });
  expect((await call(service, token, `/orgs/${id}/openapi/large/versions`)).body.count).toBe(2);
});
