import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kyselyOf } from '../../routers/base/db.ts';
import { lockOrganizations } from '../../routers/organizations/lock.operation.ts';
import { createSite } from '../../routers/sites/sites.operation.ts';
import { newId } from '../../schema/ids.ts';
import { untilBlocked } from '../helpers/blocked-sessions.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const titles = (response: { body: { items: { title: string }[] } }) =>
  response.body.items.map((item) => item.title);

/** The permissions of an admin. */
const ALL = {
  view: true,
  access: true,
  admin: true,
  edit: true,
  create: true,
  installIntegration: true,
  viewAdaptiveSchema: true,
  editAdaptiveSchema: true,
};

/** An organization with its admin, and the path of its sites. */
async function start() {
  const { id, admin } = await service.build.organization();
  return { id, me: service.as(admin.token), sites: `/orgs/${id}/sites` };
}

describe('creating a site', () => {
  test('a site can be created without any input', async () => {
    const { id, me, sites } = await start();
    const { status, body } = await me.post(sites);
    expect(status).toBe(201);
    expect(body).toEqual({
      object: 'site',
      id: body.id,
      type: 'basic',
      appliedType: 'basic',
      title: 'Untitled',
      basename: 'untitled',
      visibility: 'public',
      published: false,
      siteSpaces: 0,
      createdAt: body.createdAt,
      adaptiveContent: { enabled: false },
      agentsContext: 'included',
      features: body.features,
      defaultLevel: 'inherit',
      urls: {
        location: `http://docs.test/v1/orgs/${id}/sites/${body.id}`,
        app: `http://docs.test/app/orgs/${id}/sites/${body.id}`,
        preview: `http://docs.test/sites/${body.id}`,
      },
      permissions: ALL,
    });
    expect((await me.get(`${sites}/${body.id}`)).body).toEqual(body);
  });

  test('a new site has the given spaces in order, the first as the default', async () => {
    const { id, me, sites } = await start();
    const one = await service.build.space(id, { title: 'One' });
    const two = await service.build.space(id, { title: 'Two' });
    const { body } = await me.post(sites, { title: 'Docs', spaces: [two.id, one.id, two.id] });
    expect(body).toMatchObject({ siteSpaces: 2, basename: 'docs' });
    const { items } = (await me.get(`${sites}/${body.id}/site-spaces`)).body;
    expect(items).toMatchObject([
      { title: 'Two', path: 'two', default: true },
      { title: 'One', path: 'one', default: false },
    ]);
  });

  test('a site cannot be created with a space that is deleted, unknown or of another organization', async () => {
    const { id, me, sites } = await start();
    const deleted = await service.build.space(id, { deletedAt: new Date() });
    const foreign = await service.build.space();
    for (const space of [deleted.id, foreign.id, 'nothing']) {
      expect((await me.post(sites, { spaces: [space] })).status).toBe(404);
    }
    expect((await me.get(sites)).body.count).toBe(0);
  });

  test('a new site gets a path from its title that no other site of the organization has', async () => {
    const { me, sites } = await start();
    const made = await Promise.all([1, 2, 3].map(() => me.post(sites, { title: 'The Docs' })));
    expect(made.map(({ body }) => body.basename).sort()).toEqual(['the-docs', 'the-docs-1', 'the-docs-2']);
  });

  test.for([
    { title: 'x' },
    { title: 'x'.repeat(129) },
    { type: 'free' },
    { visibility: 'private' },
    { spaces: 'all' },
  ])('creating a site refuses %j', async (body) => {
    const { me, sites } = await start();
    expect((await me.post(sites, body)).status).toBe(400);
  });
});

