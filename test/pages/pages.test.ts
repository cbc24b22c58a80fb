import { hash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CustomHostname } from '../../schema/entities/custom-hostname.ts';
import { type Client, made, startTestService, type TestService } from '../helpers/service.ts';
import { index } from '../search/scene.ts';

let service: TestService;
let admin: Client;
let organization: string;
let space: string;
let site: string;
let at: string;
/** The ids of pages by their titles. */
const ids: Record<string, string> = {};
beforeAll(async () => {
  service = await startTestService({ SITES_DOMAIN: 'sites.test' });
  const built = await service.build.organization();
  organization = built.id;
  admin = service.as(built.admin.token);
  space = (await made(admin.post(`/orgs/${organization}/spaces`, { title: 'Guide' }))).id;
  await insert({ title: 'Welcome', description: 'What it <is>', document: { markdown: 'Hello *you*.' } });
  await insert({ title: 'Group', type: 'group', ref: 'group' }, [
    { title: 'First', into: 'group', document: { markdown: MARKDOWN } },
  ]);
  await insert({ title: 'Unlisted', noRobotsIndex: true, document: { markdown: 'Quiet.' } });
  await insert({ title: 'Hidden', hidden: true, document: { markdown: 'Only by its address.' } });
  site = (await made(admin.post(`/orgs/${organization}/sites`, { title: 'Docs & more', spaces: [space] })))
    .id;
  await made(admin.post(`/orgs/${organization}/sites/${site}/publish`));
  at = `/sites/${site}`;
});
afterAll(() => service.close());

/** All that could be taken for markup or a script. */
const MARKDOWN = `Before <script>alert(1)</script> and <img src=x onerror=alert(2)>.

[run](javascript:alert(3)) [data](data:text/html,<script>alert(4)</script>) ![x](javascript:alert(5))

<iframe src="https://evil.example"></iframe>

## A "heading" <b onclick=alert(6)>

\`\`\`js title="<script>alert(7)</script>"
const a = "</code><script>alert(8)</script>";
\`\`\`

$$\\href{javascript:alert(9)}{x}$$

{% tabs %}
{% tab title="\\"><script>alert(10)</script>" %}
Inside.
{% endtab %}
{% endtabs %}

{% embed url="javascript:alert(11)" %}

{% hint style="warning" %}
Mind the **gap**.
{% endhint %}
`;

async function insert(page: object, others: object[] = []): Promise<void> {
  const changes = [page, ...others].map((one) => ({ operation: 'insert_page', ...one }));
  const { changes: made_ } = await made(admin.post(`/spaces/${space}/content`, { compat: false, changes }));
  for (const { id, page: inserted } of made_.pages) ids[inserted.title] = id;
}

const get = (url: string, headers: Record<string, string> = {}) =>
  service.app.inject({ url, headers: { host: 'docs.test', ...headers } });

const page = async (url: string, headers?: Record<string, string>) => {
  const answer = await get(url, headers);
  expect(answer.statusCode, `${url}: ${answer.body.slice(0, 300)}`).toBe(200);
  return answer;
};

/** The attributes of all links of a page. */
const links = (body: string): string[] => [...body.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href);

test('a page has its text, the pages beside it, and what is above and next to it', async () => {
  const { body, headers } = await page(`${at}/group/first`);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(body).toContain('<title>First | Docs &amp; more</title>');
  expect(body).toMatch(/<nav class="crumbs"[^>]*><ol><li>Group<\/li>/);
  expect(body).toMatch(/aria-current="page"><span>First</);
  expect(body).toMatch(new RegExp(`rel="prev" href="${at}/"`));
  expect(body).toMatch(new RegExp(`rel="next" href="${at}/unlisted"`));
  expect(body).toMatch(/<div class="hint warning" role="note"[^>]*>/);
  expect(body).not.toContain('Hidden');
});

test('the first page is at the root, groups lead to their first page, and the rest is not there', async () => {
  expect((await page(at)).body).toContain('Hello <em>you</em>.');
  expect((await page(`${at}/`)).body).toContain('<p class="lead">What it &lt;is&gt;</p>');
  const group = await get(`${at}/group`);
  expect([group.statusCode, group.headers.location]).toEqual([302, `${at}/group/first`]);
  for (const path of [
    '/none',
    '/group/none',
    '/hidden',
    '/~/none',
    '/~/a/b',
    '/none.md',
    '/group/first/sitemap.xml',
  ]) {
    const missing = await get(at + path);
    expect(missing.statusCode, path).toBe(404);
    expect(missing.headers['content-type'], path).toBe('text/html; charset=utf-8');
  }
  expect((await get(`${at}/none`)).body).toMatch(/<form class="search-form"/);
  expect((await get('/sites/none')).statusCode).toBe(404);
  expect((await get(`${at}/%ff`)).statusCode).toBe(400);
});

