import { hash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CustomHostname } from '../../schema/entities/custom-hostname.ts';
import { createHighlighter } from '../../server/pages/highlight/highlighter.ts';
import { openSessionFor } from '../auth/browser.ts';
import { silentLogger } from '../helpers/logger.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index } from '../search/scene.ts';

let service: TestService;
let admin: Client;
let organization: string;
let person: string;
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
  person = built.admin.id;
  space = (await expectOk(admin.post(`/orgs/${organization}/spaces`, { title: 'Guide' }))).id;
  await insert({ title: 'Welcome', description: 'What it <is>', document: { markdown: 'Hello *you*.' } });
  await insert({ title: 'Group', type: 'group', ref: 'group' }, [
    { title: 'First', into: 'group', document: { markdown: MARKDOWN } },
  ]);
  await insert({ title: 'Unlisted', noRobotsIndex: true, document: { markdown: 'Quiet.' } });
  await insert({ title: 'Hidden', hidden: true, document: { markdown: 'Only by its address.' } });
  site = (
    await expectOk(admin.post(`/orgs/${organization}/sites`, { title: 'Docs & more', spaces: [space] }))
  ).id;
  await expectOk(admin.post(`/orgs/${organization}/sites/${site}/publish`));
  at = `/sites/${site}`;
});
afterAll(() => service.close());

/** Content that tries to inject markup and scripts everywhere. */
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
  const { changes: made_ } = await expectOk(
    admin.post(`/spaces/${space}/content`, { compat: false, changes }),
  );
  for (const { id, page: inserted } of made_.pages) ids[inserted.title] = id;
}

const get = (url: string, headers: Record<string, string> = {}) =>
  service.app.inject({ url, headers: { host: 'docs.test', ...headers } });

const page = async (url: string, headers?: Record<string, string>) => {
  const response = await get(url, headers);
  expect(response.statusCode, `${url}: ${response.body.slice(0, 300)}`).toBe(200);
  return response;
};

/** The attributes of all links of a page. */
const links = (body: string): string[] => [...body.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href);

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

test('a page is sent again only if its content or its site has changed', async () => {
  const first = await page(`${at}/unlisted`, { 'accept-encoding': 'br' });
  expect(first.headers['content-encoding']).toBe('br');
  const plain = await page(`${at}/unlisted`);
  const tag = String(plain.headers.etag);
  expect(tag).toMatch(/^"[\w-]+"$/);
  expect(first.headers.etag).toBe(tag.replace(/"$/, '-br"'));
  expect((await get(`${at}/unlisted`, { 'if-none-match': tag })).statusCode).toBe(304);
  // A proxy that compresses the page makes its tag weak.
  expect((await get(`${at}/unlisted`, { 'if-none-match': `"other", W/${tag}` })).statusCode).toBe(304);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 60 * 60 * 1000 });
  expect((await get(`${at}/unlisted`, { 'if-none-match': tag })).statusCode).toBe(304);
  vi.useRealTimers();
  const change = { operation: 'update_page', page: ids.Unlisted, document: { markdown: 'Louder.' } };
  await expectOk(admin.post(`/spaces/${space}/content`, { changes: [change] }));
  const changed = await page(`${at}/unlisted`, { 'if-none-match': tag });
  expect(changed.body).toContain('Louder.');
  await expectOk(admin.patch(`/orgs/${organization}/sites/${site}`, { title: 'Docs and more' }));
  expect((await page(`${at}/unlisted`)).body).toContain('<title>Unlisted | Docs and more</title>');
  await expectOk(admin.patch(`/orgs/${organization}/sites/${site}`, { title: 'Docs & more' }));
});