test('the list of sites is filtered by space, title, type and whether they are published', async () => {
  const { id, me, sites } = await start();
  const space = await service.build.space(id);
  await service.build.site(id, { title: 'Guides', spaces: [space.id], published: false });
  await service.build.site(id, { title: 'The API_guide', published: true });
  await me.post(sites, { title: 'Blog', type: 'premium' });
  expect(titles(await me.get(sites))).toEqual(['Blog', 'The API_guide', 'Guides']);
  expect(titles(await me.get(`${sites}?title=GUIDE`))).toEqual(['The API_guide', 'Guides']);
  expect(titles(await me.get(`${sites}?title=_`))).toEqual(['The API_guide']);
  expect(titles(await me.get(`${sites}?title=%25`))).toEqual([]);
  expect(titles(await me.get(`${sites}?published=true`))).toEqual(['The API_guide']);
  expect((await me.get(`${sites}?published=false`)).body.count).toBe(2);
  expect(titles(await me.get(`${sites}?type=premium&type=ultimate`))).toEqual(['Blog']);
  expect(titles(await me.get(`${sites}?space=${space.id}`))).toEqual(['Guides']);
  expect((await me.get(`${sites}?space=nothing`)).body.items).toEqual([]);
  await me.delete(`/spaces/${space.id}`);
  expect((await me.get(`${sites}?space=${space.id}`)).body.count).toBe(0);
});

test('the list of sites has only those that the caller may view', async () => {
  const { id, me, sites } = await start();
  const open = await service.build.site(id, { title: 'Open' });
  const closed = await service.build.site(id, { title: 'Closed' });
  await me.patch(`${sites}/${closed.id}`, { defaultLevel: null });
  const reader = await service.build.member(id, 'read');
  const guest = await service.build.member(id, null);
  expect(titles(await service.as(reader.token).get(sites))).toEqual(['Open']);
  expect(titles(await service.as(guest.token).get(sites))).toEqual([]);
  await service.build.grant(id, { user: guest.id, site: closed.id, role: 'read' });
  const seen = await service.as(guest.token).get(sites);
  expect(titles(seen)).toEqual(['Closed']);
  expect(seen.body).toMatchObject({ count: 1, items: [{ permissions: { view: true, admin: false } }] });
  expect((await service.as(guest.token).get(`${sites}/${open.id}`)).status).toBe(404);
});

test('the list of sites by a space shows no site to those who may not view the space', async () => {
  const { id, sites } = await start();
  const space = await service.build.space(id, { defaultLevel: null });
  await service.build.site(id, { spaces: [space.id] });
  const reader = service.as((await service.build.member(id, 'read')).token);
  expect((await reader.get(sites)).body.count).toBe(1);
  expect((await reader.get(`${sites}?space=${space.id}`)).body.count).toBe(0);
});

