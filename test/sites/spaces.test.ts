import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeDeletedSpaces } from '../../routers/spaces/removal.operation.ts';
import { toolContext } from '../../server/context.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A site that shows three spaces, of which the first is the default and in a collection. */
async function start() {
  const { id, admin } = await service.build.organization();
  const me = service.as(admin.token);
  const collection = await service.build.collection(id);
  const spaces = [
    await service.build.space(id, { title: 'One', parent: collection.id }),
    await service.build.space(id, { title: 'Two' }),
    await service.build.space(id, { title: 'Three' }),
  ].map((space) => space.id) as [string, string, string];
  const made = await service.build.site(id, { title: 'Docs', spaces });
  const destination = await service.build.organization();
  await service.build.join(destination.id, admin.id, 'admin');
  const site = `/orgs/${id}/sites/${made.id}`;
  return { id, me, collection: collection.id, spaces, siteId: made.id, site, destination: destination.id };
}

const shown = async (me: Client, site: string): Promise<string[]> => {
  const { body } = await me.get(`${site}/structure`);
  const count = (await me.get(site)).body.siteSpaces;
  expect(count).toBe(body.structure.length);
  return body.structure.map(
    ({ title, default: isDefault }: { title: string; default: boolean }) => `${title}${isDefault ? '*' : ''}`,
  );
};

const expire = async (spaces: string[]) => {
  const { db } = service.runtime.database;
  const long = new Date(Date.now() - 8 * 24 * 3600 * 1000);
  await db.updateTable('space').set({ deleted_at: long }).where('id', 'in', spaces).execute();
  await removeDeletedSpaces(toolContext(service.runtime.database, service.runtime.services));
};

