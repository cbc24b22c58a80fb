import { afterAll, beforeAll, expect, test } from 'vitest';
import { en } from '../../server/auth/languages/en.ts';
import { openSessionFor } from '../auth/browser.ts';
import { expectOk } from '../helpers/service.ts';
import { type GuideSite, links, startGuideSite } from './guide-site.ts';

let service: GuideSite['service'];
let admin: GuideSite['admin'];
let person: GuideSite['person'];
let organization: GuideSite['organization'];
let space: GuideSite['space'];
let site: GuideSite['site'];
let ids: GuideSite['ids'];
let get: GuideSite['get'];
let page: GuideSite['page'];
beforeAll(async () => {
  ({ service, admin, person, organization, space, site, ids, get, page } = await startGuideSite());
});
afterAll(() => service.close());

test('a preview of a change request marks the blocks and pages that it adds, changes and removes', async () => {
  const { cookie } = await openSessionFor(service, person);
  const at = `/spaces/${space}/change-requests`;
  const { id, number } = await expectOk(admin.post(at, { subject: 'Louder <b>' }));
  const { document } = await expectOk(
    admin.get(`/spaces/${space}/content/page/${ids.Welcome}?format=document`),
  );
  const [first] = document.nodes;
  const add = (text: string) => ({
    object: 'block',
    type: 'paragraph',
    nodes: [{ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] }],
  });
  const update = (nodes: object[]) => ({
    operation: 'update_page',
    page: ids.Welcome,
    document: { document: { ...document, nodes } },
  });
  const change = (...changes: object[]) => expectOk(admin.post(`${at}/${id}/content`, { changes }));
  await change(
    update([first, add('Quite new.')]),
    { operation: 'insert_page', title: 'Added', document: { markdown: 'Of its own.' } },
    { operation: 'delete_page', page: ids.Hidden },
  );
  const preview = `/preview${at}/${number}`;
  const own = { cookie };
  const { body } = await page(`${preview}/`, own);
  expect(body).toContain(`#${number} Louder &lt;b&gt;`);
  expect(body).toMatch(/<div class="difference added"><p class="mark-name">Added<\/p><p>Quite new\.<\/p>/);
  expect(body).not.toMatch(/class="difference (?:changed|removed)"/);
  expect(body).toContain(`href="${preview}/added"`);
  expect(body).toMatch(/<span class="page-mark removed"><\/span> Hidden/);
  await change(update([add('Instead.')]));
  expect((await page(`${preview}/welcome`, own)).body).toMatch(
    /<div class="difference removed">.*Hello.*<div class="difference added">.*Instead\./s,
  );
  expect((await page(`${preview}/added`, own)).body).toContain('Of its own.');
  expect((await get(`${preview}/none`, own)).statusCode).toBe(404);
  expect((await get(`/preview${at}/999`, own)).statusCode).toBe(404);
  expect((await get(`${preview}/%ff`, own)).statusCode).toBe(400);
  expect((await page(`/sites/${site}/`)).body).not.toContain('Quite new.');
  const revision = (await expectOk(admin.get(`${at}/${id}`))).revision;
  expect((await page(`/preview/spaces/${space}/revisions/${revision}/added`, own)).body).toContain('Of its');
  expect((await page(`${preview}/~/search?q=quiet`, own)).body).toContain('Unlisted');
  const { headers } = await get(`${preview}/added?x=y`);
  expect(headers.location).toBe(`/auth/sign-in?returnTo=${encodeURIComponent(`${preview}/added?x=y`)}`);
});