describe('changing a site', () => {
  test('changing a site sets the given fields and keeps the rest', async () => {
    const { id, me, sites } = await start();
    const site = `${sites}/${(await service.build.site(id, { published: false })).id}`;
    const before = (await me.get(site)).body;
    const changes = { title: 'New', visibility: 'unlisted', basename: 'new', agentsContext: 'excluded' };
    const { status, body } = await me.patch(site, changes);
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, ...changes, features: body.features });
    expect((await me.patch(site, { adaptiveContent: { enabled: true } })).body.adaptiveContent).toEqual({
      enabled: true,
    });
    const proxied = await me.patch(site, { proxy: 'example.com/docs/new' });
    expect(proxied.body.proxy.origin).toBe('example.com/docs/new');
    expect((await me.patch(site, {})).body).toEqual(proxied.body);
    expect((await me.patch(site, { proxy: null })).body.proxy).toBeUndefined();
  });

  test('changing a site keeps its path when the title changes', async () => {
    const { me, sites } = await start();
    const site = `${sites}/${(await me.post(sites, { title: 'Old' })).body.id}`;
    expect((await me.patch(site, { title: 'Renamed' })).body.basename).toBe('old');
  });

  test.for([
    { title: 'x' },
    { visibility: 'private' },
    { basename: '' },
    { basename: 'a/b' },
    { basename: '..' },
    { basename: '🎈' },
    { basename: 'x'.repeat(101) },
    { basename: newId() },
    { basename: '.well-known' },
    { basename: 'Robots.txt' },
    { proxy: 'example.com' },
    { proxy: 'https://example.com/docs' },
    { proxy: 'example.com/../docs' },
    { proxy: `example.com/${'x'.repeat(512)}` },
    { agentsContext: 'some' },
    { adaptiveContent: {} },
    { defaultLevel: 'owner' },
  ])('changing a site refuses %j', async (body) => {
    const { id, me, sites } = await start();
    const { id: site } = await service.build.site(id);
    expect((await me.patch(`${sites}/${site}`, body)).status).toBe(400);
  });

  test('changing a site refuses the path and the proxy of another site', async () => {
    const { id, me, sites } = await start();
    const [one, two] = [await service.build.site(id), await service.build.site(id, { title: 'Other' })];
    const elsewhere = await start();
    const three = await service.build.site(elsewhere.id, { title: 'Other' });
    await me.patch(`${sites}/${one.id}`, { basename: 'taken', proxy: 'example.com/taken' });
    const refused = await me.patch(`${sites}/${two.id}`, { basename: 'taken' });
    expect(refused.status).toBe(409);
    expect(refused.body.error.message).toBe('Another site has this basename.');
    expect((await me.patch(`${sites}/${two.id}`, { proxy: 'example.com/taken' })).status).toBe(409);
    const foreign = `${elsewhere.sites}/${three.id}`;
    expect((await elsewhere.me.patch(foreign, { basename: 'taken' })).status).toBe(200);
  });

  test('changing a site waits for a site that is being created, and cannot take its path', async () => {
    const { id, me, sites } = await start();
    const { id: other } = await service.build.site(id);
    const { database } = service.runtime;
    const { changed } = await database.transaction(async (em) => {
      await lockOrganizations(kyselyOf(em), id);
      const changed = me.patch(`${sites}/${other}`, { basename: 'guides' });
      await untilBlocked((statement) => sql.raw(statement).execute(database.db));
      await createSite(em, { organization: id, title: 'Guides', authKey: '' });
      return { changed };
    });
    expect((await changed).status).toBe(409);
  });

  test('changing a site may remove the access of the caller', async () => {
    const { id, sites } = await start();
    const { id: site } = await service.build.site(id);
    const editor = await service.build.member(id, 'edit');
    const at = `${sites}/${site}`;
    await service.build.grant(id, { user: editor.id, site, role: 'admin' });
    const person = service.as(editor.token);
    expect((await person.patch(at, { title: 'Mine' })).body.permissions).toEqual(ALL);
    expect((await service.as((await service.build.member(id, 'create')).token).patch(at, {})).status).toBe(
      403,
    );
  });
});

