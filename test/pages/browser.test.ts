import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index } from '../search/scene.ts';
import { accessibilityViolations, launchBrowser, visitIn } from './browser.ts';

const GUIDE = `Begin with the [install](/install) page, or [read more](#more).

## Install

{% tabs %}
{% tab title="npm" %}
\`\`\`bash
npm install colophon
\`\`\`
{% endtab %}

{% tab title="yarn" %}
\`\`\`bash
yarn add colophon
\`\`\`
{% endtab %}
{% endtabs %}

{% hint style="info" %}
Mind the **gap**.
{% endhint %}

## Configure

| Name | Meaning |
|---|---|
| \`PORT\` | where it listens |

<details>

<summary>More</summary>

### Inside

Folded text.

</details>

- [x] done
- [ ] open

## Mathematics

$$
\\sqrt{a^2 + b^2}
$$

{% stepper %}
{% step %}
### First step

Do it.
{% endstep %}
{% endstepper %}
`;

const operationOf = (path: string) =>
  `{% openapi-operation spec="pets" path="${path}" method="post" %}\n[pets](https://example.com)\n{% endopenapi-operation %}\n\n`;
const REQUESTS = operationOf('/open/{id}') + operationOf('/closed/{id}');

let service: TestService;
let browser: Browser;
let root: string;
/** An API that pages describe, and the requests that it received. It allows requests from other sites only below /open. */
let api: Server;
const sent: { url: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
beforeAll(async () => {
  service = await startTestService();
  const address = await service.app.listen({ port: 0, host: '127.0.0.1' });
  service.runtime.publicUrl = address.replace('127.0.0.1', 'localhost');
  const { id: organization, admin: person } = await service.build.organization();
  const admin = service.as(person.token);
  api = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    if (request.method !== 'OPTIONS') sent.push({ url: request.url, headers: request.headers, body });
    if (request.url?.startsWith('/open'))
      for (const name of ['origin', 'headers', 'methods'])
        response.setHeader(`access-control-allow-${name}`, '*');
    response.setHeader('access-control-allow-headers', 'authorization, content-type, x-tenant, x-ids');
    response.writeHead(request.method === 'OPTIONS' ? 204 : 201, { 'content-type': 'application/json' });
    response.end(request.method === 'OPTIONS' ? undefined : '{"made":"<b>one</b>"}');
  });
  await once(api.listen(0, '127.0.0.1'), 'listening');
  const port = (api.address() as AddressInfo).port;
  const operation = {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    requestBody: { content: { 'application/json': { example: { name: 'Rex' } } } },
    security: [{ token: [] }, { user: [], key: [], tenant: [] }, {}],
    responses: { 201: { description: 'Made' } },
  };
  const list = (name: string, fields: object = {}) => ({
    name,
    in: 'query',
    required: true,
    schema: { type: 'array', items: { type: 'string' }, example: ['a b', 'c'] },
    ...fields,
  });
  const lists = [
    list('tags'),
    list('sorted', { explode: false }),
    list('fields', { style: 'pipeDelimited' }),
    list('ids', { in: 'path' }),
    list('X-Ids', { in: 'header' }),
  ];
  const document = apiWith(
    {
      'post /open/{id}': operation,
      'post /open/lists/{ids}': { parameters: lists, responses: {} },
      'post /closed/{id}': { ...operation, security: [{ session: [], key: [], digest: [], device: [] }] },
    },
    {
      servers: [{ url: `http://localhost:${port}` }, { url: 'https://*' }, { url: 'https://a;script-src' }],
      components: {
        securitySchemes: {
          token: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
          user: { type: 'http', scheme: 'basic' },
          key: { type: 'apiKey', in: 'query', name: 'api key' },
          tenant: { type: 'apiKey', in: 'header', name: 'X-Tenant' },
          session: { type: 'apiKey', in: 'cookie', name: 'session' },
          digest: { type: 'http', scheme: 'digest' },
          device: { type: 'mutualTLS' },
        },
      },
    },
  );
  await publishSpec(service, organization, 'pets', document);
  const { id: space } = await expectOk(admin.post(`/orgs/${organization}/spaces`, { title: 'Guide' }));
  const page = (title: string, markdown: string, fields: object = {}) => ({
    operation: 'insert_page',
    title,
    document: { markdown },
    ...fields,
  });
  const changes = [
    page('Welcome', GUIDE, { description: 'All of it', ref: 'welcome' }),
    page('Setting up', 'How to set up a turbine.', { into: 'welcome' }),
    page('Reference', 'Words.'),
    page('Requests', REQUESTS),
    page('Lists', operationOf('/open/lists/{ids}')),
  ];
  await expectOk(admin.post(`/spaces/${space}/content`, { changes }));
  const { id: site } = await expectOk(
    admin.post(`/orgs/${organization}/sites`, { title: 'Turbines', spaces: [space] }),
  );
  const to = (url: string) => ({ kind: 'url', url });
  const header = {
    links: [
      { title: 'Status', to: to('https://status.example/'), links: [] },
      { title: 'Company', to: null, links: [{ title: 'Team', to: to('https://team.example/') }] },
    ],
  };
  await expectOk(admin.patch(`/orgs/${organization}/sites/${site}/customization`, { header }));
  await expectOk(admin.post(`/orgs/${organization}/sites/${site}/publish`));
  await index(service, organization);
  root = `${service.runtime.publicUrl}/sites/${site}/`;
  browser = await launchBrowser();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  api?.close();
  await service.close();
});

