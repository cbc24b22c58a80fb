import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SourcePath } from '../../routers/addresses/source-path.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let admin: Client;
let organization: string;
let site: string;
let section: string;
let siteSpace: string;
let space: string;
let page: string;
beforeAll(async () => {
  service = await startTestService();
  const built = await service.build.organization();
  organization = built.id;
  admin = service.as(built.admin.token);
  site = (await service.build.site(organization)).id;
  space = (await service.build.space(organization)).id;
  const home = await service.build.section(site, { path: 'home', isDefault: true });
  section = (await service.build.section(site, { path: 'guides' })).id;
  const other = await service.build.space(organization);
  await service.build.siteSpace(site, { path: 'main', space: other.id, section: home.id, isDefault: true });
  siteSpace = (await service.build.siteSpace(site, { path: 'v1', space, section, isDefault: true })).id;
  const { body } = await admin.post(`/spaces/${space}/content`, {
    compat: false,
    changes: [{ operation: 'insert_page', title: 'Setting up', document: { markdown: 'Text.' } }],
  });
  page = body.changes.pages[0].id;
});
afterAll(() => service.close());

const at = (path = '') => `/orgs/${organization}/sites/${site}/redirects${path}`;
const toSection = () => ({ kind: 'site-section', siteSectionId: section });
const toSpace = () => ({ kind: 'site-space', siteSpaceId: siteSpace });
const toPage = () => ({ kind: 'site-page', siteSpaceId: siteSpace, pageId: page });
const bySource = (source: string, client = admin) =>
  client.get(`/orgs/${organization}/sites/${site}/redirect?source=${encodeURIComponent(source)}`);

