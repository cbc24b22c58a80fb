import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { CustomHostname } from '../../schema/entities/custom-hostname.ts';
import { toolContext } from '../../server/context.ts';
import { makeFolder } from '../helpers/folders.ts';
import { expectOk } from '../helpers/service.ts';
import { index } from '../search/scene.ts';
import { type GuideSite, links, startGuideSite } from './guide-site.ts';

let service: GuideSite['service'];
let admin: GuideSite['admin'];
let organization: GuideSite['organization'];
let site: GuideSite['site'];
let at: GuideSite['at'];
let insert: GuideSite['insert'];
let get: GuideSite['get'];
let page: GuideSite['page'];
beforeAll(async () => {
  ({ service, admin, organization, site, at, insert, get, page } = await startGuideSite());
});
afterAll(() => service.close());

test('a page has its text, the table of contents, breadcrumbs, and links to the previous and next page', async () => {
  const { body, headers } = await page(`${at}/group/first`);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(body).toContain('<title>First | Docs &amp; more</title>');
  expect(body).toMatch(/<nav class="breadcrumbs"[^>]*><ol><li>Group<\/li>/);
  expect(body).toMatch(/aria-current="page"><span>First</);
  expect(body).toMatch(new RegExp(`rel="prev" href="${at}/"`));
  expect(body).toMatch(new RegExp(`rel="next" href="${at}/unlisted"`));
  expect(body).toMatch(/<div class="hint warning" role="note"[^>]*>/);
  expect(body).not.toContain('Hidden');
});

test('the first page is at the root, groups redirect to their first page, and unknown addresses are 404 pages', async () => {
  expect((await page(at)).body).toContain('Hello <em>you</em>.');
  expect((await page(`${at}/`)).body).toContain('<p class="lead">What it &lt;is&gt;</p>');
  const group = await get(`${at}/group`);
  expect([group.statusCode, group.headers.location]).toEqual([302, `${at}/group/first`]);
  for (const path of ['/none', '/group/none', '/~/none', '/~/a/b', '/none.md', '/group/first/sitemap.xml']) {
    const missing = await get(at + path);
    expect(missing.statusCode, path).toBe(404);
    expect(missing.headers['content-type'], path).toBe('text/html; charset=utf-8');
  }
  expect((await get(`${at}/none`)).body).toMatch(/<form class="search-form"/);
  expect((await get('/sites/none')).statusCode).toBe(404);
  expect((await get(`${at}/none`)).body).toContain('Try searching for it');
});