const visit = <Result>(
  options: BrowserContextOptions,
  use: (page: Page) => Promise<Result>,
): Promise<Result> => visitIn(browser, root, options, use);

const LONG = { timeout: 60_000 };

test.for([
  ['light', 1280],
  ['dark', 390],
] as const)(
  'a page in the %s theme, %i pixels wide, is accessible and does not overflow',
  LONG,
  async ([theme, width]) => {
    await visit({ viewport: { width, height: 844 } }, async (page) => {
      if (theme === 'dark') await page.click('.theme');
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe(theme);
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    });
  },
);

test(
  'a reader uses tabs, search, the theme switch and links to other pages, and tab and theme are remembered',
  LONG,
  async () => {
    await visit({ viewport: { width: 1280, height: 800 } }, async (page) => {
      await page.click('role=tab[name="yarn"]');
      expect(await page.isVisible('text=yarn add colophon')).toBe(true);
      expect(await page.isVisible('text=npm install colophon')).toBe(false);
      await page.click('.theme');
      await page.reload();
      expect(await page.isVisible('text=yarn add colophon')).toBe(true);
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
      expect(await page.locator('.outline a').count()).toBeGreaterThan(2);
      await page.keyboard.press('/');
      await page.keyboard.type('turbine');
      await page.keyboard.press('Escape');
      expect(await page.isVisible('dialog.search')).toBe(false);
      await page.keyboard.press('/');
      await page.keyboard.type('turbine');
      await page.waitForSelector('.hit');
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await page.waitForSelector('h1:has-text("Setting up")');
      expect(await page.getAttribute('.side [aria-current=page]', 'href')).toMatch(/setting-up$/);
      await page.click('.neighbours .next');
      await page.waitForSelector('h1:has-text("Reference")');
    });
  },
);

test('a reader whose browser forbids storage can still switch the theme and choose tabs', LONG, async () => {
  await visit({ viewport: { width: 1280, height: 800 } }, async (page) => {
    await page.addInitScript(
      "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('Denied', 'SecurityError'); } })",
    );
    await page.reload();
    expect(await page.evaluate('document.documentElement.className')).toMatch(/\bjs\b/);
    await page.click('.theme');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.click('role=tab[name="yarn"]');
    expect(await page.isVisible('text=yarn add colophon')).toBe(true);
  });
});

test('a link to the title of an expandable opens it, also in the spelling of other tools', LONG, async () => {
  await visit({ viewport: { width: 1280, height: 400 } }, async (page) => {
    expect(await page.isVisible('text=Folded text.')).toBe(false);
    await page.click('text=read more');
    await page.waitForSelector('text=Folded text.');
    await page.goto(`${root}?again#More_`);
    await page.waitForSelector('text=Folded text.');
    expect(new URL(page.url()).hash).toBe('#more');
  });
});

test(
  'on a phone, the table of contents opens over the page, and closes when a page is chosen',
  LONG,
  async () => {
    await visit({ viewport: { width: 390, height: 844 } }, async (page) => {
      expect(await page.isVisible('.side nav')).toBe(false);
      await page.click('.open-side');
      expect(await page.isVisible('.side nav')).toBe(true);
      await page.click('.side >> text=Reference');
      await page.waitForSelector('h1:has-text("Reference")');
      expect(await page.isVisible('.side nav')).toBe(false);
    });
  },
);

test('on a phone, the header links are in a menu, which Escape closes', LONG, async () => {
  await visit({ viewport: { width: 390, height: 844 } }, async (page) => {
    expect(await page.isVisible('.bar-links >> text=Status')).toBe(false);
    await page.click('.more summary');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    expect(await page.isVisible('.more >> text=Status')).toBe(false);
    expect(await page.evaluate('document.activeElement.matches(".more > summary")')).toBe(true);
    await page.keyboard.press('Enter');
    expect(await page.isVisible('.more >> text=Status')).toBe(true);
    expect(await page.getAttribute('.more >> text=Team', 'href')).toBe('https://team.example/');
  });
});

test('without JavaScript, a reader sees all tabs and can search', LONG, async () => {
  await visit({ javaScriptEnabled: false }, async (page) => {
    expect(await page.isVisible('text=npm install colophon')).toBe(true);
    expect(await page.isVisible('text=yarn add colophon')).toBe(true);
    await page.click('.find');
    await page.fill('main input[name=q]', 'turbine');
    await page.click('main .search-form button');
    await page.click('.results >> text=Setting up');
    await page.waitForSelector('h1:has-text("Setting up")');
  });
});