describe('a redirect', () => {
  test('a redirect is created, found by its source, changed, listed and deleted', async () => {
    const { status, body } = await admin.post(at(), { source: '/old/guide', destination: toPage() });
    expect(status).toBe(201);
    expect(body).toEqual({
      object: 'site-redirect',
      id: expect.any(String),
      source: '/old/guide',
      destination: toPage(),
      draft: false,
      captureWildcard: false,
      permanent: false,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect((await bySource('/old/guide')).body).toEqual({
      redirect: body,
      target: `http://docs.test/sites/${site}/guides/setting-up`,
    });
    expect((await admin.patch(at(`/${body.id}`), { destination: toSection() })).status).toBe(200);
    expect((await bySource('/old/guide')).body.target).toBe(`http://docs.test/sites/${site}/guides`);
    await admin.post(at(), { source: '/other', destination: toSpace() });
    const titles = async (query: string) =>
      (await admin.get(at(query))).body.items.map(({ source }: { source: string }) => source);
    expect(await titles('')).toEqual(['/other', '/old/guide']);
    expect(await titles('?search=GUIDE')).toEqual(['/old/guide']);
    expect(await titles('?search=%25')).toEqual([]);
    expect((await admin.delete(at(`/${body.id}`))).status).toBe(205);
    expect((await admin.delete(at(`/${body.id}`))).status).toBe(204);
    expect((await bySource('/old/guide')).status).toBe(404);
  });

  test('changing a redirect is a change of its site', async () => {
    const events = async () => {
      const { body } = await admin.get(`/orgs/${organization}/events?type=site.updated`);
      return body.items.filter((event: { site: string }) => event.site === site).length;
    };
    const before = await events();
    const { body } = await admin.post(at(), { source: '/event', destination: toSpace() });
    expect(await events()).toBe(before + 1);
    await admin.patch(at(`/${body.id}`), { destination: toPage() });
    expect(await events()).toBe(before + 2);
    await admin.delete(at(`/${body.id}`));
    await admin.delete(at(`/${body.id}`));
    expect(await events()).toBe(before + 3);
  });

  test('the source of a redirect is unique on a site, however it is spelled, even for concurrent requests', async () => {
    const create = (source: string) => admin.post(at(), { source, destination: toSpace() });
    const statuses = (await Promise.all(['/one', '/%6Fne', '/%6f%6ee'].map(create))).map(
      ({ status }) => status,
    );
    expect(statuses.toSorted()).toEqual([201, 409, 409]);
    expect((await bySource('/%6fne')).body.redirect.source).toBe('/one');
    const other = await create('/two');
    expect((await admin.patch(at(`/${other.body.id}`), { source: '/one' })).status).toBe(409);
    expect((await admin.patch(at(`/${other.body.id}`), { source: '/two' })).status).toBe(200);
  });

  test('a redirect leads to a section, a site space or a page of its site', async () => {
    const elsewhere = await service.build.site(organization);
    const foreign = (await service.build.section(elsewhere.id, { path: 'x' })).id;
    await service.build.siteSpace(elsewhere.id, { path: 'y', space, section: foreign, isDefault: true });
    for (const destination of [
      { kind: 'site-section', siteSectionId: foreign },
      { kind: 'site-section', siteSectionId: 'x' },
      { kind: 'site-space', siteSpaceId: section },
      { kind: 'site-page', siteSpaceId: siteSpace, pageId: 'x' },
    ]) {
      expect((await admin.post(at(), { source: '/nowhere', destination })).status).toBe(404);
    }
    for (const destination of [
      { kind: 'url', url: 'https://example.com' },
      { kind: 'site-page' },
      null,
      'x',
    ]) {
      expect((await admin.post(at(), { source: '/nowhere', destination })).status).toBe(400);
    }
  });

  test('a redirect cannot lead to its own source', async () => {
    const { status, body } = await admin.post(at(), {
      source: '/guides/setting%2Dup',
      destination: toPage(),
    });
    expect([status, body.error.details]).toEqual([400, [expect.objectContaining({ path: 'destination' })]]);
  });

  test('a redirect cannot lead to a link, and leads nowhere once its page is one', async () => {
    const insert = async (fields: object) => {
      const changes = [{ operation: 'insert_page', ...fields }];
      const { body } = await admin.post(`/spaces/${space}/content`, { compat: false, changes });
      return body.changes.pages[0].id as string;
    };
    const target = { kind: 'url', url: 'https://example.com/' };
    const link = await insert({ title: 'Elsewhere', type: 'link', target });
    const to = (pageId: string) => ({ kind: 'site-page', siteSpaceId: siteSpace, pageId });
    const { status, body } = await admin.post(at(), { source: '/to/link', destination: to(link) });
    expect([status, body.error.details]).toEqual([
      400,
      [{ path: 'destination', message: 'The page is a link, which has no address.' }],
    ]);
    const { id } = (await admin.post(at(), { source: '/to/page', destination: to(page) })).body;
    expect((await admin.patch(at(`/${id}`), { destination: to(link) })).status).toBe(400);
    const { db } = service.runtime.database;
    await sql`update site_redirect set destination = ${JSON.stringify(to(link))}::jsonb where id = ${id}`.execute(
      db,
    );
    expect((await bySource('/to/page')).status).toBe(404);
    const lookup = await admin.post('/urls/published', { url: `http://docs.test/sites/${site}/to/page` });
    expect(lookup.body).toMatchObject({ pathname: 'to/page' });
  });

  test('a redirect is not found while its space is deleted', async () => {
    await admin.post(at(), { source: '/gone', destination: toPage() });
    await admin.delete(`/spaces/${space}`);
    expect((await bySource('/gone')).status).toBe(404);
    await admin.post(`/spaces/${space}/restore`);
    expect((await bySource('/gone')).status).toBe(200);
  });

  test('a redirect leads no reader to a space that they may not view', async () => {
    await admin.post(at(), { source: '/private/page', destination: toPage() });
    await admin.post(at(), { source: '/private/section', destination: toSection() });
    const { db } = service.runtime.database;
    const { id: user, token } = await service.build.member(organization, 'read');
    const member = service.as(token);
    const targets = async () =>
      Promise.all(
        ['/private/page', '/private/section'].map(async (source) => (await bySource(source, member)).status),
      );
    await admin.patch(`/orgs/${organization}/sites/${site}`, { defaultLevel: 'inherit' });
    await db.updateTable('space').set({ default_level: 'inherit', effective_default: 'inherit' }).execute();
    expect(await targets()).toEqual([200, 200]);
    await db
      .updateTable('space')
      .set({ default_level: null, effective_default: null })
      .where('id', '=', space)
      .execute();
    expect(await targets()).toEqual([404, 404]);

    await admin.post(`/orgs/${organization}/sites/${site}/permissions`, {
      users: [user],
      role: 'admin',
    });
    const refused = await member.post(at(), { source: '/private/new', destination: toPage() });
    const unknown = await member.post(at(), {
      source: '/private/new',
      destination: { ...toPage(), siteSpaceId: 'x' },
    });
    expect([refused.status, refused.body]).toEqual([404, unknown.body]);
  });

  test('a redirect of another site is not found', async () => {
    const { body } = await admin.post(at(), { source: '/mine', destination: toSpace() });
    const elsewhere = await service.build.site(organization);
    const there = `/orgs/${organization}/sites/${elsewhere.id}/redirects/${body.id}`;
    expect((await admin.patch(there, {})).status).toBe(404);
    expect((await admin.delete(there)).status).toBe(204);
  });
});

describe('a source', () => {
  const read = (source: string) => SourcePath.safeParse(source).data;

  test.each([
    ['/a', '/a'],
    ['/a/b.html', '/a/b.html'],
    ['/%c3%a4', '/%C3%A4'],
    ['/a%CC%88', '/%C3%A4'],
    ['/%61%2Fb%21', '/a%2Fb%21'],
    [`/${'a'.repeat(511)}`, `/${'a'.repeat(511)}`],
  ])('%s is read as %s', (source, canonical) => expect(read(source)).toBe(canonical));

  test.each([
    '',
    '/',
    'a',
    '/a/',
    '//a',
    '/a//b',
    '/a b',
    '/ä',
    '/😀',
    '/a?b',
    '/a#b',
    '/..',
    '/a/%2e%2e/b',
    '/.',
    '/%zz',
    '/%ff',
    'https://example.com/a',
    `/${'a'.repeat(512)}`,
    '/a\n',
  ])('%j is refused', (source) => expect(read(source)).toBeUndefined());
});
