import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import { accessibilityViolations, type BrowsedService, startBrowsedService, visitIn } from './browser.ts';

const LONG = { timeout: 60_000 };

const Pet = { type: 'object', required: ['name'], properties: { name: { type: 'string', example: 'Rex' } } };

/** A document of OpenAPI 2. */
const swagger = (host: string) => ({
  swagger: '2.0',
  info: { title: 'Pets', version: '1' },
  host,
  basePath: '/v2',
  schemes: ['http'],
  consumes: ['application/json'],
  produces: ['application/json'],
  definitions: { Pet },
  paths: {
    '/pets': {
      parameters: [{ name: 'pet', in: 'body', schema: { $ref: '#/definitions/Pet' } }],
      post: {
        responses: { 200: { description: 'Made', examples: { 'application/json': { name: 'Made' } } } },
      },
    },
    '/tags': {
      post: {
        consumes: ['application/x-www-form-urlencoded'],
        parameters: [
          { name: 'tags', in: 'formData', type: 'array', items: {}, description: 'Names of tags.' },
          {
            name: 'all',
            in: 'formData',
            type: 'array',
            items: {},
            collectionFormat: 'multi',
            required: true,
          },
        ],
        responses: {},
      },
    },
  },
});

const form = (type: string, properties: object, others: object = {}) => ({
  requestBody: { content: { [type]: { schema: { type: 'object', properties }, ...others } } },
  responses: {},
});

const operation = (spec: string, path: string) =>
  `{% openapi-operation spec="${spec}" path="${path}" method="post" %}\n[${spec}](https://example.com)\n{% endopenapi-operation %}\n\n`;

let scene: BrowsedService;
let api: Server;
let root: string;
const sent: { url: string | undefined; type: string | undefined; body: string }[] = [];
beforeAll(async () => {
  scene = await startBrowsedService();
  api = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    if (request.method !== 'OPTIONS')
      sent.push({ url: request.url, type: request.headers['content-type'], body });
    for (const name of ['origin', 'headers', 'methods'])
      response.setHeader(`access-control-allow-${name}`, '*');
    response.end();
  });
  await once(api.listen(0, '127.0.0.1'), 'listening');
  const host = `localhost:${(api.address() as AddressInfo).port}`;
  await publishSpec(scene.service, scene.organization, 'old', swagger(host));
  const text = { type: 'string' };
  const card = { type: 'object', properties: { number: text } };
  const file = { type: 'string', format: 'binary' };
  const operations = {
    'post /charges': form(
      'application/x-www-form-urlencoded',
      { card, expand: { type: 'array', items: text, example: ['a', 'b c'] }, currency: { enum: ['eur'] } },
      { encoding: { card: { style: 'deepObject', explode: true } } },
    ),
    'post /photos': form('multipart/form-data', {
      title: { ...text, example: '@home; "it\'s"' },
      photo: file,
      tags: { type: 'array', items: text },
    }),
    'post /raw': { deprecated: true, requestBody: { content: { 'image/png': {} } }, responses: {} },
  };
  const document = apiWith(operations, { servers: [{ url: `http://${host}` }] });
  await publishSpec(scene.service, scene.organization, 'new', document);
  root = await scene.publish([
    { title: 'Old', document: { markdown: operation('old', '/pets') + operation('old', '/tags') } },
    {
      title: 'New',
      document: { markdown: ['/charges', '/photos', '/raw'].map((path) => operation('new', path)).join('') },
    },
  ]);
}, 120_000);
afterAll(async () => {
  api?.close();
  await scene?.close();
});

/** Opens the form of an operation on a page, fills it in, sends the request and returns what arrives. */
async function send(page: Page, place: number, fill: (form: Locator) => Promise<void>) {
  const form = page.locator('.try').nth(place);
  await form.locator('summary').click();
  await fill(form);
  const before = sent.length;
  await form.locator('button').click();
  await expect.poll(() => sent.length).toBe(before + 1);
  return sent.at(-1);
}

