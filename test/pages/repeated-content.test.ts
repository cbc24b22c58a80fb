/** What small content repeats many times in a page is bounded, because pages are rendered in the process of the service. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { importSource } from '../../routers/imports/import.operation.ts';
import { toolContext } from '../../server/context.ts';
import { MAX_ADDED } from '../../server/pages/document/render-context.ts';
import { memorySource } from '../engine/import/memory-source.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { processSpecs } from '../helpers/specs.ts';

let service: TestService;
let admin: Client;
let organization: string;
let author: string;
beforeAll(async () => {
  service = await startTestService();
  const owner = await service.build.organization();
  organization = owner.id;
  author = owner.admin.id;
  admin = service.as(owner.admin.token);
});
afterAll(() => service.close());

/** The HTML of the only page of a site with one space. */
async function pageOf(space: string): Promise<string> {
  const sites = `/orgs/${organization}/sites`;
  const { id: site } = await expectOk(admin.post(sites, { title: 'Docs', spaces: [space] }));
  await expectOk(admin.post(`${sites}/${site}/publish`));
  const { statusCode, body } = await service.app.inject({
    url: `/sites/${site}`,
    headers: { host: 'docs.test' },
  });
  expect(statusCode).toBe(200);
  return body;
}

async function newSpace(): Promise<string> {
  return (await expectOk(admin.post(`/orgs/${organization}/spaces`, {}))).id;
}

/** The HTML of a page, whose Markdown is in `README.md`, with the reusable contents that it includes. */
async function importedPage(files: Record<string, string>): Promise<string> {
  const { database, services } = service.runtime;
  const space = await newSpace();
  await importSource(toolContext(database, services), { space, author, source: memorySource(files) });
  return pageOf(space);
}

async function editedPage(document: object): Promise<string> {
  const space = await newSpace();
  const change = { operation: 'insert_page', title: 'Start', document };
  await expectOk(admin.post(`/spaces/${space}/content`, { changes: [change] }));
  return pageOf(space);
}

const include = (name: string, count: number) =>
  `{% include ".gitbook/includes/${name}.md" %}\n\n`.repeat(count);

test('a long reusable content is shown only as often as the page stays of a size that browsers can show', async () => {
  const body = await importedPage({
    'README.md': `# Start\n\n${include('long', 60)}`,
    '.gitbook/includes/long.md': `---\ntitle: Long\n---\n\nRepeated. ${'word '.repeat(120_000)}\n`,
  });
  expect(body.split('Repeated.').length - 1).toBe(7);
});

/** A page with an operation of an OpenAPI spec a number of times. */
async function pageWithOperation(name: string, operation: object, components: object, count: number) {
  const info = { title: name, version: '1' };
  const text = JSON.stringify({ openapi: '3.1.0', info, paths: { '/a': { get: operation } }, components });
  await expectOk(admin.put(`/orgs/${organization}/openapi/${name}`, { source: { text } }));
  await processSpecs(service);
  const block = `{% openapi-operation spec="${name}" path="/a" method="get" %}\n{% endopenapi-operation %}\n\n`;
  return editedPage({ markdown: block.repeat(count) });
}

const json = (schema: object) => ({
  200: { description: 'OK', content: { 'application/json': { schema } } },
});
const manyOf = (name: string) => {
  const properties = Array.from({ length: 500 }, (_, i) => [
    `p${i}`,
    { $ref: `#/components/schemas/${name}` },
  ]);
  return json({ type: 'object', properties: Object.fromEntries(properties) });
};

test('of many API blocks in a page, those beyond a size show only their method and path', async () => {
  const description = 'Described. '.repeat(2000);
  const body = await pageWithOperation('many', { description, responses: {} }, {}, 400);
  expect(body.match(/class="method get"/g)).toHaveLength(400);
  expect(body.length).toBeGreaterThan(MAX_ADDED);
  expect(body.length).toBeLessThan(1.25 * MAX_ADDED);
});

test('a description that many parts of an operation refer to is not shown in each of them', async () => {
  const schemas = { Long: { type: 'string', description: 'Described. '.repeat(10_000) } };
  const body = await pageWithOperation('described', { responses: manyOf('Long') }, { schemas }, 1);
  expect(body).toContain('p499');
  expect(body.length).toBeLessThan(2_000_000);
});

test('an example that many parts of an operation refer to is not shown in each of them', async () => {
  const schemas = { Long: { type: 'string', example: 'Example. '.repeat(10_000) } };
  const body = await pageWithOperation('examples', { responses: manyOf('Long') }, { schemas }, 1);
  expect(body).toContain('&quot;p499&quot;: null');
  expect(body.length).toBeLessThan(2_000_000);
});

test('a page shows the OpenAPI documents of only some files', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `api-${i}.json`);
  const specOf = (title: string) =>
    JSON.stringify({
      openapi: '3.1.0',
      info: { title, version: '1' },
      paths: { '/a': { get: { summary: `Of ${title}` } } },
    });
  const blocks = names.map(
    (name) => `{% openapi src="${name}" path="/a" method="get" %}\n{% endopenapi %}\n`,
  );
  const body = await importedPage({
    'README.md': `# Start\n\n${blocks.join('\n')}`,
    ...Object.fromEntries(names.map((name) => [name, specOf(name)])),
  });
  expect(body.match(/class="method get"/g)).toHaveLength(12);
  expect(body.match(/class="api-title"/g)).toHaveLength(10);
});