describe('publishing a site', () => {
  test('publishing a site gives readers access, and unpublishing removes it', async () => {
    const { id, me, sites } = await start();
    const site = `${sites}/${(await service.build.site(id, { published: false })).id}`;
    expect((await me.post(`${site}/unpublish`)).status).toBe(409);
    expect((await me.post(`${site}/publish`)).body).toMatchObject({ published: true });
    expect((await me.post(`${site}/publish`)).status).toBe(409);
    expect((await me.get(site)).body.published).toBe(true);
    expect((await me.post(`${site}/unpublish`)).body.published).toBe(false);
  });

  test('publishing a site succeeds once for concurrent requests', async () => {
    const { id, me, sites } = await start();
    const site = `${sites}/${(await service.build.site(id, { published: false })).id}`;
    const responses = await Promise.all([1, 2, 3, 4].map(() => me.post(`${site}/publish`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });
});

test('deleting a site keeps its spaces', async () => {
  const { id, me, sites } = await start();
  const space = await service.build.space(id);
  const site = `${sites}/${(await service.build.site(id, { spaces: [space.id] })).id}`;
  expect((await me.post(`${site}/sections`, { spaceId: (await service.build.space(id)).id })).status).toBe(
    201,
  );
  expect((await me.delete(site)).status).toBe(205);
  expect((await me.get(site)).status).toBe(404);
  expect((await me.delete(site)).status).toBe(204);
  expect((await me.get(`/spaces/${space.id}`)).status).toBe(200);
});

test('the features of a site are those that it uses, with the plan of its type', async () => {
  const { id, me, sites } = await start();
  const { body } = await me.post(sites, { type: 'ultimate', visibility: 'share-link' });
  const site = `${sites}/${body.id}`;
  const features = async (): Promise<string[]> => {
    const { features } = (await me.get(site)).body;
    for (const { plan, frozen } of features) expect([plan, frozen]).toEqual(['ultimate', false]);
    return features.map((feature: { id: string }) => feature.id);
  };
  expect(await features()).toEqual(['sites-share-links', 'sites-pdf-export']);
  await me.patch(site, {
    visibility: 'public',
    adaptiveContent: { enabled: true },
    proxy: 'example.com/features',
  });
  for (const title of ['One', 'Two', 'Three']) {
    const { id: spaceId } = await service.build.space(id, { title });
    await me.post(`${site}/${title === 'Two' ? 'sections' : 'site-spaces'}`, { spaceId });
  }
  expect(await features()).toEqual([
    'sites-public-visibility',
    'sites-adaptive-content',
    'sites-sections',
    'sites-multivariant-site',
    'sites-custom-subdirectory',
    'sites-pdf-export',
  ]);
});

test('permissions on a site come from roles and grants, and everyone who has some is listed', async () => {
  const { id, me, sites } = await start();
  const { id: site } = await service.build.site(id);
  const at = `${sites}/${site}`;
  const guest = await service.build.member(id, null);
  const team = await service.build.team(id, { members: [guest.id] });
  expect((await me.post(`${at}/permissions`, { role: 'admin', teams: [team.id] })).status).toBe(204);
  expect((await service.as(guest.token).patch(at, { title: 'Ours' })).status).toBe(200);
  const { items } = (await me.get(`${at}/permissions/aggregate`)).body;
  expect(items).toMatchObject([
    { permission: 'admin', user: { id: guest.id }, origin: { type: 'organization', organization: id } },
    { permission: 'admin' },
  ]);
  expect((await me.get(`${at}/permissions/teams`)).body.items).toMatchObject([{ permission: 'admin' }]);
  expect((await me.delete(`${at}/permissions/teams/${team.id}`)).status).toBe(205);
  expect((await service.as(guest.token).get(at)).status).toBe(404);
  expect((await me.patch(`${at}/permissions/users/${guest.id}`, { role: 'read' })).status).toBe(204);
  expect((await service.as(guest.token).get(at)).status).toBe(200);
  expect((await service.as(guest.token).patch(at, {})).status).toBe(403);
});

test('adding a space to a site requires `admin` on the space, because it lets others read it', async () => {
  const { id, sites } = await start();
  const { id: site } = await service.build.site(id);
  const person = await service.build.member(id, 'review');
  await service.build.grant(id, { user: person.id, site, role: 'admin' });
  const space = await service.build.space(id);
  const secret = await service.build.space(id, { defaultLevel: null });
  const me = service.as(person.token);
  for (const list of ['sections', 'site-spaces']) {
    expect((await me.post(`${sites}/${site}/${list}`, { spaceId: space.id })).status).toBe(403);
    expect((await me.post(`${sites}/${site}/${list}`, { spaceId: secret.id })).status).toBe(404);
  }
  await service.build.grant(id, { user: person.id, space: space.id, role: 'admin' });
  const { body } = await me.post(`${sites}/${site}/site-spaces`, { spaceId: space.id });
  expect(body).toMatchObject({ object: 'site-space', default: true });
  const replaced = await me.patch(`${sites}/${site}/site-spaces/${body.id}`, { spaceId: secret.id });
  expect(replaced.status).toBe(404);
});
