import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index, page, spaceWith } from '../search/scene.ts';

const GUIDE = `## One

[Out](https://example.com/) <a href="https://example.com/" class="button primary">Go</a>

## Two

| | |
|---|---|
| | |

<table><thead><tr><th data-type="number">N</th></tr></thead><tbody><tr><td>12345.5</td></tr></tbody></table>

{% updates format="full" %}
{% update date="2026-03-04" %}
Text.
{% endupdate %}
{% endupdates %}
`;

let service: TestService;
let admin: Client;
let organization: string;
let at: string;
beforeAll(async () => {
  service = await startTestService();
  const built = await service.build.organization();
  organization = built.id;
  admin = service.as(built.admin.token);
  const spaces: string[] = [];
  for (const language of ['en', 'ar', 'pl', 'de']) {
    const pages = [page('Start', 'Text about puffins.'), page('Guide', GUIDE)];
    const { id } = await spaceWith(admin, organization, pages, { title: language });
    await expectOk(admin.patch(`/spaces/${id}`, { language }));
    spaces.push(id);
  }
  const sites = `/orgs/${organization}/sites`;
  const { id: site } = await expectOk(admin.post(sites, { title: 'Docs', spaces }));
  const blank = { externalLinks: { target: 'blank' } };
  await expectOk(admin.patch(`${sites}/${site}/customization`, blank));
  await expectOk(admin.post(`${sites}/${site}/publish`));
  at = `/sites/${site}`;
  await index(service, organization);
});
afterAll(() => service.close());

const get = (url: string, headers: Record<string, string> = {}) =>
  service.app.inject({ url, headers: { host: 'docs.test', accept: 'text/html', ...headers } });
const bodyOf = async (url: string, headers?: Record<string, string>) => (await get(url, headers)).body;

test('results of a search have the language and the direction of the space of the page', async () => {
  const { pages } = JSON.parse(await bodyOf(`${at}/~/search.json?q=puffins`));
  const languages = pages.map(({ language }: { language: object }) => language);
  expect(languages).toContainEqual({ lang: 'ar', dir: 'rtl' });
  expect(languages).toContainEqual({ lang: 'de', dir: 'ltr' });
  const html = await bodyOf(`${at}/~/search?q=puffins`);
  expect(html).toContain('<li lang="ar" dir="rtl"><small><bdi>ar</bdi></small>');
});

test('texts of the interface have their own language on a page in a language that the interface is not available in', async () => {
  const arabic = await bodyOf(`${at}/ar/guide`);
  expect(arabic).toContain('<html lang="ar" dir="rtl"');
  for (const text of ['Skip to content', 'Search', 'On this page', 'Previous', 'View as Markdown'])
    expect(arabic).toMatch(new RegExp(`lang="en">${text}<`));
  expect(arabic).toContain('<span lang="en"><bdi>Last updated ');
  expect(await bodyOf(`${at}/ar/none`)).toContain('<article lang="en"><h1>Page not found</h1>');
  expect(await bodyOf(`${at}/de/guide`)).not.toContain(' lang="en"');
});

test('links and buttons say for screen readers that they open a new tab, in the language of the interface', async () => {
  const body = await bodyOf(`${at}/de/guide`);
  const note = '<span class="visually-hidden"> (öffnet sich in einem neuen Tab)</span></a>';
  expect(body).toContain(`>Out${note}`);
  expect(body).toContain(`>Go${note}`);
});

test('no font for one of the languages with Chinese characters is named, so that browsers choose by the language', async () => {
  for (const body of [await bodyOf(at), await bodyOf('/sites/none')]) {
    expect(body).toContain('"Noto Sans"');
    expect(body).not.toMatch(/Hiragino|PingFang|YaHei|CJK/);
  }
});

test('entries of the feed have the language of their space', async () => {
  const feed = await bodyOf(`${at}/feed.xml`);
  const languages = [...feed.matchAll(/<entry xml:lang="(\w+)">/g)].map(([, language]) => language);
  expect(languages.sort()).toEqual(['ar', 'ar', 'de', 'de', 'en', 'en', 'pl', 'pl']);
});

test('numbers and dates in the text of a page are in the language of the text, also if the interface is not', async () => {
  const english = await bodyOf(`${at}/guide`);
  expect(english).toContain('12,345.5');
  expect(english).toContain('aria-label="Table"');
  const polish = await bodyOf(`${at}/pl/guide`);
  expect(polish).toContain('12\u00a0345,5');
  expect(polish).toContain('>4 marca 2026</time>');
  expect(polish).toContain('Last updated');
  const german = await bodyOf(`${at}/de/guide`);
  expect(german).toContain('>4. März 2026</time>');
  expect(german).toContain('aria-label="Tabelle"');
});

test.for<[header: string, language: string, title: string]>([
  ['de-AT,de;q=0.9,en;q=0.8', 'de', 'Seite nicht gefunden'],
  ['it-IT,it;q=0.9,fr;q=0.8,en;q=0.7', 'fr', 'Page introuvable'],
  ['en;q=0.5,ja', 'ja', 'ページが見つかりません'],
  ['nb-NO,nb;q=0.9', 'no', 'Fant ikke siden'],
  ['nn', 'no', 'Fant ikke siden'],
  ['pt-PT', 'pt-br', 'Página não encontrada'],
  ['it', 'en', 'Page not found'],
  ['*', 'en', 'Page not found'],
])('for a browser that accepts %s, an error page is in %s', async ([accepted, language, title]) => {
  const body = await bodyOf('/sites/none', { 'accept-language': accepted });
  expect(body).toContain(`<html lang="${language}">`);
  expect(body).toContain(`<h1>${title}</h1>`);
});
