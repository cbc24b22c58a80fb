import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { statementsOf } from '../bench/queries.ts';
import type { Person } from '../helpers/builders.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let organization: { id: string; admin: Person };
let me: Client;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  organization = await service.build.organization();
  me = service.as(organization.admin.token);
});

const addressFor = async (client: Client, space: string) =>
  (await expectOk(client.get(`/spaces/${space}`))).urls.published;

test('a space has its URL on the oldest published site that shows it', async () => {
  const { id: space } = await service.build.space(organization.id);
  const spaces = [space];
  expect(await addressFor(me, space)).toBeUndefined();
  const older = await service.build.site(organization.id, { published: false, spaces });
  const newer = await service.build.site(organization.id, { spaces });
  expect(await addressFor(me, space)).toBe(`http://docs.test/sites/${newer.id}`);
  await me.post(`/orgs/${organization.id}/sites/${older.id}/publish`);
  expect(await addressFor(me, space)).toBe(`http://docs.test/sites/${older.id}`);
  await me.delete(`/orgs/${organization.id}/sites/${older.id}`);
  expect(await addressFor(me, space)).toBe(`http://docs.test/sites/${newer.id}`);
  await me.post(`/orgs/${organization.id}/sites/${newer.id}/unpublish`);
  expect(await addressFor(me, space)).toBeUndefined();
});

test('a space has the URL of its place on the site that shows it', async () => {
  const { id: space } = await service.build.space(organization.id);
  const { id: site } = await service.build.site(organization.id, { basename: 'docs' });
  const { id: section } = await service.build.section(site, { path: 'guides' });
  await service.build.siteSpace(site, { path: 'v2', space, section });
  await expectOk(
    me.patch(`/orgs/${organization.id}/sites/${site}`, { proxy: `${space.toLowerCase()}.com/help` }),
  );
  expect(await addressFor(me, space)).toBe(`https://${space.toLowerCase()}.com/help/guides/v2`);
});

test('a space has a URL only on sites that the caller may view', async () => {
  const { id: space } = await service.build.space(organization.id);
  const [hidden, open] = [
    await service.build.site(organization.id, { spaces: [space] }),
    await service.build.site(organization.id, { spaces: [space] }),
  ];
  await me.patch(`/orgs/${organization.id}/sites/${hidden.id}`, { defaultLevel: null });
  const member = await service.build.member(organization.id, 'read');
  const guest = await service.build.member(organization.id, null);
  await service.build.grant(organization.id, { user: guest.id, space, role: 'read' });
  const [reader, visitor] = [service.as(member.token), service.as(guest.token)];
  expect(await addressFor(me, space)).toContain(hidden.id);
  expect(await addressFor(reader, space)).toContain(open.id);
  expect(await addressFor(visitor, space)).toBeUndefined();
  await service.build.grant(organization.id, { user: guest.id, site: hidden.id, role: 'read' });
  const team = await service.build.team(organization.id, { members: [member.id] });
  await service.build.grant(organization.id, { team: team.id, site: hidden.id, role: 'read' });
  expect(await addressFor(visitor, space)).toContain(hidden.id);
  expect(await addressFor(reader, space)).toContain(hidden.id);
});

