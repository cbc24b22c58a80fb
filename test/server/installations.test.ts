/** Installations of other kinds than most tests have, and starts that fail. */

import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { inCheckout } from '../helpers/checkout.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { makeSandbox, type Sandbox } from './embedded-postgres-harness.ts';
import { call, killAll, launch, start } from './process-harness.ts';

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

test('a service serves everything without development packages', async () => {
  // As after `npm ci --omit=dev`.
  const hook = withoutPackages(await developmentPackages());
  const service = await start({
    DATA_DIR: sandbox.dataDir,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
  });
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
  await service.stop();
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

test('a second service on a data directory in use fails with a clear error', async () => {
  const service = await start({ DATA_DIR: sandbox.dataDir });
  const second = launch({ DATA_DIR: sandbox.dataDir });
  expect(await second.exit).toBe(1);
  expect(second.stderr).toContain(`Another Colophon service (pid ${service.process.pid}) already uses`);
  expect(await call(service, service.token, '/user')).toMatchObject({ status: 200 });
  await service.stop();
});

test('a failing start describes an unreachable database in one line', async () => {
  const program = launch({ DATA_DIR: sandbox.dataDir, DATABASE_URL: 'postgres://localhost:1/colophon' });
  expect(await program.exit).toBe(1);
  expect(program.stderr).toMatch(
    /^Colophon could not start: the database of DATABASE_URL .+ECONNREFUSED.+\n$/,
  );
});
