import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import { accessibilityViolations, type BrowsedService, startBrowsedService, visitIn } from './browser.ts';

const LONG = { timeout: 60_000 };
const WIDE = { viewport: { width: 1280, height: 900 } };

const operationOf = (path: string) =>
  `{% openapi-operation spec="pets" path="${path}" method="post" %}\n[pets](https://example.com)\n{% endopenapi-operation %}\n\n`;
const REQUESTS = operationOf('/open/{id}') + operationOf('/closed/{id}');

let scene: BrowsedService;
let root: string;
/** An API that pages describe, and the requests that it received. It allows requests from other sites only below /open. */
let api: Server;
const sent: { url: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
beforeAll(async () => {
  scene = await startBrowsedService();
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
  await publishSpec(scene.service, scene.organization, 'pets', document);
  root = await scene.publish([
    { title: 'Welcome', document: { markdown: 'Hello.' } },
    { title: 'Requests', document: { markdown: REQUESTS } },
    { title: 'Lists', document: { markdown: operationOf('/open/lists/{ids}') } },
  ]);
}, 120_000);
afterAll(async () => {
  api?.close();
  await scene?.close();
});

test(
  'the form of an API operation sends requests only to its server, without cookies, and shows why one failed',
  LONG,
  async () => {
    await visitIn(scene.browser, root, WIDE, async (page) => {
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
      expect(await page.evaluate('document.activeElement.localName')).toBe('button');
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
    await visitIn(scene.browser, root, WIDE, async (page) => {
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
