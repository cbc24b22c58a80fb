/** Commands as processes of their own. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openInstallation } from '../../server/tool/index.ts';
import { reachableNode } from '../helpers/checkout.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { silentLogger } from '../helpers/logger.ts';
import { isStopped, makeSandbox, type Sandbox } from './embedded-postgres-harness.ts';
import { call, type Environment, killAll, runProduct, start } from './process-harness.ts';

const TOKEN = /^colophon_[\w-]{43}\n$/;

let sandbox: Sandbox;
let embedded: Environment;
beforeEach(async () => {
  sandbox = await makeSandbox();
  embedded = { DATA_DIR: sandbox.dataDir };
});
afterEach(async () => {
  killAll();
  await sandbox.clear();
});

/** Runs a command to completion, as a process. */
async function spawned(args: string[], environment: Environment) {
  const program = runProduct(['server/cli/main.ts', ...args], environment);
  const code = await program.exit;
  return { code, stdout: program.stdout, stderr: program.stderr };
}

test('commands work before the first start and while the service runs, and leave nothing running', async () => {
  const made = await spawned(['token', 'create', '--user', 'admin@localhost'], embedded);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(TOKEN) });
  expect(made.stderr).toMatch(/new installation in .+\n.*Admin token, shown only once: colophon_/);
  expect(await isStopped(sandbox.dataDir)).toBe(true);

  const service = await start(embedded);
  expect(service.token).toBeUndefined();
  const beside = await spawned(['token', 'create', '--user', 'admin@localhost'], embedded);
  for (const { stdout } of [made, beside]) {
    expect(await call(service, stdout.trim(), '/user')).toMatchObject({ status: 200 });
  }
  await service.stop();
  expect(await isStopped(sandbox.dataDir)).toBe(true);
});

test('exporting the audit log to a reader that stops early is not a failure', async () => {
  const database = await createTestDatabase();
  // More than the stream buffers.
  const tool = await openInstallation({ environment: { DATABASE_URL: database.url }, logger: silentLogger });
  for (let i = 0; i < 200; i++) await tool.operator.tokens.create({ user: 'admin@localhost' });
  await tool.close();
  const child = spawn(reachableNode(), ['server/cli/main.ts', 'audit', 'export'], {
    env: { PATH: process.env.PATH, DATABASE_URL: database.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors = text(child.stderr);
  // Like `head` that ends before anything is written.
  child.stdout.destroy();
  const [code] = await once(child, 'close');
  expect({ code, errors: await errors }).toEqual({ code: 0, errors: '' });
  await database.drop();
});