test(
  'the form of an API operation sends requests only to its server, without cookies, and shows why one failed',
  LONG,
  async () => {
    await visit({ viewport: { width: 1280, height: 900 } }, async (page) => {
      const response = await page.goto(`${root}requests`);
      expect(response?.headers()['content-security-policy']).toMatch(
        /connect-src 'self' http:\/\/localhost:\d+;/,
      );
      const [open, closed] = [page.locator('.try').nth(0), page.locator('.try').nth(1)];
      await open.locator('summary').click();
      expect(await open.locator('.try-to').innerText()).toMatch(/POST http:\/\/localhost:\d+\/open\/\{id\}/);
      await open.locator('button').click();
      expect(await open.locator('.try-response').innerText()).toBe('Fill in all required fields.');
      await open.locator('[data-name=id]').fill('a/b');
      await open.locator('[data-name=Authorization]').first().fill('sécrèt→');
      await open.locator('button').click();
      expect(await open.locator('.try-response').innerText()).toMatch(
        /characters that are not allowed in headers/,
      );
      await open.locator('[data-name=Authorization]').first().fill('secret');
      await open.locator('button').click();
      await page.waitForSelector('.try-response pre');
      expect(await open.locator('.try-response').innerText()).toMatch(
        /201 Created\s+\{\s+"made": "<b>one<\/b>"/,
      );
      expect(sent).toMatchObject([{ url: '/open/a%2Fb', headers: { authorization: 'Bearer secret' } }]);
      expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ name: 'Rex' });
      expect(sent[0]?.headers).not.toHaveProperty('cookie');
      expect(sent[0]?.headers).not.toHaveProperty('referer');
      await open.locator('[name=authorization]').selectOption('user + key + tenant');
      await open.locator('.basic input').first().fill('zoë');
      await open.locator('.basic input').last().fill('a:b');
      await open.locator('[data-name="api key"]').fill("it's secret");
      await open.locator('[data-name=X-Tenant]').fill('acme');
      expect(await open.locator('.try-to').innerText()).toMatch(/\/open\/a%2Fb\?api\+key=\*\*\*$/);
      await open.locator('button').click();
      await expect.poll(() => sent.length).toBe(2);
      const basic = `Basic ${Buffer.from('zoë:a:b').toString('base64')}`;
      expect(sent[1]).toMatchObject({
        url: '/open/a%2Fb?api+key=it%27s+secret',
        headers: { authorization: basic, 'x-tenant': 'acme' },
      });
      await open.locator('[name=authorization]').selectOption('None');
      await open.locator('button').click();
      await expect.poll(() => sent.length).toBe(3);
      expect(sent[2]?.url).toBe('/open/a%2Fb');
      expect(sent[2]?.headers).not.toHaveProperty('authorization');
      expect(sent[2]?.headers).not.toHaveProperty('x-tenant');
      await closed.locator('summary').click();
      for (const name of ['session', 'digest', 'device'])
        expect(await closed.locator('form').innerText()).toContain(
          `${name}: browsers do not let this form send it`,
        );
      expect(await page.locator('.samples').nth(1).innerText()).toMatch(
        /closed\/text\?api\+key=YOUR_KEY'.*'Authorization: digest YOUR_TOKEN'.*'Cookie: session=YOUR_KEY'/s,
      );
      await closed.locator('[data-name=id]').fill('1');
      await closed.locator('button').click();
      await closed.locator('.try-response', { hasText: 'CORS' }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
    });
  },
);

test(
  'the form and the examples of an API operation write lists in the styles of their parameters',
  LONG,
  async () => {
    sent.length = 0;
    await visit({ viewport: { width: 1280, height: 900 } }, async (page) => {
      await page.goto(`${root}lists`);
      const form = page.locator('.try');
      await form.locator('summary').click();
      for (const field of await form.locator('[data-name]').all()) {
        expect(await field.getAttribute('placeholder')).toBe('a b,c');
        await field.fill('x,y z');
      }
      const expected = '/open/lists/x,y%20z?tags=x&tags=y+z&sorted=x,y+z&fields=x%7Cy+z';
      expect(await form.locator('.try-to').innerText()).toContain(expected);
      await form.locator('button').click();
      await expect.poll(() => sent.length).toBe(1);
      expect(sent[0]).toMatchObject({ url: expected, headers: { 'x-ids': 'x,y z' } });
      const example = await page.locator('.samples').innerText();
      expect(example).toContain(`/open/lists/a%20b,c?tags=a+b&tags=c&sorted=a+b,c&fields=a+b%7Cc'`);
      expect(example).toContain(`'X-Ids: a b,c'`);
    });
  },
);
