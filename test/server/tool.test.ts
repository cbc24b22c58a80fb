import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, isCallError, openInstallation } from '../../server/tool/index.ts';
import { inCheckout, reachableNode } from '../helpers/checkout.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { makeFolder } from '../helpers/folders.ts';
import { silentLogger } from '../helpers/logger.ts';
import { killAll, run } from './process-harness.ts';

let database: TestDatabase;
let environment: Record<string, string>;
let tool: Installation;
let spaceId: string;
let organizationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  environment = { DATABASE_URL: database.url, DATA_DIR: await makeFolder('tool') };
  tool = await openInstallation({ environment, logger: silentLogger });
  await tool.operator.users.create({ email: 'jo@tools.example', displayName: 'Jo' });
  const { id } = await tool.operator.organizations.create({ title: 'Tools', owner: 'jo@tools.example' });
  organizationId = id;
  const jo = await tool.actAs('jo@tools.example');
  ({ id: spaceId } = await jo.spaces.create({ organizationId, title: 'Handbook' }));
});
afterAll(async () => {
  killAll();
  await tool.close();
  await database.drop();
});

/** The error that a promise is rejected with. */
const thrownBy = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

test('a script outside the checkout merges approved change requests, as documented', async () => {
  const jo = await tool.actAs('jo@tools.example');
  await tool.operator.users.create({
    email: 'editor@tools.example',
    displayName: 'Editor',
    member: { organization: 'Tools', role: 'edit' },
  });
  const editor = await tool.actAs('EDITOR@tools.example');
  const propose = async (subject: string) => {
    const { id } = await editor.changeRequests.create({ spaceId, subject });
    const document = { markdown: subject };
    await editor.edit.changeRequest({
      spaceId,
      changeRequestId: id,
      changes: [{ operation: 'insert_page', title: subject, document }],
    });
    await editor.changeRequests.update({ spaceId, changeRequestId: id, status: 'open' });
    return id;
  };
  const approved = await propose('Approved');
  await jo.changeRequestReviews.submit({ spaceId, changeRequestId: approved, status: 'approved' });
  const waiting = await propose('Waiting');

  const source = await readFile(inCheckout('server/docs/examples/merge-approved.ts'), 'utf8');
  expect(await readFile(new URL('../../server/docs/clients.md', import.meta.url), 'utf8')).toContain(
    source.split('\n').slice(1).join('\n').trim(),
  );
  const folder = await makeFolder('script');
  await mkdir(join(folder, 'node_modules'));
  await symlink(inCheckout('.'), join(folder, 'node_modules/colophon'));
  await symlink(inCheckout('server/docs/examples/merge-approved.ts'), join(folder, 'merge.ts'));
  const script = run(
    reachableNode(),
    ['--preserve-symlinks-main', join(folder, 'merge.ts'), spaceId, 'jo@tools.example'],
    environment,
  );
  expect({ code: await script.exit, stderr: script.stderr }).toEqual({ code: 0, stderr: '' });
  expect(script.stdout).toBe('#1 Approved: merge\n');
  const { pages } = await jo.content.pages({ spaceId });
  expect(pages.map(({ title }) => title)).toEqual(['Approved']);
  expect(await jo.changeRequests.get({ spaceId, changeRequestId: waiting })).toMatchObject({
    status: 'open',
  });
  const { items } = await jo.auditEvents.list({ organizationId, limit: 1000 });
  expect(items.find(({ action }) => action === 'change_request.merged')).toMatchObject({
    actor: { type: 'user', label: 'Jo' },
    source: 'script',
  });
});

test('the tool throws the same errors as the client, with the details of invalid input', async () => {
  const jo = await tool.actAs('jo@tools.example');
  const missing = await thrownBy(jo.spaces.get({ spaceId: 'missing' }));
  if (!isCallError(missing)) throw missing;
  expect(missing.data).toMatchObject({ code: 'NOT_FOUND', httpStatus: 404, path: 'spaces.get' });
  const invalid = await thrownBy(jo.spaces.create({ organizationId, title: 'x'.repeat(9999) }));
  if (!isCallError(invalid)) throw invalid;
  expect(invalid.data).toMatchObject({ httpStatus: 400, details: [{ path: 'title' }] });
  expect(await thrownBy(tool.actAs('nobody@tools.example'))).toMatchObject({ data: { httpStatus: 404 } });
  expect(await thrownBy(tool.operator.users.setDisabled({ user: 'nobody', disabled: true }))).toMatchObject({
    data: { httpStatus: 404 },
  });
});

test('a tool that acts as a user has only the permissions that the user has at each call', async () => {
  await tool.operator.users.create({ email: 'reader@tools.example', displayName: 'Reader' });
  await tool.operator.members.add({ organization: 'Tools', user: 'reader@tools.example', role: 'read' });
  const reader = await tool.actAs('reader@tools.example');
  expect(await thrownBy(reader.spaces.update({ spaceId, title: 'No' }))).toMatchObject({
    data: { httpStatus: 403 },
  });
  expect(Object.keys(await reader.spaces.get({ spaceId }))).toContain('permissions');
  await tool.operator.users.setDisabled({ user: 'reader@tools.example', disabled: true });
  expect(await thrownBy(reader.spaces.get({ spaceId }))).toMatchObject({ data: { httpStatus: 403 } });
  expect(await thrownBy(tool.actAs('reader@tools.example'))).toMatchObject({ data: { httpStatus: 403 } });
});

test('a tool follows events, also those of other processes, until it ends the loop', async () => {
  const jo = await tool.actAs('jo@tools.example');
  const stream = await jo.events.subscribe({ organizationId });
  await using other = await openInstallation({ environment, logger: silentLogger });
  await (await other.actAs('jo@tools.example')).spaces.update({ spaceId, title: 'Renamed' });
  for await (const { data } of stream) {
    expect(data).toMatchObject({ type: 'space.updated', space: spaceId });
    break;
  }
});

test('an opening that is stopped ends before it changes the database', async () => {
  const empty = await createTestDatabase({ empty: true });
  const stopped = AbortSignal.abort(new Error('Stopped.'));
  const target = { DATABASE_URL: empty.url, DATA_DIR: await makeFolder('stopped') };
  const opening = openInstallation({ environment: target, logger: silentLogger, signal: stopped });
  expect(await thrownBy(opening)).toMatchObject({ message: 'Stopped.' });
  const client = new pg.Client({ connectionString: empty.url });
  await client.connect();
  const { rows } = await client.query(`select from information_schema.tables where table_schema = 'public'`);
  await client.end();
  await empty.drop();
  expect(rows).toEqual([]);
});
