import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { group, insert, type MovesScene, remove, setMovesScene, update } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A site with groups and pages. */
const guides = (): Promise<MovesScene> =>
  setMovesScene(service, [
    group('Guides', { ref: 'guides' }),
    insert('Install', { into: 'guides', ref: 'install' }),
    insert('Linux', { into: 'install' }),
    insert('Usage', { into: 'guides' }),
    group('Reference', { ref: 'reference' }),
    insert('Options', { into: 'reference' }),
  ]);

test('the earlier address of a renamed page leads to its present one, with the query, also as Markdown', async () => {
  const { edit, open, pages, rows } = await guides();
  await edit(update(pages.Install, { slug: 'setup' }));
  expect(await open('/guides/install')).toBe('/guides/setup');
  expect(await open('/guides/install?utm=a%20b&c')).toBe('/guides/setup?utm=a%20b&c');
  expect(await open('/guides/install/')).toBe('/guides/setup');
  expect(await open('/guides/install.md?d')).toBe('/guides/setup.md?d');
  expect(await open('/guides/install/linux')).toBe('/guides/setup/linux');
  expect(await open('/guides/setup')).toBe(200);
  expect(await open('/guides/install/windows')).toBe(404);
  expect(await open('/install')).toBe(404);
  expect(await rows()).toEqual(['Guides/install Install']);
});

test('a new title alone changes no address', async () => {
  const { edit, open, pages, rows } = await guides();
  await edit(update(pages.Install, { title: 'Set up' }));
  expect(await open('/guides/install')).toBe(200);
  expect(await rows()).toEqual([]);
});

test('a page that was renamed several times is reached from all of its addresses in one step', async () => {
  const { edit, open, pages } = await guides();
  await edit(update(pages.Guides, { slug: 'manual' }));
  await edit(update(pages.Install, { slug: 'setup' }));
  await edit(update(pages.Guides, { slug: 'handbook' }));
  await edit(update(pages.Install, { slug: 'start' }));
  for (const above of ['guides', 'manual', 'handbook'])
    for (const slug of ['install', 'setup'])
      expect(await open(`/${above}/${slug}/linux`)).toBe('/handbook/start/linux');
  expect(await open('/guides')).toBe('/handbook/start');
  expect(await open('/manual/usage')).toBe('/handbook/usage');
});

test('a renamed group takes one row, however many pages are below it', async () => {
  const many = Array.from({ length: 40 }, (_, index) => insert(`Page ${index}`, { into: 'guides' }));
  const { edit, open, pages, rows } = await setMovesScene(service, [
    group('Guides', { ref: 'guides' }),
    ...many,
  ]);
  await edit(update(pages.Guides, { slug: 'manual' }));
  expect(await rows()).toEqual(['/guides Guides']);
  expect(await open('/guides/page-39')).toBe('/manual/page-39');
});

test('the earlier address of a page that was moved leads to it, also once the group that it was in is deleted', async () => {
  const { edit, open, pages, rows } = await guides();
  await edit(update(pages.Install, { into: pages.Reference }));
  expect(await open('/guides/install')).toBe('/reference/install');
  expect(await open('/guides/install/linux')).toBe('/reference/install/linux');
  expect(await rows()).toEqual(['/guides Guides', 'Guides/install Install']);
  await edit(remove(pages.Guides));
  expect(await open('/guides/install/linux')).toBe('/reference/install/linux');
  expect(await open('/guides/usage')).toBe(404);
  expect(await open('/guides')).toBe(404);
  await edit(update(pages.Options, { into: null }), remove(pages.Reference));
  expect(await open('/reference/options')).toBe('/options');
  expect(await open('/guides/install')).toBe(404);
});

test('a page that takes an earlier address is at it, and the pages that were below the earlier one are still found', async () => {
  const { edit, open, pages } = await guides();
  await edit(update(pages.Guides, { slug: 'manual' }));
  await edit(update(pages.Usage, { slug: 'use' }));
  await edit(insert('New', { slug: 'guides' }));
  expect(await open('/guides')).toBe(200);
  expect(await open('/guides/install')).toBe('/manual/install');
  await edit(insert('Newer', { into: pages.New, slug: 'install' }));
  expect(await open('/guides/install')).toBe(200);
  expect(await open('/guides/install/linux')).toBe('/manual/install/linux');
  expect(await open('/guides/usage')).toBe('/manual/use');
  await edit(remove(pages.New));
  expect(await open('/guides/install')).toBe('/manual/install');
  expect(await open('/guides')).toBe('/manual/install');
});