test('nothing that an author writes can run', async () => {
  const { body, headers } = await page(`${at}/group/first`);
  const article = body.slice(body.indexOf('<article>'), body.indexOf('</article>'));
  expect(article).toContain('alert(8)');
  expect(article).not.toMatch(/<script|<iframe|<[^>]* on\w+=|<[^>]* style=/);
  expect(links(body).filter((href) => /^(?:javascript|data:text)/i.test(href))).toEqual([]);
  expect(body).not.toMatch(/src="(?:javascript|data)/);
  // Exactly what is in the page, and what the service serves, counts.
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

test('a page is sent again only if it has changed', async () => {
  const first = await page(`${at}/unlisted`, { 'accept-encoding': 'br' });
  expect(first.headers['content-encoding']).toBe('br');
  const plain = await page(`${at}/unlisted`);
  const tag = String(plain.headers.etag);
  expect(tag).toMatch(/^"[\w-]+"$/);
  expect(first.headers.etag).toBe(tag.replace(/"$/, '-br"'));
  expect((await get(`${at}/unlisted`, { 'if-none-match': tag })).statusCode).toBe(304);
  const change = { operation: 'update_page', page: ids.Unlisted, document: { markdown: 'Louder.' } };
  await made(admin.post(`/spaces/${space}/content`, { changes: [change] }));
  const changed = await page(`${at}/unlisted`, { 'if-none-match': tag });
  expect(changed.body).toContain('Louder.');
  await made(admin.patch(`/orgs/${organization}/sites/${site}`, { title: 'Docs and more' }));
  expect((await page(`${at}/unlisted`)).body).toContain('<title>Unlisted | Docs and more</title>');
  await made(admin.patch(`/orgs/${organization}/sites/${site}`, { title: 'Docs & more' }));
});

test('style sheets and scripts are compressed as the browser can read them', async () => {
  const { body } = await page(`${at}/unlisted`);
  const assets = [...body.matchAll(/(?:href|src)="([^"]*\/reader-[0-9a-f]{12}\.(?:css|js))"/g)];
  expect(assets.length).toBe(2);
  for (const [, address = ''] of assets) {
    const plain = await page(address);
    for (const [accepted, read] of [
      ['gzip, br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { headers, rawPayload } = await page(address, { 'accept-encoding': accepted });
      expect(headers['cache-control']).toContain('immutable');
      expect(read(rawPayload).toString()).toBe(plain.body);
      expect(rawPayload.length).toBeLessThan(plain.body.length / 2);
    }
  }
});

test('search engines are told what they may list, and where it is', async () => {
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

test('a search is answered as a page and as JSON', async () => {
  const { body } = await page(`${at}/~/search?q=%3Cscript%3Ehello`);
  expect(body).toContain('value="&lt;script&gt;hello"');
  await index(service, organization);
  const found = (await page(`${at}/~/search.json?q=hello`)).json().pages;
  expect(found).toMatchObject([{ title: 'Welcome', href: `${at}/welcome` }]);
  expect((await page(`${at}/~/search.json`)).json()).toEqual({ pages: [] });
  expect((await page(`${at}/~/search.json?q=%ED%A0%80!!`)).json()).toEqual({ pages: [] });
});

test('a site is shown at its hostname, on the host of its organization, and by a service in front of it', async () => {
  await made(admin.patch(`/orgs/${organization}`, { hostname: 'acme' }));
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
  expect((await get('/', { host: 'nobody.acme.example', accept: 'text/html' })).statusCode).toBe(404);
  // Programs find the service by any name; readers find the page, if there is one.
  expect((await get('/v1/user', { ...hosted, accept: '*/*' })).statusCode).toBe(401);
  expect((await get('/v1/user', hosted)).headers['content-type']).toMatch(/html/);

  // The service in front has other paths: links are those of its own address.
  await made(admin.patch(`/orgs/${organization}/sites/${site}`, { proxy: 'www.acme.example/docs' }));
  const forwarded = (await page('/group/first', hosted)).body;
  expect(forwarded).toContain('rel="prev" href="https://www.acme.example/docs/"');
  expect(forwarded).toContain('<link rel="canonical" href="https://www.acme.example/docs/group/first">');
});