test('a preview of a space has the customization of its site, for members who may view the site', async () => {
  const { id } = await expectOk(admin.post(`/orgs/${organization}/spaces`, { title: 'Looked at' }));
  const changes = [{ operation: 'insert_page', title: 'Page', document: { markdown: 'Text.' } }];
  const { revision } = await expectOk(admin.post(`/spaces/${id}/content`, { changes }));
  const { number } = await expectOk(admin.post(`/spaces/${id}/change-requests`, { subject: 'Change' }));
  const { cookie } = await openSessionFor(service, person);
  const colour = async (who = cookie) => {
    const paths = ['content', `revisions/${revision}`, `change-requests/${number}`];
    const shown = await Promise.all(
      paths.map((path) => page(`/preview/spaces/${id}/${path}`, { cookie: who })),
    );
    const [one, ...others] = new Set(shown.map(({ body }) => /--primary:(#\w+)/.exec(body)?.[1]));
    expect(others).toEqual([]);
    return one;
  };
  const plain = await colour();
  const siteWith = async (primary: string) => {
    const sites = `/orgs/${organization}/sites`;
    const coloured = await expectOk(admin.post(sites, { title: 'Coloured', spaces: [id] }));
    const styling = { primaryColor: { light: primary, dark: primary } };
    await expectOk(admin.patch(`${sites}/${coloured.id}/customization`, { styling }));
    return `${sites}/${coloured.id}`;
  };
  await siteWith('#112233');
  const published = await siteWith('#223344');
  expect(await colour()).toBe('#112233');
  await expectOk(admin.post(`${published}/publish`));
  await siteWith('#334455');
  expect(await colour()).toBe('#223344');
  const [siteSpace] = (await expectOk(admin.get(`${published}/site-spaces`))).items;
  const styling = { primaryColor: { light: '#445566', dark: '#445566' } };
  await expectOk(admin.patch(`${published}/site-spaces/${siteSpace.id}/customization`, { styling }));
  expect(await colour()).toBe('#445566');
  // Members see nothing of sites that they may not view.
  const member = await service.build.member(organization, 'read');
  const { items } = await expectOk(admin.get(`/orgs/${organization}/sites?space=${id}`));
  for (const one of items)
    await expectOk(admin.patch(`/orgs/${organization}/sites/${one.id}`, { defaultLevel: null }));
  expect(await colour((await openSessionFor(service, member.id)).cookie)).toBe(plain);
});

test('the start page has the steps that are left for an admin without sites, and none for others', async () => {
  const { id, admin: first } = await service.build.organization();
  const left = en.steps.slice(1);
  const stepsOf = ({ body }: { body: string }) =>
    en.steps.filter((step) => body.includes(`<li>${step}</li>`));
  const start = async (user: string) =>
    stepsOf(await page('/', { cookie: (await openSessionFor(service, user)).cookie }));
  expect(stepsOf(await page('/'))).toEqual(en.steps);
  expect(await start(first.id)).toEqual(left);
  expect(await start((await service.build.member(id, 'edit')).id)).toEqual([]);
  await expectOk(service.as(first.token).post(`/orgs/${id}/sites`, { title: 'Docs' }));
  expect(await start(first.id)).toEqual([]);
});

test('the start page lists the sites of a signed-in user, and links others to the sign-in page', async () => {
  expect((await page('/')).body).toContain('href="/auth/sign-in"');
  const { cookie } = await openSessionFor(service, person);
  const { body } = await page('/', { cookie });
  const { urls } = await expectOk(admin.get(`/orgs/${organization}/sites/${site}`));
  expect(links(body)).toContain(urls.published);
  expect(body).toContain(`<a href="/auth/account">${en.account}</a>`);
  expect(links(body)).toContain(`/preview/orgs/${organization}/sites/${site}`);
  expect(body).toContain('Docs &amp; more');
  for (const [path, preview] of [
    [`/orgs/${organization}/sites/${site}`, `/preview/orgs/${organization}/sites/${site}`],
    [`/spaces/${space}/pages/${ids.First}`, `/preview/spaces/${space}/content`],
    [`/spaces/${space}/change-requests/1`, `/preview/spaces/${space}/change-requests/1`],
  ])
    expect(links((await page(`/app${path}`, { cookie })).body)).toContain(preview);
  // What has no preview of its own leads to the sites instead, under their name.
  const { body: app } = await page(`/app/orgs/${organization}`, { cookie });
  expect(app).not.toContain(en.preview);
  expect(app).toContain(`<a href="/">${en.yourSites}</a>`);
});