test('an unknown address of the service itself is an HTML page for browsers, and a JSON error for other clients', async () => {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
  for (const path of ['/nothing', '/auth/nothing', '/files/nothing']) {
    const page = await get(path, { accept });
    expect(page.statusCode, path).toBe(404);
    expect(page.headers['content-type'], path).toBe('text/html; charset=utf-8');
    expect(page.body).toContain('<h1>');
    expect(links(page.body)).toEqual(['/']);
    // Only pages of sites have a search.
    expect(page.body).not.toContain('Try searching');
    const plain = await get(path, { accept: '*/*' });
    expect(plain.json().error.code, path).toBe(404);
  }
  for (const path of ['/v1/nothing', '/trpc/nothing'])
    expect((await get(path, { accept })).headers['content-type'], path).toContain('application/json');
  // An address that cannot be decoded is unknown, too, and not valid in the API.
  const broken = ['/%E0%A4%A', `${at}/%E0%A4%A`, `${at}/group/%ff?x=y`, '/preview/spaces/%ff', '/auth/%'];
  for (const path of broken) {
    const page = await get(path, { accept });
    expect([page.statusCode, page.headers['content-type']], path).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.body, path).toContain('<h1>');
    expect((await get(path, { accept: '*/*' })).json().error.code, path).toBe(400);
  }
  expect((await get('/v1/%ff', { accept })).json().error.code).toBe(400);
  const hosted = await get('/%E0%A4%A', { host: 'nobody.sites.test', accept });
  expect([hosted.statusCode, hosted.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(links(hosted.body)).toEqual([]);
});

test('the page for an unknown host has no links', async () => {
  const page = await get('/nothing', { host: 'nobody.sites.test', accept: 'text/html' });
  expect(page.statusCode).toBe(404);
  expect(links(page.body)).toEqual([]);
});

test('links around images without alternative text are labelled by their target, and links around nothing visible are left out', async () => {
  const target = 'https://example.com/there';
  const markdown = `[![](https://example.com/a.png)](${target}) [![A fox](https://example.com/b.png)](${target})

[\u200b](${target}) [ ](${target}) [Words](${target})
`;
  await insert({ title: 'Links', noRobotsIndex: true, document: { markdown } });
  const { body } = await page(`${at}/links`);
  const found = [...body.matchAll(/<a href="https:\/\/example\.com\/there"([^>]*)>(.*?)<\/a>/gs)];
  expect(found.map(([, attributes]) => attributes)).toEqual([` aria-label="example.com/there"`, '', '']);
  expect(found.map(([, , inner]) => /A fox|Words/.exec(inner as string)?.[0])).toEqual([
    undefined,
    'A fox',
    'Words',
  ]);
});

test('the first visible image of a page is fetched with high priority, and the others lazily', async () => {
  const image = (name: string) => `![${name}](https://example.com/${name}.png)`;
  const markdown = `<details><summary>More</summary>\n\n${image('folded')}\n\n</details>\n\n${image('one')}\n\n${image('two')}`;
  await insert({ title: 'Images', noRobotsIndex: true, document: { markdown } });
  const { body } = await page(`${at}/images`);
  const timing = Object.fromEntries(
    [...body.matchAll(/<img [^>]*alt="(\w+)" (fetchpriority|loading)=/g)].map(([, name, kind]) => [
      name,
      kind,
    ]),
  );
  expect(timing).toEqual({ folded: 'loading', one: 'fetchpriority', two: 'loading' });
});

test('nothing that an author writes can run as a script', async () => {
  const { body, headers } = await page(`${at}/group/first`);
  const article = body.slice(body.indexOf('<article>'), body.indexOf('</article>'));
  expect(article).toContain('alert(8)');
  expect(article).not.toMatch(/<script|<iframe|<[^>]* on\w+=|<[^>]* style=/);
  expect(links(body).filter((href) => /^(?:javascript|data:text)/i.test(href))).toEqual([]);
  expect(body).not.toMatch(/src="(?:javascript|data)/);
  // Only the inline scripts and styles of the page, and files of the service, are allowed.
  const policy = String(headers['content-security-policy']);
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'self' 'sha256-[^']+'; style-src 'self' 'sha256-[^']+';/,
  );
  expect(policy).not.toMatch(/unsafe|\*/);
  const inline = [...body.matchAll(/<(script|style)>([\s\S]*?)<\/\1>/g)];
  expect(inline).toHaveLength(2);
  for (const [, , text = ''] of inline)
    expect(policy).toContain(`'sha256-${hash('sha256', text, 'base64')}'`);
});

test('no URL that was imported runs a script on a page', async () => {
  const folder = await makeFolder('docs');
  const urls = [
    'javascript:alert(1)',
    ' java\tscript:alert(2)',
    'data:text/html,<b>a</b>',
    'vbscript:a',
    'ms-msdt:/id',
  ];
  const blocks = urls.map(
    (url) =>
      `[a](<${url}>) ![b](<${url}>) <a href="${url}">c</a>\n\n{% embed url="${url}" %}\n\n{% file src="${url}" %}\n`,
  );
  await writeFile(join(folder, 'README.md'), `# Home\n\n${blocks.join('\n')}`);
  const entries = urls.map((url) => `* [Away](<${url}>)\n`).join('');
  await writeFile(join(folder, 'SUMMARY.md'), `* [Home](README.md)\n${entries}`);
  const { id: space } = await service.build.space(organization);
  const operator = createCaller(toolContext(service.runtime.database, service.runtime.services));
  await operator.installation.content.importFolder({ folder, space, organization });
  const sites = `/orgs/${organization}/sites`;
  const imported = await expectOk(admin.post(sites, { title: 'Imported', spaces: [space] }));
  await expectOk(admin.post(`${sites}/${imported.id}/publish`));
  const { body } = await page(`/sites/${imported.id}`);
  expect(body).toContain('>Away<');
  const found = [...body.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, url = '']) => url);
  // The icon of the site is in its URL.
  const external = found.filter((url) => !url.startsWith('data:image/svg+xml,'));
  const schemes = external.map((url) => URL.parse(url, 'https://docs.test/')?.protocol);
  expect(schemes.filter((scheme) => scheme !== 'https:' && scheme !== 'http:')).toEqual([]);
});

