import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSessionFor } from '../auth/browser.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index, page, spaceWith } from '../search/scene.ts';

let service: TestService;
let admin: Client;
let organization: string;
let person: string;
/** Spaces with the pages `start`, `a`, `b` and `c`, which have the paths of sections and site spaces, too. */
let spaces: { id: string; pages: Record<string, string> }[];
beforeAll(async () => {
  service = await startTestService();
  const built = await service.build.organization();
  organization = built.id;
  person = built.admin.id;
  admin = service.as(built.admin.token);
  spaces = [];
  for (let i = 0; i < 6; i++)
    spaces.push(
      await spaceWith(admin, organization, [
        page('Start', '[To b](/b)'),
        ...['a', 'b', 'c'].map((title) => page(title, `Puffins of ${title}.`)),
      ]),
    );
});
afterAll(() => service.close());

const resolve = async (url: string) => (await service.as().post('/urls/published', { url })).body;
const text = async (url: string, cookie = '') => {
  const { pathname, search } = new URL(url);
  const headers = { host: 'docs.test', cookie };
  return (await service.app.inject({ url: pathname + search, headers })).body;
};

/** A site with these paths of site spaces in sections, the first of which are the defaults. */
async function siteWith(sections: Record<string, readonly string[]>) {
  const { id: site } = await service.build.site(organization);
  const ids: Record<string, string> = {};
  const sectionIds: string[] = [];
  const left = spaces.map(({ id }) => id);
  for (const [at, [path, within]] of Object.entries(sections).entries()) {
    const { id: section } = await service.build.section(site, { path, isDefault: at === 0 });
    sectionIds.push(section);
    for (const [index, one] of within.entries()) {
      const space = left.shift() as string;
      const placed = { path: one, space, section, isDefault: index === 0 };
      ids[`${path}/${one}`] = (await service.build.siteSpace(site, placed)).id;
    }
  }
  return { site, ids, sectionIds, root: `http://docs.test/sites/${site}` };
}

/** Hides a section or a site space from visitors, even if it is a default. */
const makeDraft = async (table: 'site_section' | 'site_space', id = '') =>
  service.runtime.database.db.updateTable(table).set({ draft: true }).where('id', '=', id).execute();

test('a variant of the default section keeps the path of the section if its own names another one', async () => {
  const { root, ids, site } = await siteWith({ guide: ['v1', 'api'], api: ['main'] });
  const api = `/orgs/${organization}/sites/${site}`;
  const listed = (await expectOk(admin.get(`${api}/site-spaces`))).items;
  const urls = listed.map(({ urls }: { urls: { published: string } }) => urls.published.slice(root.length));
  expect(urls).toEqual(['', '/guide/api', '/api']);
  expect((await expectOk(admin.get(`/spaces/${spaces[1]?.id}`))).urls.published).toBe(`${root}/guide/api`);
  await expectOk(admin.post(`${api}/publishing/auth/regenerate`));
  const { url } = await expectOk(admin.get(`${api}/publishing/preview?siteSpace=${ids['guide/api']}`));
  expect(new URL(url).pathname).toBe(`/sites/${site}/guide/api`);
  expect(await resolve(`${root}/guide/api/a`)).toMatchObject({
    siteSpace: ids['guide/api'],
    pathname: 'a',
    canonicalUrl: `${root}/guide/api/a`,
  });
  expect(await resolve(`${root}/guide/v1/start`)).toMatchObject({ canonicalUrl: `${root}/start` });
});

test('a page keeps the path of its default section or site space if its own begins with the name of another one', async () => {
  const { root, ids, site } = await siteWith({ guide: ['v1', 'a'], b: ['main'] });
  const api = `/orgs/${organization}/sites/${site}`;
  for (const [title, path] of [
    ['a', '/v1/a'],
    ['b', '/guide/b'],
    ['c', '/c'],
  ] as const) {
    const destination = { kind: 'site-page', siteSpaceId: ids['guide/v1'], pageId: spaces[0]?.pages[title] };
    await expectOk(admin.post(`${api}/redirects`, { source: `/to/${title}`, destination }));
    expect((await resolve(`${root}/to/${title}`)).redirect).toBe(root + path);
    const { target } = await expectOk(admin.get(`${api}/redirect?source=/to/${title}`));
    expect(target).toBe(root + path);
    expect(await resolve(root + path)).toMatchObject({ siteSpace: ids['guide/v1'], pathname: title });
    for (const longer of ['/guide', '/v1', '/guide/v1']) {
      const found = await resolve(`${root}${longer}/${title}`);
      if (found.siteSpace === ids['guide/v1'] && found.pathname === title)
        expect([longer, found.canonicalUrl]).toEqual([longer, root + path]);
    }
    expect(await text(root)).toContain(`href="/sites/${site}${path}"`);
    expect(await text(root + path)).toContain(`<link rel="canonical" href="${root}${path}">`);
    expect(await text(`${root}/llms.txt`)).toContain(`(${root}${path}.md)`);
  }
  const { apiToken } = await resolve(root);
  const start = `/spaces/${spaces[0]?.id}/content/page/${spaces[0]?.pages.Start}?format=markdown`;
  expect((await expectOk(service.as(apiToken).get(start))).markdown).toContain(`[To b](${root}/guide/b)`);
  await index(service, organization);
  const { pages } = JSON.parse(await text(`${root}/~/search.json?q=puffins`));
  expect(pages.map(({ href }: { href: string }) => href)).toContain(`/sites/${site}/guide/b`);
});