const nothing = async () => {};

test('operations of OpenAPI 2 show and send the bodies of their parameters', LONG, async () => {
  await visitIn(scene.browser, `${root}old`, { viewport: { width: 1280, height: 900 } }, async (page) => {
    const [pets, tags] = [page.locator('.api').nth(0), page.locator('.api').nth(1)];
    expect(await pets.locator('.api-text').innerText()).toMatch(
      /Body application\/json\s+name string required/,
    );
    expect(await pets.locator('.samples').innerText()).toContain(`-d '{\n  "name": "Rex"\n}'`);
    expect(await pets.locator('.api-samples > figure').innerText()).toContain('"name": "Made"');
    expect(await tags.locator('.api-text').innerText()).toMatch(
      /Body application\/x-www-form-urlencoded\s+tags any\[\]\s+Names of tags\.\s+all any\[\] required/,
    );
    const pet = await send(page, 0, nothing);
    expect(pet).toMatchObject({ url: '/v2/pets', type: 'application/json' });
    expect(JSON.parse(pet?.body ?? '')).toEqual({ name: 'Rex' });
    const list = await send(page, 1, async (form) => {
      for (const name of ['tags', 'all']) await form.locator(`[data-name=${name}]`).fill('a,b c');
    });
    expect(list).toEqual({
      url: '/v2/tags',
      type: 'application/x-www-form-urlencoded',
      body: 'tags=a,b+c&all=a&all=b+c',
    });
    expect(await accessibilityViolations(page)).toEqual([]);
  });
});

test('bodies of forms and files are shown and sent as their media types are written', LONG, async () => {
  await visitIn(scene.browser, `${root}new`, { viewport: { width: 1280, height: 900 } }, async (page) => {
    const samples = (place: number) => page.locator('.samples').nth(place);
    const file = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('picture') };
    expect(await samples(0).innerText()).toContain(
      `-d 'card%5Bnumber%5D=text&expand=a&expand=b+c&currency=eur'`,
    );
    const charge = await send(page, 0, async (form) => {
      await form.locator('[data-name=card]').fill('{"number": "1&2"}');
      await form.locator('[data-name=currency]').selectOption('eur');
    });
    expect(charge).toEqual({
      url: '/charges',
      type: 'application/x-www-form-urlencoded',
      body: 'card%5Bnumber%5D=1%262&currency=eur',
    });

    expect(await samples(1).innerText()).toContain(
      `--form-string 'title=@home; "it'\\''s"' \\\n  -F 'photo=@file' \\\n  -F 'tags=text'`,
    );
    expect(await samples(1).innerText()).not.toContain('Content-Type');
    const photo = await send(page, 1, async (form) => {
      await form.locator('[data-name=title]').fill('Home');
      await form.locator('[data-name=photo]').setInputFiles(file);
      await form.locator('[data-name=tags]').fill('x, y');
    });
    expect(photo?.type).toMatch(/^multipart\/form-data; boundary=/);
    expect(photo?.body.match(/name="[^\r]*|\r\n\r\n[^\r]*/g)).toEqual([
      'name="title"',
      '\r\n\r\nHome',
      'name="photo"; filename="a.png"',
      '\r\n\r\npicture',
      'name="tags"',
      '\r\n\r\nx',
      'name="tags"',
      '\r\n\r\ny',
    ]);

    expect(await samples(2).innerText()).toContain(
      `-H 'Content-Type: image/png' \\\n  --data-binary '@file'`,
    );
    expect(await page.locator('.api').nth(2).locator('.deprecated').innerText()).toBe('deprecated');
    const raw = await send(page, 2, (form) => form.locator('[data-in=body]').setInputFiles(file));
    expect(raw).toEqual({ url: '/raw', type: 'image/png', body: 'picture' });
    expect(await accessibilityViolations(page)).toEqual([]);
  });
});