test('a space has a URL only on sites where it is no draft: neither itself, nor its section, nor a group above', async () => {
  const { id: space } = await service.build.space(organization.id);
  const sites = `/orgs/${organization.id}/sites`;
  const create = async (given: object) => (await expectOk(me.post(sites, { title: 'Docs', ...given }))).id;
  const older = await create({ visibility: 'share-link' });
  const newer = await create({ spaces: [space] });
  const section = await expectOk(me.post(`${sites}/${older}/sections`, { spaceId: space }));
  const inner = (
    await expectOk(me.post(`${sites}/${older}/section-groups`, { title: 'In', sections: [section.id] }))
  ).id;
  const outer = (await expectOk(me.post(`${sites}/${older}/section-groups`, { title: 'Out' }))).id;
  const item = { type: 'site-section-group', id: inner };
  const other = await expectOk(
    me.post(`${sites}/${older}/section-groups`, { title: 'Other', parent: outer }),
  );
  const position = { before: { type: 'site-section-group', id: other.id } };
  await expectOk(me.patch(`${sites}/${older}/structure/sort`, { item, position }));
  const { urls } = await expectOk(me.post(`${sites}/${older}/share-links`, { name: 'Link' }));
  const key = urls.published.split('/').at(-1);
  for (const site of [older, newer]) await expectOk(me.post(`${sites}/${site}/publish`));
  const shared = async () => (await expectOk(me.get(`/spaces/${space}?shareKey=${key}`))).urls.published;
  const shown = [`http://docs.test/sites/${older}`, `http://docs.test/sites/${older}/${key}`];
  expect([await addressFor(me, space), await shared()]).toEqual(shown);
  for (const draft of [
    `site-spaces/${section.siteSpaces[0].id}`,
    `sections/${section.id}`,
    `section-groups/${inner}`,
    `section-groups/${outer}`,
  ]) {
    await expectOk(me.patch(`${sites}/${older}/${draft}`, { draft: true }));
    expect([draft, await addressFor(me, space), await shared()]).toEqual([
      draft,
      `http://docs.test/sites/${newer}`,
      undefined,
    ]);
    await expectOk(me.patch(`${sites}/${older}/${draft}`, { draft: false }));
  }
  expect([await addressFor(me, space), await shared()]).toEqual(shown);
});

test('every operation that returns a space includes its URL', async () => {
  const { id: collection } = await service.build.collection(organization.id);
  const { id: space } = await service.build.space(organization.id, { parent: collection });
  const { id: site } = await service.build.site(organization.id, { spaces: [space] });
  const { id: other } = await service.build.site(organization.id, { spaces: [space] });
  const at = `/spaces/${space}`;
  const { id } = organization;
  const sites = `/orgs/${id}/sites`;
  const listed = async (path: string) => (await expectOk(me.get(path))).items;
  const insert = { operation: 'insert_page', title: 'Link', document: { markdown: `[x](/spaces/${space})` } };
  const shown = {
    get: await expectOk(me.get(at)),
    update: await expectOk(me.patch(at, { title: 'New' })),
    edit: await expectOk(me.post(`${at}/content`, { changes: [insert] })),
    move: await expectOk(me.post(`${at}/move`, { parent: null })),
    'move back': await expectOk(me.post(`${at}/move`, { parent: collection })),
    list: (await listed(`/orgs/${id}/spaces`))[0],
    'in a collection': (await listed(`/collections/${collection}/spaces`))[0],
    'of a member': (await listed(`/orgs/${id}/members/${organization.admin.id}/spaces`))[0].space,
    'site space': (await listed(`${sites}/${other}/site-spaces`))[0].space,
    structure: (await expectOk(me.get(`${sites}/${other}/structure`))).structure[0].space,
    'by address': (await expectOk(me.get(`/urls/content?url=http://docs.test/app/spaces/${space}`))).space,
  };
  for (const [what, { urls }] of Object.entries(shown))
    expect([what, urls.published]).toEqual([what, `http://docs.test/sites/${site}`]);
  await expectOk(me.delete(at));
  expect((await expectOk(me.get(at))).urls).not.toHaveProperty('published');
  const restored = await expectOk(me.post(`${at}/restore`));
  expect(restored.urls.published).toBe(`http://docs.test/sites/${site}`);
  expect((await expectOk(me.post(`${at}/duplicate`))).urls).not.toHaveProperty('published');
});

test('reading the URL of a space takes no additional statement', async () => {
  const spaces: string[] = [];
  for (let i = 0; i < 5; i++) spaces.push((await service.build.space(organization.id)).id);
  await service.build.site(organization.id, { spaces });
  const trips = async (url: string) =>
    (await statementsOf(service.app, `/v1${url}`, organization.admin.token)).at(-1)?.trip;
  await trips(`/orgs/${organization.id}/spaces`);
  expect(await trips(`/spaces/${spaces[0]}`)).toBeLessThanOrEqual(2);
  expect(await trips(`/orgs/${organization.id}/spaces`)).toBeLessThanOrEqual(3);
});