test('the preview of a site leads to the same places as the site', async () => {
  const { site } = await siteWith({ guide: ['v1', 'a'], b: ['main'] });
  const { cookie } = await openSessionFor(service, person);
  const preview = `/preview/orgs/${organization}/sites/${site}`;
  const start = await text(`http://docs.test${preview}/`, cookie);
  for (const [path, title] of [
    ['v1/a', 'a'],
    ['guide/b', 'b'],
    ['c', 'c'],
    ['a', 'Start'],
    ['b', 'Start'],
  ] as const) {
    const shown = await text(`http://docs.test${preview}/${path}`, cookie);
    expect([path, /<h1>([^<]*)/.exec(shown)?.[1]]).toEqual([path, title]);
    expect(start).toContain(`href="${preview}/${path}"`);
  }
});

test('a page below what replaces a hidden default has one address, whichever of its addresses is opened', async () => {
  const { root, ids, sectionIds, site } = await siteWith({ guide: ['v1'], api: ['old', 'a', 'new'] });
  await makeDraft('site_section', sectionIds[0]);
  await makeDraft('site_space', ids['api/old']);
  for (const [page, address] of [
    ['b', '/b'],
    ['a', '/a/a'],
  ] as const) {
    for (const path of [address, `/api/a/${page}`]) {
      expect(await resolve(root + path)).toMatchObject({
        siteSpace: ids['api/a'],
        pathname: page,
        canonicalUrl: root + address,
      });
      expect(await text(root + path)).toContain(`<link rel="canonical" href="${root}${address}">`);
    }
    expect(await text(`${root}/sitemap.xml`)).toContain(`<loc>${root}${address}</loc>`);
    expect(await text(`${root}/llms.txt`)).toContain(`(${root}${address}.md)`);
  }
  const { apiToken } = await resolve(root);
  const listed = await expectOk(service.as(apiToken).get(`/orgs/${organization}/sites/${site}/site-spaces`));
  expect(listed.items.map(({ urls }: { urls: { published: string } }) => urls.published)).toEqual([
    root,
    `${root}/new`,
  ]);
});

test.each([
  ['the first site space replaces a default', 'api/old', '/api/new/c', '/api/c'],
  ['a site space with the name of a page keeps the path of the default', 'guide/b', '/b', '/v1/b'],
])('what is hidden decides about addresses: %s', async (_, hidden, path, address) => {
  const { root, ids } = await siteWith({ guide: ['v1', 'b'], api: ['old', 'new'] });
  await makeDraft('site_space', ids[hidden]);
  expect((await resolve(root + path)).canonicalUrl).toBe(root + address);
  expect(await text(root + path)).toContain(`<link rel="canonical" href="${root}${address}">`);
  expect((await resolve(root + address)).canonicalUrl).toBe(root + address);
});

test('an earlier path leads to the present one, also if that has the name of a section', async () => {
  const { root, ids, site } = await siteWith({ guide: ['v1', 'old'], api: ['main'] });
  const siteSpace = `/orgs/${organization}/sites/${site}/site-spaces/${ids['guide/old']}`;
  await expectOk(admin.patch(siteSpace, { path: 'api' }));
  expect((await resolve(`${root}/old/a`)).redirect).toBe(`${root}/guide/api/a`);
});

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 2 });
const structure = fc.record({
  sections: fc.dictionary(fc.constantFrom('a', 'b', 'c'), names, {
    minKeys: 1,
    maxKeys: 3,
    noNullPrototype: true,
  }),
  /** Which of its sections and site spaces is a draft, if any. */
  draft: fc.option(fc.nat({ max: 8 })),
});

test('every address of a site leads to what it is the address of', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(structure, async ({ sections, draft }) => {
      const { root, ids, sectionIds, site } = await siteWith(sections);
      const items = [...Object.values(ids), ...sectionIds];
      const hidden = draft === null ? undefined : items[draft % items.length];
      for (const table of ['site_space', 'site_section'] as const)
        if (hidden !== undefined) await makeDraft(table, hidden);
      const { apiToken } = await resolve(root);
      if (apiToken === undefined) return;
      const visitor = service.as(apiToken);
      const at = `/orgs/${organization}/sites/${site}`;
      const shown = (await expectOk(visitor.get(`${at}/site-spaces`))).items;
      for (const one of shown) {
        expect(await resolve(one.urls.published)).toMatchObject({ siteSpace: one.id, pathname: '' });
        expect(await resolve(one.space.urls.published)).toMatchObject({ siteSpace: one.id, pathname: '' });
      }
      for (const one of (await expectOk(visitor.get(`${at}/sections`))).items)
        expect(await resolve(one.urls.published)).toMatchObject({ siteSection: one.id, pathname: '' });
      const addresses = [...(await text(`${root}/sitemap.xml`)).matchAll(/<loc>([^<]*)/g)].map(
        ([, url]) => url as string,
      );
      const found = new Map<string, string>();
      for (const address of addresses) {
        const { siteSpace, pathname, canonicalUrl } = await resolve(address);
        expect(canonicalUrl).toBe(address.replace(/\/$/, ''));
        found.set(`${siteSpace} ${pathname}`, canonicalUrl);
      }
      const wanted = shown.flatMap(({ id }: { id: string }) =>
        ['', 'a', 'b', 'c'].map((path) => `${id} ${path}`),
      );
      expect(found.size).toBe(addresses.length);
      expect([...found.keys()].sort()).toEqual(wanted.toSorted());
      // Longer addresses lead to the same page, which says what its address is.
      for (const place of Object.keys(ids))
        for (const path of [place, `${place}/a`]) {
          const { siteSpace, pathname, canonicalUrl } = await resolve(`${root}/${path}`);
          const address = found.get(`${siteSpace} ${pathname}`);
          if (address !== undefined) expect([path, canonicalUrl]).toEqual([path, address]);
        }
    }),
    { numRuns: process.env.LONG === '1' ? 100 : 10 },
  );
});
