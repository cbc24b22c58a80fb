import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { audited, logOf, sealAll, verify } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const tools = () => createCaller(toolContext(service.runtime.database, service.runtime.services));

test('erasing a user removes their personal data, and leaves the chain valid and their content readable', async () => {
  const { id, me } = await logOf(service, 1);
  const person = await service.build.member(id, 'admin', {
    displayName: 'Jane Doe',
    email: 'jane.doe@example.net',
  });
  const theirs = service.as(person.token);
  const space = await expectOk(theirs.post(`/orgs/${id}/spaces`, { title: 'Written' }));
  const request = await expectOk(theirs.post(`/spaces/${space.id}/change-requests`, { subject: 'Hers' }));
  const comment = await expectOk(
    theirs.post(`/spaces/${space.id}/comments`, { body: { markdown: 'A remark.' } }),
  );
  await sealAll(service);
  const before = await audited(me, id, `&actor=${person.id}`);
  expect(before[0]?.actor.label).toBe('Jane Doe');

  const erase = (confirm: string) => tools().installation.users.erase({ user: person.id, confirm });
  await expect(erase('somebody@example.net')).rejects.toThrow(/confirmation/);
  expect((await theirs.get('/user')).status).toBe(200);
  const { auditEvents } = await erase('Jane.Doe@example.net');
  expect(auditEvents).toBe(before.length);

  expect((await theirs.get('/user')).status).toBe(401);
  for (const table of ['api_token', 'session', 'member'] as const)
    expect(await rowsOf(service, table, person.id)).toBe(0);
  const after = await audited(me, id, `&actor=${person.id}`);
  expect(after.map(({ id: event }) => event)).toEqual(before.map(({ id: event }) => event));
  for (const event of after) {
    expect(event.actor).toEqual({ type: 'user', id: person.id });
    expect(event.address).toBeUndefined();
  }
  await sealAll(service);
  const result = await verify(service, id);
  expect(result.fault).toBeUndefined();
  expect(result.erased).toBeGreaterThanOrEqual(before.length);

  const at = `/spaces/${space.id}`;
  expect((await expectOk(me.get(`${at}/comments/${comment.id}`))).postedBy.displayName).toBe('Removed user');
  expect((await expectOk(me.get(`${at}/change-requests/${request.id}`))).createdBy.displayName).toBe(
    'Removed user',
  );
  expect(await textsOf(service, /jane/i)).toEqual([]);
  // The e-mail address can be used again.
  const again = await tools().installation.users.create({
    email: 'jane.doe@example.net',
    displayName: 'Jane',
  });
  expect(again.id).not.toBe(person.id);
  const { items } = await tools().installation.users.list({ limit: 1000 });
  const { email } = items.find((user) => user.id === person.id) as { email: string };
  expect((await erase(email)).auditEvents).toBe(0);
});

test('erasing a user is refused while they are the last admin of an organization', async () => {
  const { id, admin } = await logOf(service, 1);
  const { email } = await expectOk(service.as(admin.token).get('/user'));
  await expect(tools().installation.users.erase({ user: admin.id, confirm: email })).rejects.toThrow(
    /last admin/,
  );
  expect((await service.as(admin.token).get(`/orgs/${id}`)).status).toBe(200);
});

/** Counts the rows of a table that belong to a user. */
const rowsOf = async (
  { runtime }: TestService,
  table: 'api_token' | 'session' | 'member',
  user: string,
): Promise<number> =>
  (await runtime.database.db.selectFrom(table).select('user_id').where('user_id', '=', user).execute())
    .length;

/** Finds the tables that contain a text anywhere. */
async function textsOf({ runtime }: TestService, pattern: RegExp): Promise<string[]> {
  const { db } = runtime.database;
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(db);
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<{ row: string }>`
        select row_to_json(t)::text as row from ${sql.table(name)} t
        where row_to_json(t)::text ~* ${pattern.source}`.execute(db);
      return rows.map(({ row }) => `${name}: ${row}`);
    }),
  );
  return found.flat();
}
