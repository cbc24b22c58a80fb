import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../routers/events/events.api.ts';
import { visibleEvents } from '../../routers/events/events.query.ts';
import { recordEvent } from '../../routers/events/record.operation.ts';
import { open, type Scene, setScene } from '../change-requests/scene.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

interface Listed {
  id: string;
  type: string;
  [field: string]: unknown;
}

const eventsOf = async (client: Client, organization: string, query = ''): Promise<Listed[]> => {
  const { status, body } = await client.get(`/orgs/${organization}/events?limit=1000${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.count).toBe(body.items.length);
  return body.items;
};

/** The events that some calls cause, oldest first, without the fields that differ between runs. */
async function eventsFrom({ me, organization }: Scene, act: () => Promise<unknown>): Promise<object[]> {
  const before = new Set((await eventsOf(me, organization)).map(({ id }) => id));
  await act();
  const after = await eventsOf(me, organization);
  return after
    .filter(({ id }) => !before.has(id))
    .reverse()
    .map(({ id: _, object: __, createdAt: ___, ...event }) => event);
}

it('the events after one of them are listed, and refused after one that is not of the organization', async () => {
  const scene = await setScene(service);
  const { me, organization } = scene;
  const [last] = await eventsOf(me, organization);
  const path = `/orgs/${organization}/events?lastEventId=`;
  const strict = { prefer: 'handling=strict' };
  expect((await me.get(`${path}${last?.id}`, strict)).body.items).toEqual([]);
  await me.patch(scene.path, { title: 'Newer' });
  await me.patch(scene.path, { title: 'Newest' });
  const after = await me.get(`${path}${last?.id}&limit=1`, strict);
  expect(after.body).toMatchObject({ count: 2, items: [{ type: 'space.updated' }] });
  expect(after.body.items[0].id).toBe((await eventsOf(me, organization))[0]?.id);
  const other = await setScene(service);
  const [foreign] = await eventsOf(other.me, other.organization);
  for (const id of [foreign?.id, 'nonsense']) {
    const { status, body } = await me.get(`${path}${id}`);
    expect(status).toBe(400);
    expect(body.error.details[0].path).toBe('lastEventId');
  }
});

it('each change of a space records one event, with its actor', async () => {
  const scene = await setScene(service);
  const { me, organization } = scene;
  const user = scene.admin.id;
  let space = '';
  const events = await eventsFrom(scene, async () => {
    space = (await me.post(`/orgs/${organization}/spaces`, { title: 'New' })).body.id;
    await me.patch(`/spaces/${space}`, { title: 'Newer' });
    await me.post(`/spaces/${space}/content`, {
      changes: [{ operation: 'insert_page', title: 'Page', document: { markdown: 'Text.' } }],
    });
    await me.delete(`/spaces/${space}`);
    await me.post(`/spaces/${space}/restore`);
  });
  const { revision } = (await me.get(`/spaces/${space}`)).body;
  const common = { organization, actor: user, space };
  expect(events).toEqual([
    { ...common, type: 'space.created' },
    { ...common, type: 'space.updated' },
    { ...common, type: 'space.content.updated', revision },
    { ...common, type: 'space.deleted' },
    { ...common, type: 'space.restored' },
  ]);
});

it('each change of a collection records one event; a deletion also records one for each space and collection in it', async () => {
  const scene = await setScene(service);
  const { me, organization } = scene;
  const root = `/orgs/${organization}`;
  const types = await eventsFrom(scene, async () => {
    const outer = (await me.post(`${root}/collections`, { title: 'Outer' })).body.id;
    const inner = (await me.post(`${root}/collections`, { title: 'Inner', parent: outer })).body.id;
    await me.post(`${root}/spaces`, { title: 'Inside', parent: inner });
    await me.patch(`/collections/${inner}`, { title: 'Renamed' });
    await me.post(`/collections/${inner}/move`, { parent: null });
    await me.post(`/collections/${inner}/move`, { parent: outer });
    await me.delete(`/collections/${outer}`);
  });
  expect(types.map((event) => (event as Listed).type)).toEqual([
    'collection.created',
    'collection.created',
    'space.created',
    'collection.updated',
    'collection.moved',
    'collection.moved',
    'space.deleted',
    'collection.deleted',
    'collection.deleted',
  ]);
});

it('each change of a change request, its reviews and its comments records one event', async () => {
  const scene = await setScene(service);
  const { me, organization } = scene;
  const user = scene.admin.id;
  const reviewer = await service.build.member(organization, 'review');
  const types = await eventsFrom(scene, async () => {
    const { at } = await open(scene);
    await me.patch(at, { subject: 'Better' });
    await me.patch(at, { status: 'open' });
    await me.patch(at, { status: 'open' });
    await me.post(`${at}/requested-reviewers`, { users: [reviewer.id] });
    await me.delete(`${at}/requested-reviewers/${reviewer.id}`);
    await me.post(`${at}/requested-reviewers`, { users: [reviewer.id], subject: 'Best' });
    await me.post(`${at}/reviews`, { status: 'approved', comment: { markdown: 'Good.' } });
    const body = { markdown: 'Text.' };
    const comment = `${at}/comments/${(await me.post(`${at}/comments`, { body })).body.id}`;
    await me.put(comment, { body: { markdown: 'Other.' }, resolved: true });
    await me.put(comment, { resolved: true });
    await me.put(comment, { resolved: false, addedReactions: ['1f44d'] });
    await me.put(comment, { addedReactions: ['1f44d'] });
    const reply = (await me.post(`${comment}/replies`, { body })).body.id;
    await me.delete(`${comment}/replies/${reply}`);
    await me.delete(comment);
    await me.post(`${at}/merge`);
  });
  expect(types.map((event) => (event as Listed).type)).toEqual([
    'change_request.created',
    'change_request.updated',
    'change_request.status.updated',
    'review.requested',
    'review.request.removed',
    'change_request.updated',
    'review.requested',
    'review.submitted',
    'comment.created',
    'comment.created',
    'comment.updated',
    'comment.resolved',
    'comment.reopened',
    'comment.reactions.updated',
    'comment.reply.created',
    'comment.reply.deleted',
    'comment.deleted',
    'space.content.updated',
    'change_request.merged',
  ]);
  expect(types.every((event) => (event as Listed).actor === user)).toBe(true);
});

it('each change of a member records one event', async () => {
  const scene = await setScene(service);
  const { me, organization } = scene;
  const member = await service.build.member(organization, 'read');
  const about = { organization, actor: scene.admin.id, user: member.id };
  const events = await eventsFrom(scene, async () => {
    const at = `/orgs/${organization}/members/${member.id}`;
    await me.post(`${at}/sso`);
    await me.post(`${at}/sso`);
    await me.patch(at, { role: 'edit' });
    await me.patch(at, { role: 'edit' });
    await me.delete(at);
  });
  expect(events).toEqual([
    { ...about, type: 'member.updated', role: 'read' },
    { ...about, type: 'member.updated', role: 'edit' },
    { ...about, type: 'member.removed' },
  ]);
});

it('each change of a team or of the organization records one event', async () => {
  const scene = await setScene(service);
  const { me, organization } = scene;
  const root = `/orgs/${organization}`;
  const { id: user } = await service.build.member(organization, 'read');
  let team = '';
  const events = await eventsFrom(scene, async () => {
    team = (await me.put(`${root}/teams`, { title: 'Writers' })).body.id;
    await me.patch(`${root}/teams/${team}`, { title: 'Editors' });
    await me.patch(`${root}/teams/${team}`, { title: 'Editors' });
    await me.put(`${root}/teams/${team}/members/${user}`, {});
    await me.put(`${root}/teams/${team}/members/${user}`, {});
    await me.put(`${root}/teams/${team}/members/${user}`, { role: 'owner' });
    await me.delete(`${root}/teams/${team}/members/${user}`);
    await me.delete(`${root}/teams/${team}`);
    await me.patch(root, { title: 'Renamed' });
  });
  const about = { organization, actor: scene.admin.id };
  expect(events).toEqual([
    ...[
      'team.created',
      'team.updated',
      'team.members.updated',
      'team.members.updated',
      'team.members.updated',
      'team.deleted',
    ].map((type) => ({ ...about, type, team })),
    { ...about, type: 'organization.updated' },
  ]);
});

it('each change of permissions records one event, which only admins see', async () => {
  const scene = await setScene(service);
  const { me, organization, space, path } = scene;
  const collection = (await me.post(`/orgs/${organization}/collections`, {})).body.id;
  const site = (await me.post(`/orgs/${organization}/sites`, { title: 'Docs' })).body.id;
  const person = await service.build.member(organization, 'create');
  const team = (await me.put(`/orgs/${organization}/teams`, { title: 'Writers' })).body.id;
  const user = person.id;
  const events = await eventsFrom(scene, async () => {
    await me.post(`${path}/permissions`, { role: 'edit', users: [user], teams: [team] });
    await me.post(`${path}/permissions`, { role: 'edit', users: [user] });
    await me.patch(`${path}/permissions/users/${user}`, { role: 'admin' });
    await me.delete(`${path}/permissions/users/${user}`);
    await me.delete(`${path}/permissions/users/${user}`);
    await me.post(`/collections/${collection}/permissions`, { role: 'read', users: [user] });
    await me.post(`/orgs/${organization}/sites/${site}/permissions`, { role: 'read', users: [user] });
  });
  const about = { organization, actor: scene.admin.id, type: 'space.permission.updated', space };
  const all = [
    { ...about, team, role: 'edit' },
    { ...about, user, role: 'edit' },
    { ...about, user, role: 'admin' },
    { ...about, user, role: null },
    {
      organization,
      actor: scene.admin.id,
      type: 'collection.permission.updated',
      collection,
      user,
      role: 'read',
    },
    { organization, actor: scene.admin.id, type: 'site.permission.updated', site, user, role: 'read' },
  ];
  expect(events).toEqual(all);
  const seen = await service.as(person.token).get(`/orgs/${organization}/events`);
  const types = seen.body.items.map((event: Listed) => event.type);
  expect(types).toContain('space.content.updated');
  expect(types.filter((type: string) => type.includes('permission'))).toEqual([]);
});

it('a transfer of a space records an event in both organizations, without naming the other one', async () => {
  const scene = await setScene(service);
  const { me, space, organization } = scene;
  const user = scene.admin.id;
  const other = await service.build.organization({});
  await service.build.join(other.id, user, 'admin');
  await me.post(`/spaces/${space}/transfer`, { organization: other.id });
  const [left] = await eventsOf(me, organization);
  const [arrived] = await eventsOf(me, other.id);
  expect(left).toMatchObject({ type: 'space.transferred', organization, space });
  expect(arrived).toMatchObject({ type: 'space.transferred', organization: other.id, space });
  expect(JSON.stringify(left)).not.toContain(other.id);
});

it('the list has only events about what the caller may view now', async () => {
  const { me, organization, space } = await setScene(service);
  const member = await service.build.member(organization, 'read');
  const guest = await service.build.member(organization, null);
  const secret = (await me.post(`/orgs/${organization}/spaces`, { title: 'Secret' })).body.id;
  await me.patch(`/spaces/${secret}`, { defaultLevel: null });
  await me.patch(`/orgs/${organization}/members/${member.id}`, { role: 'comment' });
  await me.patch(`/spaces/${space}`, { title: 'Known' });

  const abouts = async (token: string) =>
    new Set((await eventsOf(service.as(token), organization)).map(({ space, user: of }) => space ?? of));
  expect(await abouts(member.token)).toEqual(new Set([space, member.id]));
  expect(await abouts(guest.token)).toEqual(new Set());
  await me.post(`/spaces/${secret}/permissions`, { role: 'read', users: [guest.id] });
  expect(await abouts(guest.token)).toEqual(new Set([secret]));

  await me.delete(`/spaces/${secret}`);
  const seen = await eventsOf(service.as(guest.token), organization);
  expect(seen.map(({ type }) => type)).toEqual(['space.deleted']);
});

it('the list of events is filtered by space, change request and type, and paginated', async () => {
  const scene = await setScene(service);
  const { me, organization, space } = scene;
  const { at, id } = await open(scene);
  await me.patch(at, { subject: 'One' });
  await me.patch(`/spaces/${space}`, { title: 'Two' });
  const of = async (query: string) => (await eventsOf(me, organization, query)).map(({ type }) => type);
  expect(await of(`&changeRequest=${id}`)).toEqual(['change_request.updated', 'change_request.created']);
  expect(await of(`&space=${space}&type=space.updated&type=change_request.created`)).toEqual([
    'space.updated',
    'change_request.created',
  ]);
  const all = await eventsOf(me, organization);
  const walked: Listed[] = [];
  for (let page = ''; ; ) {
    const { body } = await me.get(`/orgs/${organization}/events?limit=1${page}`);
    walked.push(...body.items);
    if (!body.next) break;
    page = `&page=${encodeURIComponent(body.next.page)}`;
  }
  expect(walked).toEqual(all);
});

it('the list of events refuses unknown types', async () => {
  const { me, organization } = await setScene(service);
  const { status, body } = await me.get(`/orgs/${organization}/events?type=space.exploded`);
  expect(status).toBe(400);
  expect(body.error.details[0].path).toBe('type.0');
  expect(EVENT_TYPES).not.toContain('space.exploded');
});

it('the events of a transaction are not published if it is rolled back', async () => {
  const { me, organization, space } = await setScene(service);
  const before = await eventsOf(me, organization);
  const failing = service.runtime.database.transaction(async (em) => {
    recordEvent(em, { type: 'space.updated', space });
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  expect((await me.patch(`/spaces/${space}`, { editMode: 'sideways' })).status).toBe(400);
  expect(await eventsOf(me, organization)).toEqual(before);
});

it('events are numbered without gaps, in the order of the commits, even of concurrent transactions', async () => {
  const { organization, space } = await setScene(service);
  const { db } = service.runtime.database;
  let committed: string[] = [];
  await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      service.runtime.database
        .transaction(async (em) => {
          recordEvent(em, { type: 'space.updated', space, actor: `a${i}` });
          recordEvent(em, { type: 'space.moved', space, actor: `a${i}` });
          if (i % 5 === 0) throw new Error('rolled back');
        })
        .catch(() => undefined),
    ),
  );
  const rows = await db
    .selectFrom('event')
    .select(['number', 'actor_id', 'type'])
    .where('organization_id', '=', organization)
    .where('actor_id', 'like', 'a%')
    .orderBy('number')
    .execute();
  const numbers = rows.map(({ number }) => Number(number));
  expect(rows).toHaveLength(64);
  expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
  committed = rows.map((row) => `${row.actor_id} ${row.type}`);
  // The two events of a transaction are next to each other, in order.
  for (let i = 0; i < committed.length; i += 2) {
    expect(committed[i + 1]).toBe(committed[i]?.replace('updated', 'moved'));
  }
});

it('the events of a change request are read from an index, however many other events there are', async () => {
  const { id: organization } = await service.build.organization();
  const { db } = service.runtime.database;
  // In 50 change requests of one space, and in other spaces.
  await sql`
      insert into event (id, organization_id, number, type, space_id, change_request_id, details, created_at)
      select gen_random_uuid()::text, ${organization}, number, 'change_request.updated',
        case when number % 2 = 0 then 'space' end, case when number % 2 = 0 then 'request' || number % 100 end,
        '{}', now()
      from generate_series(1, 5000) as number`.execute(db);
  await sql`analyze event`.execute(db);
  const listed = visibleEvents(db, organization, { role: 'admin' }, new Map()).where(
    'event.change_request_id',
    '=',
    'request2',
  );
  const ordered = listed.select('event.id').orderBy('event.number', 'desc').limit(51);
  for (const query of [ordered, listed.select((eb) => eb.fn.countAll().as('count'))]) {
    const plan = JSON.stringify(await query.explain());
    expect(plan).toContain('event_change_request');
    expect(plan).not.toContain('Seq Scan on event');
  }
  expect(await ordered.execute()).toHaveLength(50);
});