describe('a space that is deleted', () => {
  test('a space that is deleted disappears from its sites, and reappears as it was when it is restored', async () => {
    const { me, site, spaces } = await start();
    const before = (await me.get(`${site}/structure`)).body;
    await me.delete(`/spaces/${spaces[0]}`);
    expect(await shown(me, site)).toEqual(['Two*', 'Three']);
    expect((await me.get(`${site}/site-spaces?default=true`)).body.items[0].title).toBe('Two');
    await me.post(`/spaces/${spaces[0]}/restore`);
    expect(await shown(me, site)).toEqual(['One*', 'Two', 'Three']);
    const after = (await me.get(`${site}/structure`)).body.structure;
    expect(after.map(({ id, path }: { id: string; path: string }) => [id, path])).toEqual(
      before.structure.map(({ id, path }: { id: string; path: string }) => [id, path]),
    );
  });

  test('a space that is deleted with its collection disappears from its sites', async () => {
    const { me, site, collection } = await start();
    await me.delete(`/collections/${collection}`);
    expect(await shown(me, site)).toEqual(['Two*', 'Three']);
  });

  test('the site space of a space that is deleted can be neither changed nor moved, but removed', async () => {
    const { me, site, spaces } = await start();
    const [{ id }, other] = (await me.get(`${site}/structure`)).body.structure;
    await me.delete(`/spaces/${spaces[0]}`);
    const at = `${site}/site-spaces/${id}`;
    expect((await me.patch(at, { path: 'new' })).status).toBe(404);
    expect((await me.post(`${at}/move`)).status).toBe(404);
    expect((await me.patch(site, { defaultSiteSpace: id })).status).toBe(404);
    expect((await me.post(`${site}/site-spaces`, { spaceId: spaces[0] })).status).toBe(404);
    expect((await me.delete(at)).status).toBe(205);
    expect((await me.delete(at)).status).toBe(204);
    expect((await me.get(`${site}/site-spaces?default=true`)).body.items).toMatchObject([{ id: other.id }]);
    await me.post(`/spaces/${spaces[0]}/restore`);
    expect(await shown(me, site)).toEqual(['Two*', 'Three']);
  });

  test('the site space of a space that is deleted is removed only by those who may view the space', async () => {
    const { id: organization, me, site, spaces } = await start();
    const [{ id }] = (await me.get(`${site}/structure`)).body.structure;
    await me.patch(`/spaces/${spaces[0]}`, { defaultLevel: null });
    await me.delete(`/spaces/${spaces[0]}`);
    const member = await service.build.member(organization, 'read');
    await me.post(`${site}/permissions`, { users: [member.id], role: 'admin' });
    expect((await service.as(member.token).delete(`${site}/site-spaces/${id}`)).status).toBe(204);
    expect((await me.delete(`${site}/site-spaces/${id}`)).status).toBe(205);
  });

  test('the site space of a space that is deleted gives up its path to others, and gets another one', async () => {
    const { id, me, site, spaces } = await start();
    const items = (await me.get(`${site}/structure`)).body.structure;
    await me.delete(`/spaces/${spaces[0]}`);
    const second = `${site}/site-spaces/${items[1].id}`;
    expect((await me.patch(second, { path: 'one' })).body.path).toBe('one');
    expect((await me.patch(second, { path: 'three' })).status).toBe(409);
    await me.post(`/spaces/${spaces[0]}/restore`);
    const paths = async () =>
      (await me.get(`${site}/structure`)).body.structure.map(({ path }: { path: string }) => path);
    expect(await paths()).toEqual(['one-1', 'one', 'three']);
    await me.delete(`/spaces/${spaces[2]}`);
    const another = await service.build.space(id, { title: 'Three' });
    const added = await me.post(`${site}/site-spaces`, { spaceId: another.id });
    expect([added.status, added.body.path]).toEqual([201, 'three']);
    await me.post(`/spaces/${spaces[2]}/restore`);
    expect(await paths()).toEqual(['one-1', 'one', 'three-1', 'three']);
  });

  test('a space that is deleted neither counts as a variant nor names the first section', async () => {
    const { id, me, site, spaces } = await start();
    const uses = async () =>
      (await me.get(site)).body.features
        .map((feature: { id: string }) => feature.id)
        .includes('sites-multivariant-site');
    expect(await uses()).toBe(true);
    for (const space of [spaces[0], spaces[2]]) await me.delete(`/spaces/${space}`);
    expect(await uses()).toBe(false);
    await me.post(`${site}/sections`, { spaceId: (await service.build.space(id, { title: 'News' })).id });
    const { items } = (await me.get(`${site}/sections`)).body;
    expect(items.map(({ title }: { title: string }) => title)).toEqual(['Two', 'News']);
  });

  test('when a space is deleted for good, the next site space becomes the default and stays it', async () => {
    const { me, site, spaces } = await start();
    await me.delete(`/spaces/${spaces[0]}`);
    await expire([spaces[0]]);
    const [two] = (await me.get(`${site}/structure`)).body.structure;
    const item = { type: 'site-space', id: two.id };
    expect((await me.patch(`${site}/structure/sort`, { item, position: {} })).status).toBe(200);
    expect(await shown(me, site)).toEqual(['Three', 'Two*']);
  });

  test('a section with only a deleted space is visible to admins alone', async () => {
    const { id, me, site, spaces } = await start();
    const { body: section } = await me.post(`${site}/sections`, {
      spaceId: (await service.build.space(id)).id,
    });
    const reader = service.as((await service.build.member(id, 'read')).token);
    for (const space of spaces) await me.delete(`/spaces/${space}`);
    const sections = async (client: Client) => (await client.get(`${site}/structure`)).body.structure;
    expect(await sections(me)).toHaveLength(2);
    expect(await sections(reader)).toMatchObject([{ id: section.id, default: true }]);
    await me.post(`/spaces/${spaces[1]}/restore`);
    expect(await sections(reader)).toMatchObject([
      { title: 'One', default: true, siteSpaces: [{ title: 'Two', default: true }] },
      { id: section.id, default: false },
    ]);
  });
});

test('a space that is moved or duplicated stays on its sites, and the copy is on none', async () => {
  const { me, site, spaces, collection } = await start();
  await me.post(`/spaces/${spaces[1]}/move`, { parent: collection });
  await me.post(`/spaces/${spaces[1]}/duplicate`);
  expect(await shown(me, site)).toEqual(['One*', 'Two', 'Three']);
});

test('a space that is shown on a site cannot leave its organization, nor can its collection', async () => {
  const { me, site, spaces, collection, destination } = await start();
  const refused = await me.post(`/spaces/${spaces[0]}/transfer`, { organization: destination });
  expect(refused).toMatchObject({
    status: 412,
    body: {
      error: {
        message: 'The space "One" cannot leave its organization while it is on the site "Docs".',
      },
    },
  });
  expect((await me.post(`/collections/${collection}/transfer`, { organization: destination })).status).toBe(
    412,
  );
  expect(await shown(me, site)).toEqual(['One*', 'Two', 'Three']);
  const [first] = (await me.get(`${site}/structure`)).body.structure;
  await me.delete(`${site}/site-spaces/${first.id}`);
  expect((await me.post(`/collections/${collection}/transfer`, { organization: destination })).status).toBe(
    200,
  );
  expect(await shown(me, site)).toEqual(['Two*', 'Three']);
});