test('a page whose code is not highlighted yet has no strong ETag, and a complete one always has the same ETag', async () => {
  const languages = ['rust', 'kotlin', 'swift', 'ruby', 'php', 'perl', 'lua', 'scala', 'haskell', 'elixir'];
  const markdown = languages.map((name) => `\`\`\`${name}\nreturn "${name}"\n\`\`\``).join('\n\n');
  await insert({ title: 'Colours', noRobotsIndex: true, document: { markdown } });
  const tags = new Set<string>();
  const complete = await vi.waitFor(
    async () => {
      const { body, headers } = await page(`${at}/colours`);
      const isComplete = !/<body [^>]*data-incomplete/.test(body);
      const tag = String(headers.etag);
      if (tag.startsWith('"')) tags.add(tag);
      if (!isComplete) throw new Error('Some code is not highlighted yet.');
      return { tag, body };
    },
    { timeout: 20_000, interval: 20 },
  );
  expect([...tags]).toEqual([complete.tag]);
  expect(complete.body.split(/<pre [^>]*><code><span class="line">(?:<span|return <span)/).length).toBe(
    languages.length + 1,
  );
  const again = await get(`${at}/colours`, { 'if-none-match': complete.tag });
  expect(again.statusCode).toBe(304);
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

test('much code of one organization does not delay highlighting for another', async () => {
  const highlighter = createHighlighter(silentLogger);
  const order: string[] = [];
  const make = async (organization: string, number: number) => {
    const text = `const ${organization} = ${number};`;
    expect(await highlighter.render({ kind: 'code', syntax: 'js', text }, organization)).toBeTruthy();
    order.push(organization);
  };
  await Promise.all([...Array.from({ length: 50 }, (_, number) => make('many', number)), make('few', 0)]);
  expect(order.indexOf('few')).toBeLessThan(3);
  await highlighter.close();
});

test('style sheets and scripts are compressed with an encoding that the browser accepts', async () => {
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
    const made_ = await expectOk(admin.post(sites, { title: 'Coloured', spaces: [id] }));
    const styling = { primaryColor: { light: primary, dark: primary } };
    await expectOk(admin.patch(`${sites}/${made_.id}/customization`, { styling }));
    return `${sites}/${made_.id}`;
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

test('the start page lists the sites of a signed-in user, and links others to the sign-in page', async () => {
  expect((await page('/')).body).toContain('href="/auth/sign-in"');
  const { cookie } = await openSessionFor(service, person);
  const { body } = await page('/', { cookie });
  expect(links(body)).toContain('https://www.acme.example/docs');
  expect(links(body)).toContain(`/preview/orgs/${organization}/sites/${site}`);
  expect(body).toContain('Docs &amp; more');
  for (const [path, preview] of [
    [`/orgs/${organization}/sites/${site}`, `/preview/orgs/${organization}/sites/${site}`],
    [`/spaces/${space}/pages/${ids.First}`, `/preview/spaces/${space}/content`],
    [`/spaces/${space}/change-requests/1`, `/preview/spaces/${space}/change-requests/1`],
  ])
    expect(links((await page(`/app${path}`, { cookie })).body)).toContain(preview);
});

test('any change of a site is visible at once at addresses that are cached', async () => {
  const space = async (title: string, markdown: string) => {
    const { id } = await expectOk(admin.post(`/orgs/${organization}/spaces`, { title }));
    const changes = [{ operation: 'insert_page', title: `Page of ${title}`, document: { markdown } }];
    const response = await expectOk(admin.post(`/spaces/${id}/content`, { compat: false, changes }));
    return { id, page: response.changes.pages[0].id };
  };
  const [first, second] = [await space('One', 'Before.'), await space('Two', 'Other.')];
  const sites = `/orgs/${organization}/sites`;
  const { id } = await expectOk(admin.post(sites, { title: 'Fresh', spaces: [first.id] }));
  const fresh = `${sites}/${id}`;
  await expectOk(admin.post(`${fresh}/publish`));
  let path = `/sites/${id}/page-of-one`;
  /** Reads the page until its address is cached, so that the next read needs only one statement. */
  const read = async () => {
    await get(path);
    await get(path);
    return get(path);
  };
  let section = '';
  let link: { id: string; urls: { published: string } };
  const edit = { operation: 'update_page', page: first.page, document: { markdown: 'After.' } };
  const changes: [string, () => Promise<unknown>, RegExp | number][] = [
    ['an edit', () => expectOk(admin.post(`/spaces/${first.id}/content`, { changes: [edit] })), /After\./],
    ['its title', () => expectOk(admin.patch(fresh, { title: 'Renamed' })), /<title>Page of One \| Renamed/],
    [
      'its customization',
      () => expectOk(admin.patch(`${fresh}/customization`, { footer: { copyright: 'Ours' } })),
      /Ours/,
    ],
    [
      'a section',
      async () => {
        ({ id: section } = await expectOk(
          admin.post(`${fresh}/sections`, { title: 'More', spaceId: second.id }),
        ));
      },
      /class="tabs-bar".*More/,
    ],
    [
      'the title of a section',
      () => expectOk(admin.patch(`${fresh}/sections/${section}`, { title: 'Much more' })),
      /Much more/,
    ],
    [
      'a group',
      () => expectOk(admin.post(`${fresh}/section-groups`, { title: 'Grouped', sections: [section] })),
      /Grouped/,
    ],
    [
      'a space that goes',
      async () => expect((await admin.delete(`/spaces/${second.id}`)).status).toBe(205),
      /^(?!.*Much more)/s,
    ],
    [
      'the host of the organization',
      () =>
        service.runtime.database.db
          .updateTable('subdomain')
          .set({ subdomain: 'fresh' })
          .where('organization_id', '=', organization)
          .execute(),
      /rel="canonical" href="[^"]*fresh\.sites\.test/,
    ],
    [
      'its own host',
      () =>
        service.runtime.database.transaction(async (em) => {
          const hostname = 'fresh.acme.example';
          em.create(CustomHostname, { hostname, organization, site: id, isActive: true } as never);
        }),
      /rel="canonical" href="http:\/\/fresh\.acme\.example/,
    ],
    ['its visibility', () => expectOk(admin.patch(fresh, { visibility: 'unlisted' })), /content="noindex"/],
    ['that it needs a link', () => expectOk(admin.patch(fresh, { visibility: 'share-link' })), 404],
    [
      'a link',
      async () => {
        link = await expectOk(admin.post(`${fresh}/share-links`, { name: 'Friends' }));
        const key = new URL(link.urls.published).pathname.split('/').at(-1);
        path = `/sites/${id}/${key}/page-of-one`;
      },
      200,
    ],
    [
      'that the link is off',
      () => expectOk(admin.patch(`${fresh}/share-links/${link.id}`, { active: false })),
      404,
    ],
    ['that it is public again', () => expectOk(admin.patch(fresh, { visibility: 'public' })), 404],
    [
      'that it is not published',
      async () => {
        path = `/sites/${id}/page-of-one`;
        expect((await read()).statusCode).toBe(200);
        await expectOk(admin.post(`${fresh}/unpublish`));
      },
      404,
    ],
  ];
  for (const [name, change, expected] of changes) {
    const before = await read();
    await change();
    const after = await get(path, { 'if-none-match': String(before.headers.etag) });
    if (typeof expected === 'number') expect(after.statusCode, name).toBe(expected);
    else expect(after.body.replaceAll('\n', ' '), name).toMatch(expected);
  }
});
