import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { DatabaseClient } from '../../server/database/client.ts';
import type { Person } from '../helpers/builders.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
afterEach(() => vi.restoreAllMocks());

const seenAt = async (organization: string, { id }: Person): Promise<string | null> =>
  (
    await service.runtime.database.db
      .selectFrom('member')
      .select('last_seen_at')
      .where('organization_id', '=', organization)
      .where('user_id', '=', id)
      .executeTakeFirstOrThrow()
  ).last_seen_at as string | null;

/** Collects the statements that record when members were seen. */
function watchUpdates() {
  const query = vi.spyOn(DatabaseClient.prototype, 'run');
  return () =>
    query.mock.calls.flatMap(([sent], index) =>
      JSON.stringify(sent).includes('update member set last_seen_at')
        ? [query.mock.results[index]?.value as unknown]
        : [],
    );
}

const READS: [string, (service: TestService, organization: string, person: Person) => Promise<string>][] = [
  ['the organization', async (_, id) => `/orgs/${id}`],
  ['a member', async (_, id, person) => `/orgs/${id}/members/${person.id}`],
  ['a team', async ({ build }, id) => `/orgs/${id}/teams/${(await build.team(id)).id}`],
  ['a space', async ({ build }, id) => `/spaces/${(await build.space(id)).id}`],
  ['its content', async ({ build }, id) => `/spaces/${(await build.space(id)).id}/content/pages`],
  ['a collection', async ({ build }, id) => `/collections/${(await build.collection(id)).id}`],
  ['a site', async ({ build }, id) => `/orgs/${id}/sites/${(await build.site(id)).id}`],
];

test.for(READS)('when a member was last seen follows from reading %s', async ([, pathOf]) => {
  const { id } = await service.build.organization();
  const elsewhere = await service.build.organization();
  const person = await service.build.member(id, 'read');
  await service.build.join(elsewhere.id, person.id, 'read');
  const before = Date.now();
  expect((await service.as(person.token).get(await pathOf(service, id, person))).status).toBe(200);
  await vi.waitFor(async () => expect(await seenAt(id, person)).not.toBeNull());
  expect(Date.parse(String(await seenAt(id, person)))).toBeGreaterThanOrEqual(before);
  expect(await seenAt(elsewhere.id, person)).toBeNull();
});

test('many requests write only once when a member was last seen', async () => {
  const { id } = await service.build.organization();
  const person = await service.build.member(id, 'admin');
  const client = service.as(person.token);
  const updates = watchUpdates();
  await Promise.all(Array.from({ length: 20 }, () => client.get(`/orgs/${id}`)));
  await client.patch(`/orgs/${id}`, { title: 'Renamed' });
  await vi.waitFor(async () => expect(await seenAt(id, person)).not.toBeNull());
  expect(updates()).toHaveLength(1);
});

test('when a member was last seen is written again after half a minute, not before', async () => {
  const { id } = await service.build.organization();
  for (const [seconds, isWritten] of [
    [25, false],
    [35, true],
  ] as const) {
    const person = await service.build.member(id, 'read');
    const recent = new Date(Date.now() - seconds * 1000);
    await service.runtime.database.db
      .updateTable('member')
      .set({ last_seen_at: recent })
      .where('user_id', '=', person.id)
      .execute();
    const updates = watchUpdates();
    await service.as(person.token).get(`/orgs/${id}`);
    await vi.waitFor(() => expect(updates()).toHaveLength(1));
    await updates()[0];
    const seen = new Date(String(await seenAt(id, person)));
    expect(seen > recent).toBe(isWritten);
    vi.restoreAllMocks();
  }
});

test('refused requests do not update when a member was last seen', async () => {
  const { id } = await service.build.organization();
  const person = await service.build.member(id, 'read');
  const updates = watchUpdates();
  expect((await service.as(person.token).patch(`/orgs/${id}`, { title: 'Mine' })).status).toBe(403);
  expect((await service.as(person.token).get('/user')).status).toBe(200);
  expect(updates()).toHaveLength(0);
});
