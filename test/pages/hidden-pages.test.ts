import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSessionFor } from '../auth/browser.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index, page, spaceWith } from '../search/scene.ts';

const FOR_FEW = { condition: 'visitor.claims.isPro' };

let service: TestService;
let admin: Client;
let organization: string;
let person: string;
let space: string;
let site: string;
let at: string;
let ids: Record<string, string>;
beforeAll(async () => {
  service = await startTestService();
  const built = await service.build.organization();
  organization = built.id;
  admin = service.as(built.admin.token);
  person = built.admin.id;
  ({ id: space, pages: ids } = await spaceWith(admin, organization, [
    page('Start', 'Of all.'),
    page('Unlisted', 'Only by its address.', { hidden: true, slug: 'hid', ref: 'hid', icon: 'bolt' }),
    page('Child', 'Below.', { into: 'hid', ref: 'child' }),
    page('Grandchild', 'Far below.', { into: 'child' }),
    page('For few below', 'For few.', { into: 'hid', ref: 'few', ...FOR_FEW }),
    page('Below the few', 'For few, too.', { into: 'few' }),
    page('For few', 'For few.', { ref: 'few-too', ...FOR_FEW }),
    page('Unlisted for few', 'For few.', { into: 'few-too', hidden: true }),
    { operation: 'insert_page', type: 'group', title: 'Folder', hidden: true, ref: 'folder' },
    page('In the folder', 'Inside.', { into: 'folder' }),
    page('End', 'Last.'),
  ]));
  const markdown = ['Unlisted', 'Grandchild', 'Folder', 'For few below', 'Unlisted for few']
    .map((title) => `[to ${title}](/pages/${ids[title]})`)
    .join(' ');
  const change = {
    operation: 'update_page',
    page: ids.Start,
    document: {
      markdown: `${markdown}\n\n{% content-ref url="/pages/${ids.Unlisted}" %}\n{% endcontent-ref %}`,
    },
  };
  await expectOk(admin.post(`/spaces/${space}/content`, { changes: [change] }));
  const sites = `/orgs/${organization}/sites`;
  ({ id: site } = await expectOk(admin.post(sites, { title: 'Docs', spaces: [space] })));
  await expectOk(admin.post(`${sites}/${site}/publish`));
  at = `/sites/${site}`;
});
afterAll(() => service.close());

const get = (url: string, headers: Record<string, string> = {}) =>
  service.app.inject({ url, headers: { host: 'docs.test', ...headers } });

const open = async (url: string, headers?: Record<string, string>) => {
  const response = await get(url, headers);
  expect(response.statusCode, `${url}: ${response.body.slice(0, 300)}`).toBe(200);
  return response;
};

const articleOf = (body: string): string => /<article>.*<\/article>/s.exec(body)?.[0] ?? '';

test('a hidden page and what is below it are at their addresses, with breadcrumbs, and not indexed by search engines', async () => {
  for (const [path, text] of [
    ['hid', 'Only by its address.'],
    ['hid/child', 'Below.'],
    ['hid/child/grandchild', 'Far below.'],
    ['folder/in-the-folder', 'Inside.'],
  ]) {
    const { body } = await open(`${at}/${path}`);
    expect(body, path).toContain(text);
    expect(body, path).toContain('<meta name="robots" content="noindex">');
    expect(body, path).not.toMatch(/rel="(?:canonical|prev|next)"/);
    const markdown = await open(`${at}/${path}.md`);
    expect(markdown.body, path).toContain(text);
    expect(markdown.headers['x-robots-tag'], path).toBe('noindex');
  }
  expect((await open(`${at}/start.md`)).headers['x-robots-tag']).toBeUndefined();
  const { body } = await open(`${at}/hid/child/grandchild`);
  expect(body).toContain(
    `<ol><li><a href="${at}/hid">Unlisted</a></li><li><a href="${at}/hid/child">Child</a></li></ol>`,
  );
  const folder = await get(`${at}/folder`);
  expect([folder.statusCode, folder.headers.location]).toEqual([302, `${at}/folder/in-the-folder`]);
  const pdf = await get(`${at}/~/pdf?page=${ids.Unlisted}`);
  expect(pdf.statusCode).toBe(302);
});