test('an earlier address leads to the page that had it last', async () => {
  const { edit, open, pages } = await guides();
  await edit(update(pages.Install, { slug: 'setup' }));
  await edit(update(pages.Usage, { slug: 'install' }));
  await edit(update(pages.Usage, { slug: 'use' }));
  expect(await open('/guides/install')).toBe('/guides/use');
  await edit(remove(pages.Usage));
  expect(await open('/guides/install')).toBe('/guides/setup');
  await edit(update(pages.Install, { slug: 'install' }));
  expect(await open('/guides/install')).toBe(200);
  expect(await open('/guides/setup')).toBe('/guides/install');
});

test('pages that exchange their slugs are at their new addresses', async () => {
  const { edit, open, pages } = await guides();
  await edit(
    update(pages.Install, { slug: 'other' }),
    update(pages.Usage, { slug: 'install' }),
    update(pages.Install, { slug: 'usage' }),
  );
  expect([await open('/guides/install'), await open('/guides/usage')]).toEqual([200, 200]);
});

test('the earlier addresses of deleted and hidden pages are not found', async () => {
  const { edit, open, pages } = await guides();
  await edit(update(pages.Install, { slug: 'setup' }));
  await edit(update(pages.Install, { hidden: true }));
  expect(await open('/guides/install')).toBe(404);
  expect(await open('/guides/install/linux')).toBe(404);
  expect(await open('/guides/setup')).toBe(200);
  await edit(update(pages.Install, { hidden: false }));
  expect(await open('/guides/install')).toBe('/guides/setup');
  await edit(remove(pages.Install));
  expect(await open('/guides/install')).toBe(404);
});

test('addresses hold through a merge and its reversal', async () => {
  const { admin, space, edit, open, pages } = await guides();
  const { id } = await expectOk(admin.post(`/spaces/${space}/change-requests`, { subject: 'Rename' }));
  const at = `/spaces/${space}/change-requests/${id}`;
  await expectOk(admin.post(`${at}/content`, { changes: [update(pages.Guides, { slug: 'manual' })] }));
  expect(await open('/guides/install')).toBe(200);
  expect(await open('/manual/install')).toBe(404);
  await edit(update(pages.Usage, { slug: 'use' }));
  const { revision } = await expectOk(admin.post(`${at}/merge`));
  expect(await open('/guides/install')).toBe('/manual/install');
  expect(await open('/guides/usage')).toBe('/manual/use');
  await expectOk(admin.post(`/spaces/${space}/revisions/${revision}/revert`));
  expect(await open('/guides/install')).toBe(200);
  expect(await open('/manual/install')).toBe('/guides/install');
  expect(await open('/manual/use')).toBe('/guides/use');
});

test('a redirect of the site takes precedence over an earlier address of a page', async () => {
  const { admin, organization, site, edit, open, pages } = await guides();
  await edit(update(pages.Install, { slug: 'setup' }));
  const { items } = await expectOk(admin.get(`/orgs/${organization}/sites/${site}/site-spaces`));
  const destination = { kind: 'site-page', siteSpaceId: items[0].id, pageId: pages.Options };
  const redirects = `/orgs/${organization}/sites/${site}/redirects`;
  const { id } = await expectOk(admin.post(redirects, { source: '/guides/install', destination }));
  expect(await open('/guides/install')).toMatch(/\/reference\/options$/);
  await admin.delete(`${redirects}/${id}`);
  expect(await open('/guides/install')).toBe('/guides/setup');
});

test('a copy of a space has the earlier addresses of its pages, and a removed space has none', async () => {
  const { admin, organization, space, site, edit, open, pages } = await guides();
  await edit(update(pages.Install, { slug: 'setup' }));
  const copy = await expectOk(admin.post(`/spaces/${space}/duplicate`));
  const { items } = await expectOk(admin.get(`/orgs/${organization}/sites/${site}/site-spaces`));
  const at = `/orgs/${organization}/sites/${site}/site-spaces/${items[0].id}`;
  await expectOk(admin.patch(at, { spaceId: copy.id }));
  expect(await open('/guides/install')).toBe('/guides/setup');
  await expectOk(
    admin.post(`/spaces/${copy.id}/content`, { changes: [update(pages.Install, { slug: 'go' })] }),
  );
  expect(await open('/guides/install')).toBe('/guides/go');
  await expectOk(admin.patch(at, { spaceId: space }));
  expect(await open('/guides/install')).toBe('/guides/setup');
  const { db } = service.runtime.database;
  await db.deleteFrom('space').where('id', '=', copy.id).execute();
  const left = await db.selectFrom('earlier_slug').select('page').where('space_id', '=', copy.id).execute();
  expect(left).toEqual([]);
});
