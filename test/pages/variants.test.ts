import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index, page, spaceWith } from '../search/scene.ts';

let service: TestService;
let admin: Client;
let organization: string;
let at: string;
beforeAll(async () => {
  service = await startTestService();
  const built = await service.build.organization();
  organization = built.id;
  admin = service.as(built.admin.token);
  const first = await spaceWith(admin, organization, [
    page('Start', 'Text.'),
    page('Install', 'Text.', { ref: 'install' }),
    page('Linux', 'Text.', { into: 'install' }),
    page('Other', 'Text.'),
  ]);
  const copy = await expectOk(admin.post(`/spaces/${first.id}/duplicate`));
  const rename = { operation: 'update_page', page: first.pages.Install, slug: 'setting-up' };
  const remove = { operation: 'delete_page', page: first.pages.Other };
  await expectOk(admin.post(`/spaces/${copy.id}/content`, { changes: [rename, remove] }));
  const third = await spaceWith(admin, organization, [page('Home', 'Text.'), page('Install', 'Text.')]);
  const sites = `/orgs/${organization}/sites`;
  const spaces = [first.id, copy.id, third.id];
  const { id: site } = await expectOk(admin.post(sites, { title: 'Docs', spaces }));
  const { items } = await expectOk(admin.get(`${sites}/${site}/site-spaces`));
  for (const [index, { id }] of items.entries())
    await expectOk(admin.patch(`${sites}/${site}/site-spaces/${id}`, { path: `v${index + 1}` }));
  await expectOk(admin.post(`${sites}/${site}/publish`));
  at = `/sites/${site}`;
});
afterAll(() => service.close());

const get = (url: string) => service.app.inject({ url, headers: { host: 'docs.test', accept: 'text/html' } });

/** The path of the page at which a reader of a page arrives who switches to a variant, and how it answers. */
async function switchedTo(path: string, variant: number): Promise<[string, number]> {
  const { body } = await get(at + path);
  const menu = /<details class="drop variants">.*?<\/details>/s.exec(body)?.[0] ?? '';
  const target = [...menu.matchAll(/href="([^"]+)"/g)][variant - 1]?.[1] ?? '';
  const { headers, statusCode } = await get(target);
  if (statusCode !== 302) return [target.slice(at.length), statusCode];
  const location = headers.location ?? '';
  return [location.slice(at.length), (await get(location)).statusCode];
}

test.for<[string, string, number, string]>([
  ['the same page', '/other', 1, '/other'],
  ['the same page of a copy, also where its path is another', '/install/linux', 2, '/v2/setting-up/linux'],
  ['the same page from a copy back', '/v2/setting-up/linux', 1, '/install/linux'],
  ['the page with the same path', '/install', 3, '/v3/install'],
  ['the nearest page above', '/install/linux', 3, '/v3/install'],
  ['the first page if there is none above', '/other', 2, '/v2'],
  ['the first page from the first page', '/', 3, '/v3'],
  ['the page at an address that does not exist in the variant before', '/v2/other', 1, '/other'],
])('switching variants leads to %s', async ([, path, variant, expected]) => {
  expect(await switchedTo(path, variant)).toEqual([expected, 200]);
});

test('the menu tells which variants are in another language', async () => {
  const first = await spaceWith(admin, organization, [page('Start', 'Text.')], { title: 'English' });
  const copies = await Promise.all(
    ['Deutsch', 'English 2'].map(async (title) => {
      const { id } = await expectOk(admin.post(`/spaces/${first.id}/duplicate`));
      await expectOk(admin.patch(`/spaces/${id}`, { title, language: title === 'Deutsch' ? 'de' : 'en' }));
      return id;
    }),
  );
  await expectOk(admin.patch(`/spaces/${first.id}`, { language: 'en' }));
  const sites = `/orgs/${organization}/sites`;
  const spaces = [first.id, ...copies];
  const { id } = await expectOk(admin.post(sites, { title: 'Languages', spaces }));
  await expectOk(admin.post(`${sites}/${id}/publish`));
  const { body } = await get(`/sites/${id}/`);
  const links = [
    ...body.matchAll(
      /<a href="[^"]*"(?: hreflang="(\w+)")?(?: aria-current="true")?>(Deutsch|English(?: 2)?)</g,
    ),
  ];
  expect(links.map(([, language, title]) => [title, language])).toEqual([
    ['English', undefined],
    ['Deutsch', 'de'],
    ['English 2', undefined],
  ]);
});

test('pages are cached apart from the switches to them', async () => {
  for (const _ of [1, 2]) {
    expect((await get(`${at}/v3/install`)).statusCode).toBe(200);
    expect((await get(`${at}/v3/install?switched-from=`)).headers.location).toBe(`${at}/v3/install`);
  }
});

test('files for programs and search results tell the variants of sections apart', async () => {
  const sites = `/orgs/${organization}/sites`;
  const { id: site } = await expectOk(admin.post(sites, { title: 'Sections' }));
  const text = [page('Puffins', 'Text.')];
  for (const title of ['Guide', 'API']) {
    const first = await spaceWith(admin, organization, text, { title: 'v1' });
    const section = await expectOk(admin.post(`${sites}/${site}/sections`, { spaceId: first.id, title }));
    const copy = await expectOk(admin.post(`/spaces/${first.id}/duplicate`));
    await expectOk(admin.patch(`/spaces/${copy.id}`, { title: 'v2' }));
    await expectOk(admin.post(`${sites}/${site}/site-spaces`, { spaceId: copy.id, sectionId: section.id }));
  }
  const news = await spaceWith(admin, organization, text, { title: 'Space' });
  await expectOk(admin.post(`${sites}/${site}/sections`, { spaceId: news.id, title: 'News' }));
  await expectOk(admin.post(`${sites}/${site}/publish`));
  await index(service, organization);
  const body = async (path: string) => (await get(`/sites/${site}${path}`)).body;
  const names = [['Guide', 'v1'], ['Guide', 'v2'], ['API', 'v1'], ['API', 'v2'], ['News']];
  expect((await body('/llms.txt')).match(/(?<=## ).*/g)).toEqual(names.map((name) => name.join(': ')));
  const { pages } = JSON.parse(await body('/~/search.json?q=puffins'));
  expect(pages.map(({ above }: { above: string[] }) => above.join(': ')).sort()).toEqual(
    names.map((name) => name.join(': ')).sort(),
  );
  const feedIds = (await body('/feed.xml')).match(/(?<=<entry><id>)[^<]+/g);
  expect(new Set(feedIds).size).toBe(5);
});