test('a site can use its own fonts, and their URLs cannot inject anything', async () => {
  const font = (url: string) => ({
    styling: {
      font: {
        id: 'own',
        custom: true,
        fontFamily: 'Own Sans',
        fontFaces: [{ weight: 400, sources: [{ url, format: 'woff2' }] }],
      },
    },
  });
  const at = `/orgs/${organization}/sites/${site}/customization`;
  await expectOk(admin.patch(at, font('https://fonts.example/a"};.woff2?<\\/style>')));
  const { body, headers } = await page(`/sites/${site}/unlisted`);
  const [, styles = ''] = /<style>(.*?)<\/style>/s.exec(body) ?? [];
  expect(styles).toMatch(/^@font-face\{font-family:"Own Sans";font-weight:400;[^"]*url\("[^"\\<]*"\)/);
  expect(styles).toContain('--sans:"Own Sans"');
  expect(headers['content-security-policy']).toContain('; font-src https://fonts.example;');
  await expectOk(admin.patch(at, { styling: { font: null } }));
  expect((await page(`/sites/${site}/unlisted`)).headers['content-security-policy']).not.toContain(
    'font-src',
  );
});

test('the sitemap, robots.txt, metadata, feed and Markdown of a site list the indexable pages with their addresses', async () => {
  const root = `http://docs.test${at}/`;
  const sitemap = (await page(`${at}/sitemap.xml`)).body;
  expect([...sitemap.matchAll(/<loc>([^<]*)</g)].map(([, loc]) => loc)).toEqual([root, `${root}group/first`]);
  expect((await page(`${at}/unlisted`)).body).toContain('<meta name="robots" content="noindex">');
  const { body } = await page(at);
  expect(body).toContain(`<link rel="canonical" href="${root}">`);
  expect(body).toContain('<meta name="description" content="What it &lt;is&gt;">');
  const [, data = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(body) ?? [];
  expect(JSON.parse(data)['@graph'][0]).toMatchObject({ headline: 'Welcome', description: 'What it <is>' });
  expect((await page(`${at}/robots.txt`)).body).toContain(`Sitemap: ${root}sitemap.xml`);
  expect((await page(`${at}/feed.xml`)).body).toContain('<title>Docs &amp; more</title>');
  expect((await page(`${at}/llms.txt`)).body).toContain(`- [First](${root}group/first.md)`);
  expect((await page(`${at}/llms-full.txt`)).body).toContain('Hello *you*.');
  const markdown = await page(`${at}/welcome.md`);
  expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8');
  expect(markdown.body).toMatch(/^# Welcome\n\nHello \*you\*\./);
});

test('a site from which agents are excluded has nothing for them, and no links to it', async () => {
  const files = ['welcome.md', 'llms.txt', 'llms-full.txt'];
  const set = (agentsContext: string) =>
    expectOk(admin.patch(`/orgs/${organization}/sites/${site}`, { agentsContext }));
  expect((await page(at)).body).toContain('welcome.md"');
  await set('excluded');
  for (const file of files) expect((await get(`${at}/${file}`)).statusCode, file).toBe(404);
  expect((await page(at)).body).not.toContain('.md"');
  expect((await get(`${at}/sitemap.xml`)).statusCode).toBe(200);
  await set('included');
  for (const file of files) expect((await get(`${at}/${file}`)).statusCode, file).toBe(200);
});

test('a search returns a page or JSON, with the query escaped', async () => {
  const { body } = await page(`${at}/~/search?q=%3Cscript%3Ehello`);
  expect(body).toContain('value="&lt;script&gt;hello"');
  await index(service, organization);
  const found = (await page(`${at}/~/search.json?q=hello`)).json().pages;
  expect(found).toMatchObject([{ title: 'Welcome', href: `${at}/welcome` }]);
  expect((await page(`${at}/~/search.json`)).json()).toEqual({ pages: [] });
  expect((await page(`${at}/~/search.json?q=%ED%A0%80!!`)).json()).toEqual({ pages: [] });
});

test('a site is served at its own hostname, on the host of its organization, and through a proxy, with links that fit each', async () => {
  await expectOk(admin.patch(`/orgs/${organization}`, { hostname: 'acme' }));
  const shared = await page(`/${site}/group/first`, { host: 'acme.sites.test' });
  expect(shared.body).toContain(`rel="prev" href="/${site}/"`);
  await service.runtime.database.transaction(async (em) => {
    em.create(CustomHostname, { hostname: 'help.acme.example', organization, site, isActive: true } as never);
  });
  const hosted = { host: 'help.acme.example', accept: 'text/html' };
  const { body } = await page('/group/first', hosted);
  expect(body).toMatch(/rel="prev" href="\/"/);
  expect(body).toContain('<link rel="canonical" href="http://help.acme.example/group/first">');
  const [, styles = ''] = /<link rel="stylesheet" href="([^"]*)"/.exec(body) ?? [];
  const asset = await page(styles, hosted);
  expect(asset.headers['cache-control']).toMatch(/immutable/);
  expect((await page('/robots.txt', hosted)).body).toContain('http://help.acme.example/sitemap.xml');
  expect((await get('/none', hosted)).body).toContain('class="search-form"');
  // A path that begins with two slashes is not the name of another host.
  const { headers } = await get('http://help.acme.example//evil.example/?jwt_token=x', hosted);
  const redirected = new URL(String(headers.location), 'http://help.acme.example/');
  expect(redirected.href).toBe('http://help.acme.example//evil.example/');
  expect((await get('/', { host: 'nobody.acme.example', accept: 'text/html' })).statusCode).toBe(404);
  // Programs reach the API on any hostname; browsers get the page, if there is one.
  expect((await get('/v1/user', { ...hosted, accept: '*/*' })).statusCode).toBe(401);
  expect((await get('/v1/user', hosted)).headers['content-type']).toMatch(/html/);

  // The proxy has other paths: links use its address.
  await expectOk(admin.patch(`/orgs/${organization}/sites/${site}`, { proxy: 'www.acme.example/docs' }));
  const forwarded = (await page('/group/first', hosted)).body;
  expect(forwarded).toContain('rel="prev" href="https://www.acme.example/docs/"');
  expect(forwarded).toContain('<link rel="canonical" href="https://www.acme.example/docs/group/first">');
});