test('links to hidden pages work, and those to pages that the visitor may not see are plain text', async () => {
  const article = articleOf((await open(at)).body);
  expect(article).toContain(`<a href="${at}/hid">to Unlisted</a>`);
  expect(article).toContain(`<a href="${at}/hid/child/grandchild">to Grandchild</a>`);
  expect(article).toContain(`<a href="${at}/folder/in-the-folder">to Folder</a>`);
  expect(article).toContain('</a> to For few below to Unlisted for few</p>');
  expect(article).toContain(`<a class="card-link" href="${at}/hid">`);
});

test('a condition that does not hold keeps pages from visitors, above and below hidden pages', async () => {
  for (const path of [
    'hid/for-few-below',
    'hid/for-few-below/below-the-few',
    'for-few',
    'for-few/unlisted-for-few',
  ]) {
    expect((await get(`${at}/${path}`)).statusCode, path).toBe(404);
    expect((await get(`${at}/${path}.md`)).statusCode, path).toBe(404);
  }
  expect((await get(`${at}/~/pdf?page=${ids['Unlisted for few']}`)).statusCode).toBe(404);
});

test('nothing that lists pages mentions hidden ones', async () => {
  await index(service, organization);
  const hidden = /Unlisted|Child|Grandchild|folder|href="[^"]*\/hid/i;
  const { body } = await open(`${at}/end`);
  expect(body).not.toMatch(hidden);
  expect(body).toContain(`rel="prev" href="${at}/"`);
  const own = (await open(`${at}/hid`)).body;
  expect(/<nav aria-label="Contents">.*?<\/nav>/s.exec(own)?.[0]).not.toMatch(hidden);
  expect(own).toContain(`<a class="entry" href="${at}/end">`);
  for (const file of ['sitemap.xml', 'llms.txt', 'feed.xml']) {
    const { body } = await open(`${at}/${file}`);
    expect(body, file).toContain('/end');
    expect(body, file).not.toMatch(/unlisted|child|folder|\/hid/i);
  }
  expect((await open(`${at}/llms-full.txt`)).body).not.toMatch(/Only by its address|Below\.|Inside\./);
  expect((await open(`${at}/~/search.json?q=address`)).json()).toEqual({ pages: [] });
  // The API does not tell visitors which pages are hidden either.
  const url = `http://docs.test${at}`;
  const { apiToken } = await expectOk(admin.post('/urls/published', { url }));
  const listed = await expectOk(service.as(apiToken).get(`/spaces/${space}/content/pages`));
  expect(listed.pages.map(({ title }: { title: string }) => title)).toEqual(['Start', 'End']);
});

test('hidden pages are in previews, too', async () => {
  const { cookie } = await openSessionFor(service, person);
  for (const preview of [`/preview/spaces/${space}/content`, `/preview/orgs/${organization}/sites/${site}`]) {
    expect((await open(`${preview}/hid/child`, { cookie })).body).toContain('Below.');
    expect(articleOf((await open(preview, { cookie })).body)).toContain(`<a href="${preview}/hid">`);
  }
});

test('a site whose pages are all hidden is empty at its root', async () => {
  const { id } = await spaceWith(admin, organization, [page('Alone', 'Only here.', { hidden: true })]);
  const sites = `/orgs/${organization}/sites`;
  const { id: other } = await expectOk(admin.post(sites, { title: 'Empty', spaces: [id] }));
  await expectOk(admin.post(`${sites}/${other}/publish`));
  expect((await open(`/sites/${other}`)).body).not.toContain('Alone');
  expect((await open(`/sites/${other}/alone`)).body).toContain('Only here.');
});
