import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { cli } from './cli-harness.ts';
import { makeSandbox } from './embedded-postgres-harness.ts';
import type { Environment } from './process-harness.ts';

const TOKEN = /^colophon_[\w-]{43}\n$/;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  vi.stubEnv('DATABASE_URL', database.url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.drop();
});

/** Runs a command in this process, which saves loading the product, with other settings than those of this file. */
async function cliWith(settings: Environment, args: string[]) {
  vi.stubEnv('DATABASE_URL', undefined);
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  try {
    return await cli(...args);
  } finally {
    vi.unstubAllEnvs();
    vi.stubEnv('DATABASE_URL', database.url);
  }
}

/** The JSON that a command prints, which must succeed. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await cli(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

test('the version is printed', async () => {
  expect(await cli('--version')).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
});

test('users, organizations and tokens can be created, listed and revoked', async () => {
  const user = await json('user', 'create', '--email', 'Jane@Example.com', '--name', 'Jane');
  expect(user).toMatchObject({ object: 'user', email: 'jane@example.com', displayName: 'Jane' });
  const organization = await json('org', 'create', '--title', 'Acme', '--owner', 'jane@example.com');
  const joe = ['--email', 'joe@example.com', '--name', 'Joe', '--organization', 'Acme', '--role', 'admin'];
  const { code, stdout } = await cli('user', 'create', ...joe);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^[\w-]{20}\n$/) });
  expect(await json('org', 'list')).toContainEqual({ ...organization, members: 2 });
  expect(await json('user', 'list')).toContainEqual(user);

  const given = ['--user', 'joe@example.com', '--read', '--expires', '12h', '--name', 'CI'];
  const made = await cli('token', 'create', ...given);
  expect(made).toEqual({ code: 0, stdout: expect.stringMatching(TOKEN), stderr: '' });
  const [token, ...others] = await json('token', 'list', '--user', 'joe@example.com');
  expect(others).toEqual([]);
  expect(token).toMatchObject({
    name: 'CI',
    scope: 'read',
    user: { id: stdout.trim(), email: 'joe@example.com' },
  });
  expect(Date.parse(token.expiresAt) - Date.parse(token.createdAt)).toBeCloseTo(12 * 3_600_000, -5);

  expect(await cli('token', 'revoke', token.id)).toMatchObject({ code: 0, stdout: '' });
  expect(await json('token', 'list', '--user', 'joe@example.com')).toEqual([]);
});

test('users sign in with a link and are locked out when disabled; sessions and invites have commands', async () => {
  await json('user', 'create', '--email', 'sam@example.com', '--name', 'Sam');
  await json('org', 'create', '--title', 'Signing in', '--owner', 'sam@example.com');
  const sam = ['--user', 'SAM@example.com'];
  const link = await cli('user', 'password', ...sam);
  expect(link).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^http:\/\/localhost:3000\/auth\/password\/[\w-]{43}\n$/),
    stderr: '',
  });
  expect(await json('user', 'disable', ...sam)).toMatchObject({ disabledAt: expect.any(String) });
  expect(await json('user', 'list')).toContainEqual(
    expect.objectContaining({ email: 'sam@example.com', disabledAt: expect.any(String) }),
  );
  expect(await json('user', 'enable', ...sam)).not.toHaveProperty('disabledAt');
  expect(await json('user', 'reset-second-factor', ...sam)).toEqual({ removed: false });
  expect(await json('session', 'list', ...sam)).toEqual([]);
  expect(await json('session', 'end', ...sam)).toEqual({ ended: 0 });
  expect(await cli('session', 'end', 'unknown')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching('session'),
  });
  expect((await cli('session', 'end')).code).toBe(2);

  const of = ['--organization', 'Signing in', '--role', 'edit'];
  const invite = await json('invite', 'create', ...of, '--email', 'pat@example.com', '--expires', '2d');
  expect(invite.url).toMatch(/\/auth\/invites\/[\w-]{43}$/);
  expect(Date.parse(invite.expiresAt) - Date.now()).toBeCloseTo(2 * 86_400_000, -6);
  const capped = await json('invite', 'create', ...of, '--email', 'pat@example.com', '--expires', '60d');
  expect(Date.parse(capped.expiresAt) - Date.now()).toBeCloseTo(30 * 86_400_000, -6);
  const open = await cli('invite', 'create', ...of, '--reusable');
  expect(open).toMatchObject({ code: 0, stdout: expect.stringMatching(/\/auth\/invites\/[\w-]{32}\n$/) });
  const own = await cli('invite', 'create', ...of, '--email', 'sam@example.com');
  expect(own).toMatchObject({ code: 1, stderr: expect.stringMatching('already a member') });
});

test('the first admin can be named by their address in any case, and erased', async () => {
  const admin = ['--user', ' Admin@LOCALHOST '];
  await json('token', 'create', ...admin);
  expect(await json('token', 'list', ...admin)).not.toEqual([]);
  await json('user', 'create', '--email', 'heir@example.com', '--name', 'Heir');
  const heir = ['--organization', 'My organization', '--user', 'heir@example.com'];
  await json('member', 'add', ...heir, '--role', 'admin');
  const local = await cli('user', 'create', '--email', 'eve@localhost', '--name', 'Eve');
  expect(local).toMatchObject({ code: 2, stderr: expect.stringContaining('must be an e-mail address') });
  expect(await cli('user', 'erase', 'admin@localhost')).toMatchObject({
    code: 2,
    stderr: '--confirm is required: the e-mail address of the user\n',
  });
  expect(await cli('user', 'erase', 'admin@localhost', '--confirm', 'Admin@localhost')).toMatchObject({
    code: 0,
  });
});

test('members can be added, changed to another role, listed and removed', async () => {
  await json('user', 'create', '--email', 'kim@example.com', '--name', 'Kim');
  await json('org', 'create', '--title', 'Members', '--owner', 'kim@example.com');
  await json('user', 'create', '--email', 'lee@example.com', '--name', 'Lee');
  const of = ['--organization', 'Members'];
  const lee = [...of, '--user', 'lee@example.com'];
  const roles = async () => {
    const members: { role: string | null; user: { email: string } }[] = await json('member', 'list', ...of);
    return members.map(({ role, user }) => `${user.email}: ${role}`).sort();
  };
  expect(await json('member', 'add', ...lee, '--role', 'edit')).toMatchObject({
    object: 'member',
    role: 'edit',
  });
  expect(await roles()).toEqual(['kim@example.com: admin', 'lee@example.com: edit']);
  expect(await cli('member', 'add', ...lee, '--role', 'guest')).toMatchObject({ code: 0, stdout: '' });
  expect(await roles()).toEqual(['kim@example.com: admin', 'lee@example.com: null']);
  expect(await cli('member', 'remove', ...lee)).toMatchObject({ code: 0, stdout: '' });
  expect(await roles()).toEqual(['kim@example.com: admin']);
  const last = await cli('member', 'remove', ...of, '--user', 'kim@example.com');
  expect(last).toMatchObject({ code: 1, stderr: expect.stringContaining('last admin') });
});

test('with several organizations, the error names the option that selects one', async () => {
  await cli('user', 'create', '--email', 'max@example.com', '--name', 'Max');
  await cli('org', 'create', '--title', 'One more', '--owner', 'max@example.com');
  const { code, stderr } = await cli('member', 'list');
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--organization') });
});

const USED = 'jack@example.com';

describe('an error is one line on standard error:', () => {
  test.each([
    ['an unknown command', ['usr'], 2],
    ['an unknown option', ['user', 'list', '--all'], 2],
    ['a missing option', ['token', 'create'], 2],
    ['an invalid date', ['token', 'create', '--user', 'x', '--expires', 'soon'], 2],
    ['an invalid e-mail address', ['user', 'create', '--email', 'jane', '--name', 'Jane'], 2],
    ['an unknown user', ['token', 'create', '--user', 'nobody@example.com'], 1],
    ['an unknown role', ['member', 'add', '--user', 'x', '--role', 'boss'], 2],
    [
      'a role without an organization',
      ['user', 'create', '--email', 'a@example.com', '--name', 'A', '--role', 'edit'],
      2,
    ],
    ['an e-mail address in use', ['user', 'create', '--email', USED, '--name', 'Jane'], 1],
    ['an unknown token', ['token', 'revoke', 'none'], 1],
  ])('%s', async (_, args, code) => {
    if (args.includes(USED)) await cli(...args);
    expect(await cli(...args)).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^.+\n$/) });
  });

  test('an invalid configuration', async () => {
    const outcome = await cliWith({ PORT: 'http', LOG_LEVEL: 'loud' }, ['user', 'list']);
    expect(outcome).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^.+PORT: .+LOG_LEVEL: .+\n$/),
    });
  });

  test('an unreachable database', async () => {
    const outcome = await cliWith({ DATABASE_URL: 'postgres://localhost:1/colophon' }, ['user', 'list']);
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^.+ECONNREFUSED.+\n$/) });
  });
});

test('the OpenAPI document is printed without a database', async () => {
  const { code, stdout } = await cliWith({ PUBLIC_URL: 'https://docs.example.com' }, ['openapi']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    openapi: '3.1.0',
    servers: [{ url: 'https://docs.example.com/v1' }],
  });
});

test('a database without an installation is left as it is', async () => {
  const empty = await createTestDatabase({ empty: true });
  try {
    expect(await cliWith({ DATABASE_URL: empty.url }, ['audit', 'verify'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no installation in the database: is DATABASE_URL that of the service?\n',
    });
  } finally {
    await empty.drop();
  }
});

test('commands that need an installation fail without one, and create nothing', async () => {
  const sandbox = await makeSandbox();
  const missing = `There is no installation in ${sandbox.dataDir}: is it the DATA_DIR of the service?\n`;
  const archive = `${sandbox.dataDir}.tar.gz`;
  for (const args of [
    ['backup', archive],
    ['audit', 'verify'],
    ['user', 'list'],
    ['import', '.', '--space', 'S', '--dry-run'],
  ])
    expect(await cliWith({ DATA_DIR: sandbox.dataDir }, args)).toEqual({
      code: 1,
      stdout: '',
      stderr: missing,
    });
  expect(existsSync(archive)).toBe(false);
  expect(existsSync(sandbox.dataDir)).toBe(false);
  await sandbox.clear();
});

test('spaces, sites and change requests are listed and created on behalf of a user', async () => {
  await json('user', 'create', '--email', 'ann@example.com', '--name', 'Ann');
  await json('org', 'create', '--title', 'Of Ann', '--owner', 'ann@example.com');
  const ann = ['--user', 'ann@example.com'];
  const space = await json('space', 'create', ...ann, '--title', 'Guides');
  expect(await json('space', 'list', ...ann, '--organization', 'Of Ann')).toEqual([space]);
  const site = await json('site', 'create', ...ann, '--title', 'Docs', '--space', space.id);
  expect((await json('site', 'list', ...ann)).map(({ id }: { id: string }) => id)).toEqual([site.id]);
  const made = await cli('change-request', 'create', ...ann, '--space', space.id, '--subject', 'Typos');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const [changeRequest, ...others] = await json('change-request', 'list', ...ann, '--space', space.id);
  expect(others).toEqual([]);
  expect(changeRequest).toMatchObject({ id: made.stdout.trim(), subject: 'Typos', status: 'draft' });

  expect(await cli('space', 'list', ...ann, '--organization', 'Acme')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'The user is not a member of that organization.\n',
  });
  await json('user', 'create', '--email', 'ben@example.com', '--name', 'Ben');
  expect(await cli('change-request', 'list', '--user', 'ben@example.com', '--space', space.id)).toMatchObject(
    {
      code: 1,
      stderr: 'There is no such space.\n',
    },
  );
  expect(await cli('space', 'list')).toMatchObject({ code: 2 });
  await json('org', 'create', '--title', 'Of Ann, too', '--owner', 'ann@example.com');
  expect(await cli('site', 'list', ...ann)).toMatchObject({
    code: 2,
    stderr: 'There are several organizations. Choose one with --organization.\n',
  });
});