test('the error for transferring a space does not name a site that the caller may not view', async () => {
  const { id, me, site, spaces, destination } = await start();
  await me.patch(site, { defaultLevel: null });
  const person = await service.build.member(id, 'read');
  await service.build.join(destination, person.id, 'create');
  await service.build.grant(id, { user: person.id, space: spaces[1], role: 'admin' });
  const transfer = () =>
    service.as(person.token).post(`/spaces/${spaces[1]}/transfer`, { organization: destination });
  const { status, body } = await transfer();
  expect([status, body.error.message]).toEqual([
    412,
    'The space "Two" cannot leave its organization while it is on a site.',
  ]);
  await service.build.grant(id, { user: person.id, site: site.split('/').at(-1) as string, role: 'read' });
  expect((await transfer()).body.error.message).toContain('the site "Docs"');
});

test('a space that is shown on a site counts among the spaces of the site for those who may view it', async () => {
  const { id, me, site, spaces, collection } = await start();
  await me.patch(`/spaces/${spaces[1]}`, { defaultLevel: null });
  await me.patch(`/collections/${collection}`, { defaultLevel: null });
  const list = site.slice(0, site.lastIndexOf('/'));
  const count = async (token: string) => {
    const client = service.as(token);
    return [
      (await client.get(site)).body.siteSpaces,
      (await client.get(`${site}/published`)).body.site.siteSpaces,
      (await client.get(`${site}/site-spaces`)).body.count,
      (await client.get(list)).body.items[0].siteSpaces,
    ];
  };
  const reader = await service.build.member(id, 'create');
  expect(await count(reader.token)).toEqual([1, 1, 1, 1]);
  const team = await service.build.team(id, { members: [reader.id] });
  await service.build.grant(id, { team: team.id, collection, role: 'read' });
  expect(await count(reader.token)).toEqual([2, 2, 2, 2]);
  await service.build.grant(id, { user: reader.id, space: spaces[1], role: 'read' });
  expect(await count(reader.token)).toEqual([3, 3, 3, 3]);
  const guest = await service.build.member(id, null);
  await service.build.grant(id, { user: guest.id, site: site.split('/').at(-1) as string, role: 'admin' });
  expect(await count(guest.token)).toEqual([0, 0, 0, 0]);
  const renamed = await service.as(guest.token).patch(site, { title: 'Renamed' });
  expect(renamed.body).toMatchObject({ title: 'Renamed', siteSpaces: 0 });
});

test('a deleted space that was transferred does not reappear on its former site', async () => {
  const { me, site, spaces, collection, destination } = await start();
  await me.delete(`/spaces/${spaces[0]}`);
  expect((await me.post(`/collections/${collection}/transfer`, { organization: destination })).status).toBe(
    200,
  );
  expect((await me.post(`/spaces/${spaces[0]}/restore`)).status).toBe(200);
  expect(await shown(me, site)).toEqual(['Two*', 'Three']);
});

test('a space is either transferred or added to a site, never both', async () => {
  const { id, me, siteId, site, destination } = await start();
  for (let round = 0; round < 6; round++) {
    const { id: spaceId } = await service.build.space(id, { title: `Space ${round}` });
    const [added, transferred] = await Promise.all([
      me.post(`${site}/site-spaces`, { spaceId }),
      me.post(`/spaces/${spaceId}/transfer`, { organization: destination }),
    ]);
    expect([
      [201, 412],
      [404, 200],
    ]).toContainEqual([added.status, transferred.status]);
  }
  const { db } = service.runtime.database;
  const foreign = await db
    .selectFrom('site_space')
    .innerJoin('space', 'space.id', 'site_space.space_id')
    .select('space.id')
    .where('site_id', '=', siteId)
    .where('organization_id', '<>', id)
    .execute();
  expect(foreign).toEqual([]);
});

test('the default site of an organization is one of its sites, as long as it exists', async () => {
  const { id, me, siteId, site } = await start();
  const organization = `/orgs/${id}`;
  const defaultContent = { type: 'site', site: siteId };
  expect((await me.patch(organization, { defaultContent })).body.defaultContent).toEqual(defaultContent);
  expect((await me.patch(organization, { title: 'Acme' })).body.defaultContent).toEqual(defaultContent);
  const foreign = await service.build.site();
  for (const other of [foreign.id, 'nothing', null]) {
    const refused = await me.patch(organization, { defaultContent: { type: 'site', site: other } });
    expect(refused.status).toBe(400);
  }
  await me.delete(site);
  expect((await me.get(organization)).body.defaultContent).toBeUndefined();
  expect((await me.patch(organization, { defaultContent })).status).toBe(400);
  const { id: next } = await service.build.site(id);
  await me.patch(organization, { defaultContent: { type: 'site', site: next } });
  expect((await me.patch(organization, { defaultContent: null })).body.defaultContent).toBeUndefined();
});
