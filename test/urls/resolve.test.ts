import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statementsOf } from '../bench/queries.ts';
import type { Person } from '../helpers/builders.ts';
import { type ApiResponse, type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let anyone: Client;
let organization: { id: string; admin: Person };
let admin: Client;
beforeAll(async () => {
  service = await startTestService({ SITES_DOMAIN: 'example.site' });
  organization = await service.build.organization();
  admin = service.as(organization.admin.token);
  anyone = service.as();
  await admin.patch(`/orgs/${organization.id}`, { hostname: 'acme' });
});
afterAll(() => service.close());

const resolve = (url: string, more: object = {}): Promise<ApiResponse> =>
  anyone.post('/urls/published', { url, ...more });

/** A site with one space of the same organization. */
async function siteWithSpace(given: Parameters<TestService['build']['site']>[1] = {}) {
  const site = (await service.build.site(organization.id, given)).id;
  const space = (await service.build.space(organization.id)).id;
  const siteSpace = await service.build.siteSpace(site, { path: 'docs', space, isDefault: true });
  return { site, space, siteSpace: siteSpace.id };
}

/** A site with the sections home (one space) and guides (the variants v1 and v2), and their ids by path. */
async function siteWithSections(given: Parameters<TestService['build']['site']>[1] = {}) {
  const site = (await service.build.site(organization.id, given)).id;
  const section = async (path: string, more: object = {}) =>
    (await service.build.section(site, { path, ...more })).id;
  const siteSpace = async (in_: string, path: string, more: object = {}) => {
    const space = (await service.build.space(organization.id)).id;
    return { ...(await service.build.siteSpace(site, { path, space, section: in_, ...more })), space };
  };
  const home = await section('home', { isDefault: true });
  const guides = await section('guides');
  return {
    site,
    sections: { home, guides },
    spaces: {
      home: await siteSpace(home, 'main', { isDefault: true }),
      v1: await siteSpace(guides, 'v1', { isDefault: true }),
      v2: await siteSpace(guides, 'v2'),
    },
  };
}

const activate = (hostname: string, site: string | null, owner = organization.id) =>
  service.runtime.database.db
    .insertInto('custom_hostname')
    .values({
      hostname,
      organization_id: owner,
      site_id: site,
      is_active: true,
      created_at: new Date(),
    })
    .execute();

describe('a site with one space', () => {
  test('a site with one space is found with everything that a renderer needs', async () => {
    const { site, space, siteSpace } = await siteWithSpace({ basename: 'api' });
    const { status, body } = await resolve('https://acme.example.site/api/guides/a%20b?q=1#c');
    expect(status).toBe(200);
    expect(body).toEqual({
      site,
      siteSpace,
      space,
      organization: organization.id,
      pathname: 'guides/a b',
      basePath: '/api/',
      siteBasePath: '/api/',
      canonicalUrl: 'http://acme.example.site/api/guides/a%20b',
      complete: true,
      apiToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
    const get = await anyone.get(
      `/urls/published?url=${encodeURIComponent('https://acme.example.site/api/guides/a%20b')}`,
    );
    expect(get.body).toEqual(body);
  });

  test('a site with one space is found at each of its URLs, one of which is canonical', async () => {
    const { site } = await siteWithSpace({ basename: 'many', proxyOrigin: 'acme.com/docs/many' });
    await activate('many.acme.com', site);
    for (const [url, basePath] of [
      [`http://docs.test/sites/${site}/x`, `/sites/${site}/`],
      ['http://acme.example.site/many/x', '/many/'],
      [`http://acme.example.site/${site}/x`, `/${site}/`],
      ['https://many.acme.com/x', '/'],
      ['https://acme.com/docs/many/x', '/docs/many/'],
    ] as const) {
      const { body } = await resolve(url);
      expect([url, body.site, body.basePath, body.pathname]).toEqual([url, site, basePath, 'x']);
      expect(body.canonicalUrl).toBe('https://acme.com/docs/many/x');
    }
  });

  test('a site with one space is found below the longest of several proxies', async () => {
    const outer = await siteWithSpace({ proxyOrigin: 'www.acme.com/p' });
    const inner = await siteWithSpace({ proxyOrigin: 'www.acme.com/p/q' });
    const siteAt = async (url: string) => (await resolve(url)).body.site;
    expect(await siteAt('https://www.acme.com/p/q/r')).toBe(inner.site);
    expect(await siteAt('https://www.acme.com/p/qr')).toBe(outer.site);
    expect((await resolve('https://www.acme.com/')).status).toBe(404);
  });

  test('a site with one space is found by its id, whatever paths others have', async () => {
    const { site } = await siteWithSpace();
    await siteWithSpace({ basename: site });
    expect((await resolve(`http://acme.example.site/${site}`)).body.site).toBe(site);
  });

  test('a page of a site with one space is found even if it has the path of the site space', async () => {
    const { site } = await siteWithSpace();
    const { body } = await resolve(`http://docs.test/sites/${site}/docs`);
    expect(body).toMatchObject({ pathname: 'docs', complete: true });
  });
});

test('a URL is resolved in one round trip, also with a share key, and behind a proxy in three', async () => {
  const { site } = await siteWithSpace({ basename: 'trips', proxyOrigin: 'acme.com/docs/trips' });
  const behindKey = await siteWithSpace({ visibility: 'share-link', basename: 'keyed' });
  const key = 't'.repeat(22);
  await service.runtime.database.db
    .insertInto('share_link')
    .values({
      id: 't'.repeat(20),
      site_id: behindKey.site,
      key,
      name: 'L',
      active: true,
      created_at: new Date(),
    })
    .execute();
  await activate('trips.acme.com', site);
  await siteWithSections({ basename: 'sectioned' });
  const trips = async (url: string) => {
    const path = `/v1/urls/published?url=${encodeURIComponent(url)}`;
    return (await statementsOf(service.app, path, organization.admin.token)).at(-1)?.trip;
  };
  for (const url of [
    `http://docs.test/sites/${site}/page`,
    'http://acme.example.site/trips/page',
    'https://trips.acme.com/page',
    'http://acme.example.site/sectioned/page',
    'http://acme.example.site/sectioned/guides/v2/page',
    `http://acme.example.site/keyed/${key}/page`,
  ])
    expect([url, await trips(url)]).toEqual([url, 1]);
  expect(await trips('https://acme.com/docs/trips/page')).toBe(3);
});

describe('sections and site spaces', () => {
  let given: Awaited<ReturnType<typeof siteWithSections>>;
  beforeAll(async () => {
    given = await siteWithSections({ basename: 'parts' });
  });

  test.each([
    ['', 'home', 'home', '', '/parts/', '', false],
    ['/page', 'home', 'home', 'page', '/parts/', '/page', true],
    ['/home', 'home', 'home', '', '/parts/home/', '', true],
    ['/guides', 'guides', 'v1', '', '/parts/guides/', '/guides', false],
    ['/guides/page', 'guides', 'v1', 'page', '/parts/guides/', '/guides/page', true],
    ['/guides/v1/page', 'guides', 'v1', 'page', '/parts/guides/v1/', '/guides/page', true],
    ['/guides/v2', 'guides', 'v2', '', '/parts/guides/v2/', '/guides/v2', true],
    ['/guides/v2/v2/x', 'guides', 'v2', 'v2/x', '/parts/guides/v2/', '/guides/v2/v2/x', true],
    ['/v2', 'home', 'home', 'v2', '/parts/', '/v2', true],
    ['//guides//v2/', 'guides', 'v2', '', '/parts/guides/v2/', '/guides/v2', true],
    ['/x/../guides/%76%32', 'guides', 'v2', '', '/parts/guides/v2/', '/guides/v2', true],
    ['/Guides', 'home', 'home', 'Guides', '/parts/', '/Guides', true],
  ] as const)('%j', async (path, section, siteSpace, pathname, basePath, canonical, complete) => {
    const { body } = await resolve(`http://acme.example.site/parts${path}`);
    expect(body).toMatchObject({
      siteSection: given.sections[section],
      siteSpace: given.spaces[siteSpace].id,
      space: given.spaces[siteSpace].space,
      pathname,
      basePath,
      siteBasePath: '/parts/',
      canonicalUrl: `http://acme.example.site/parts${canonical}`,
      complete,
    });
  });

  test('deleted sections and spaces are not found until they are restored', async () => {
    const at = async (path: string) => (await resolve(`http://acme.example.site/parts${path}`)).body;
    await admin.delete(`/spaces/${given.spaces.v1.space}`);
    expect(await at('/guides')).toMatchObject({ siteSpace: given.spaces.v2.id });
    await admin.delete(`/spaces/${given.spaces.v2.space}`);
    expect(await at('/guides')).toMatchObject({ siteSpace: given.spaces.home.id, pathname: 'guides' });
    await admin.delete(`/spaces/${given.spaces.home.space}`);
    expect((await resolve('http://acme.example.site/parts')).status).toBe(404);
    for (const { space } of Object.values(given.spaces)) await admin.post(`/spaces/${space}/restore`);
    expect(await at('/guides')).toMatchObject({ siteSpace: given.spaces.v1.id });
  });
});

test('conditions hide sections and site spaces from the path, and the first visible one replaces them', async () => {
  const { site, sections, spaces } = await siteWithSections();
  const { db } = service.runtime.database;
  await db.updateTable('site').set({ adaptive_content: true }).where('id', '=', site).execute();
  const condition = 'visitor.claims.unsigned.beta';
  for (const id of [sections.home, spaces.v1.id]) {
    await db.updateTable('site_section').set({ condition }).where('id', '=', id).execute();
    await db.updateTable('site_space').set({ condition }).where('id', '=', id).execute();
  }
  const at = async (path: string, unsignedClaims: object) =>
    (await resolve(`http://docs.test/sites/${site}${path}`, { visitor: { unsignedClaims } })).body;
  expect(await at('', { beta: true })).toMatchObject({ siteSpace: spaces.home.id });
  expect(await at('', {})).toMatchObject({ siteSpace: spaces.v2.id });
  expect(await at('', {})).not.toHaveProperty('contextId');
  expect(await at('/guides', {})).toMatchObject({ siteSpace: spaces.v2.id });
  expect(await at('/guides/v1', {})).toMatchObject({ siteSpace: spaces.v2.id, pathname: 'v1' });
  expect(await at('/home', {})).toMatchObject({ siteSpace: spaces.v2.id, pathname: 'home' });
  const root = `http://acme.example.site/${site}`;
  for (const [path, isBeta, canonical] of [
    ['/guides', false, ''],
    ['/guides/v2', false, ''],
    ['/guides/v2/page', false, '/page'],
    ['/v2/page', false, '/page'],
    ['/guides/guides', false, '/guides/guides'],
    ['/guides/v2/page', true, '/guides/v2/page'],
    ['/guides/page', true, '/guides/page'],
    ['/home/page', true, '/page'],
  ] as const)
    expect([path, isBeta, (await at(path, { beta: isBeta })).canonicalUrl]).toEqual([
      path,
      isBeta,
      root + canonical,
    ]);
  const contexts = [await at('', { beta: true }), await at('', { beta: false })];
  expect(new Set(contexts.map(({ contextId }) => contextId)).size).toBe(2);
});

describe('the audience of a site', () => {
  test('the path of a site that is read by share link has a key', async () => {
    const { site } = await siteWithSpace({ visibility: 'share-link', basename: 'shared' });
    const { db } = service.runtime.database;
    const link = { site_id: site, key: 'k'.repeat(22), name: 'Link', active: true, created_at: new Date() };
    await db
      .insertInto('share_link')
      .values({ ...link, id: 'a'.repeat(20) })
      .execute();
    const url = `http://acme.example.site/shared/${link.key}`;
    expect((await resolve(`${url}/page`)).body).toMatchObject({
      shareKey: link.key,
      siteBasePath: `/shared/${link.key}/`,
      basePath: `/shared/${link.key}/`,
      pathname: 'page',
      canonicalUrl: `${url}/page`,
    });
    for (const wrong of ['', '/page', `/${'x'.repeat(22)}/page`]) {
      expect((await resolve(`http://acme.example.site/shared${wrong}`)).status).toBe(404);
    }
    await db.updateTable('share_link').set({ active: false }).execute();
    expect((await resolve(url)).status).toBe(404);
  });

  test('nobody finds a site that is not published', async () => {
    const { site } = await siteWithSpace({ published: false });
    const url = `http://docs.test/sites/${site}`;
    expect((await resolve(url)).status).toBe(404);
    expect((await admin.post('/urls/published', { url })).status).toBe(404);
  });

  test('visitors who must be authenticated are redirected to where they can be', async () => {
    const fallback = 'https://login.acme.com/docs?app=1';
    const { site } = await siteWithSpace({ visibility: 'visitor-auth', authFallbackUrl: fallback });
    const url = `http://docs.test/sites/${site}/a/b`;
    const sent = { target: 'external', redirect: `${fallback}&location=%2Fa%2Fb` };
    expect((await resolve(url)).body).toEqual(sent);
    const bad = { visitor: { jwtToken: 'a.b.c' } };
    expect((await resolve(url, bad)).status).toBe(401);
    expect((await resolve(`${url}?jwt_token=a.b.c`)).status).toBe(401);
    expect((await resolve(url, { ...bad, redirectOnError: true })).body).toEqual(sent);
  });

  test('visitors who must be authenticated get 401 if there is no URL for that', async () => {
    const { site } = await siteWithSpace({ visibility: 'visitor-auth' });
    const { status, body } = await resolve(`http://docs.test/sites/${site}`);
    expect([status, body.error.message]).toEqual([401, 'Visitors of this site must be authenticated.']);
  });
});

describe('a redirect', () => {
  test('a redirect leads to its destination unless there is a page', async () => {
    const { site, space, siteSpace } = await siteWithSpace({ basename: 'moved' });
    const insert = async (title: string) => {
      const changes = [{ operation: 'insert_page', title }];
      const { body } = await admin.post(`/spaces/${space}/content`, { compat: false, changes });
      return body.changes.pages[0].id;
    };
    const pageId = await insert('New place');
    await admin.post(`/orgs/${organization.id}/sites/${site}/redirects`, {
      source: '/old/place',
      destination: { kind: 'site-page', siteSpaceId: siteSpace, pageId },
    });
    await admin.post(`/orgs/${organization.id}/sites/${site}/redirects`, {
      source: '/taken',
      destination: { kind: 'site-page', siteSpaceId: siteSpace, pageId },
    });
    const at = async (path: string) => (await resolve(`http://acme.example.site/moved${path}`)).body;
    const sent = { target: 'content', redirect: 'http://acme.example.site/moved/new-place' };
    expect(await at('/old/place/')).toEqual(sent);
    expect(await at('/taken')).toEqual(sent);
    expect(await at('/old')).toMatchObject({ pathname: 'old' });
    await insert('Taken');
    expect(await at('/taken')).toMatchObject({ pathname: 'taken' });
  });

  test('a redirect to content that the visitor may not see has no effect', async () => {
    const { site, sections } = await siteWithSections();
    const { db } = service.runtime.database;
    const redirect = { kind: 'site-section', siteSectionId: sections.guides };
    await admin.post(`/orgs/${organization.id}/sites/${site}/redirects`, {
      source: '/old',
      destination: redirect,
    });
    const url = `http://docs.test/sites/${site}/old`;
    expect((await resolve(url)).body.redirect).toBe(`http://acme.example.site/${site}/guides`);
    const condition = 'visitor.claims.beta';
    await db.updateTable('site_section').set({ condition }).where('id', '=', sections.guides).execute();
    expect((await resolve(url)).body).toMatchObject({ pathname: 'old' });
    // A section without visible spaces is hidden too.
    await db.updateTable('site_section').set({ condition: null }).execute();
    const inGuides = db.updateTable('site_space').where('section_id', '=', sections.guides);
    await inGuides.set({ condition }).execute();
    expect((await resolve(url)).body).toMatchObject({ pathname: 'old' });
    await inGuides.where('path', '=', 'v2').set({ condition: null }).execute();
    expect((await resolve(url)).body).toMatchObject({ target: 'content' });
  });

  test('a redirect leads from the host of an organization to its default site', async () => {
    const { site } = await siteWithSpace({ basename: 'start' });
    const root = 'http://acme.example.site/';
    expect((await resolve(root)).status).toBe(404);
    const { db } = service.runtime.database;
    const defaultContent = { type: 'site', site } as const;
    await db.updateTable('organization').set({ default_content: defaultContent }).execute();
    expect((await resolve(root)).body).toEqual({ target: 'content', redirect: `${root}start` });
    await db.updateTable('site').set({ published: false }).where('id', '=', site).execute();
    expect((await resolve(root)).status).toBe(404);
  });
});

test.each(['', 'acme.example.site/api', '/api', 5, null, `https://x.test/${'a'.repeat(10240)}`])(
  'an address is refused with 400 for %j',
  async (url) => expect((await resolve(url as string)).status).toBe(400),
);

test.each([
  'https://acme.example.site/nobody',
  'https://nobody.example.site/',
  'https://a.acme.example.site/',
  'https://example.site/',
  'https://docs.acme.com/',
  'http://docs.test/',
  'http://docs.test/sites',
  'http://docs.test/sites/x',
  'http://docs.test/v1/orgs',
  'http://docs.test/sites/%ff',
  'http://docs.test/sites/a%2Fb',
  'javascript:alert(1)',
  'data:text/html,x',
  'http://[::1]/',
])('an address is refused with 404 for %s', async (url) => expect((await resolve(url)).status).toBe(404));

test('a URL with a hostname that is not active is refused', async () => {
  const { site } = await siteWithSpace();
  await activate('idle.acme.com', site);
  expect((await resolve('https://idle.acme.com/')).status).toBe(200);
  await service.runtime.database.db.updateTable('custom_hostname').set({ is_active: false }).execute();
  expect((await resolve('https://idle.acme.com/')).status).toBe(404);
});

test('a body that is too large is refused without reading it', async () => {
  const unsignedClaims = { text: 'x'.repeat(40_000) };
  expect((await resolve('https://docs.test/', { visitor: { unsignedClaims } })).status).toBe(413);
});
