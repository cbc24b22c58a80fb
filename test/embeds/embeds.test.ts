import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fetchEmbed, removeOldEmbeds } from '../../routers/embeds/embeds.operation.ts';
import { importSource } from '../../routers/imports/import.operation.ts';
import { openFolder } from '../../routers/installation/folder-source.ts';
import { jobContext, toolContext } from '../../server/context.ts';
import { buildScene, IS_PRO, type Scene } from '../audience/scene.ts';
import { statementsOf } from '../bench/queries.ts';
import { makeFolder } from '../helpers/folders.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';

const HTML = `<html><head><title>Plain</title>
  <meta property="og:title" content="Fish &amp; chips"><meta content="The Kitchen" property="og:site_name">
  <link rel="shortcut icon" href="/icon.png"></head></html>`;

let service: TestService;
let scene: Scene;
let visitor: Client;
let pages: Server;
/** The address of the pages, and what was asked of them. */
let root: string;
let asked: string[];
beforeAll(async () => {
  service = await startTestService({ OUTBOUND_ALLOW: '127.0.0.1/32' });
  scene = await buildScene(service);
  visitor = await scene.visitor();
  pages = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url?.startsWith('/broken')) response.writeHead(500).end();
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(HTML);
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  root = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  pages.close();
  await service.close();
});

const embed = (client: Client, url: string, space = scene.space.at) =>
  client.get(`${space}/embed?url=${encodeURIComponent(url)}`);

const page = (title: string, url: string, fields: object = {}) =>
  expectOk(
    scene.admin.post(`${scene.space.at}/content`, {
      changes: [
        {
          operation: 'insert_page',
          title,
          document: { markdown: `{% embed url="${url}" %}\n` },
          ...fields,
        },
      ],
    }),
  );

const context = () => jobContext(service.runtime.database, service.runtime.services);

/** Imports a folder of one page, as the operator's tool does. */
async function importPage(file: string): Promise<void> {
  const folder = await makeFolder('embeds');
  await writeFile(join(folder, 'README.md'), file);
  const { services, database } = service.runtime;
  await importSource(toolContext(database, services), {
    space: scene.space.id,
    author: scene.owner.id,
    source: await openFolder(folder),
  });
}

/** The events of the space that tell of more about an embedded address. */
const told = async () =>
  (
    await service.runtime.database.db
      .selectFrom('event')
      .select(['details'])
      .where('type', '=', 'space.embed.updated')
      .where('space_id', '=', scene.space.id)
      .execute()
  ).map(({ details }) => (details as { url: string }).url);

/** Runs the jobs that wait, as the queue does, and tells their addresses. */
async function fetchAll(): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    delete from pgboss.job where name = 'fetch-embed' returning data ->> 'address' as address`.execute(
    service.runtime.database.db,
  );
  const addresses = rows.map(({ address }) => address);
  for (const address of addresses) await fetchEmbed(context(), { address });
  return addresses;
}

test('an embed is a link until its URL is fetched, which happens once the page is saved', async () => {
  const url = `${root}/first#part`;
  await page('First', url);
  const { status, body } = await embed(visitor, url);
  expect(status).toBe(200);
  expect(body).toEqual({ type: 'link', title: `${new URL(root).host}/first`, site: '127.0.0.1' });
  expect(asked).toEqual([]);
  expect(new Set(await fetchAll())).toEqual(new Set([`${root}/first`]));
  expect((await embed(visitor, url)).body).toEqual({
    type: 'link',
    title: 'Fish & chips',
    site: 'The Kitchen',
    icon: `${root}/icon.png`,
  });
  expect((await embed(scene.admin, url)).body.title).toBe('Fish & chips');
  expect(asked).toEqual(['/first']);
});

test('an embed is not fetched again for another page while it is known', async () => {
  await page('Again', `${root}/first`);
  expect(await fetchAll()).toEqual([]);
});

test('an embed is a link if its server fails, or belongs to a private network', async () => {
  await page('Broken', `${root}/broken`);
  await page('Private', 'http://10.1.2.3/secret');
  expect((await fetchAll()).length).toBe(2);
  expect((await embed(visitor, `${root}/broken`)).body.type).toBe('link');
  expect((await embed(visitor, 'http://10.1.2.3/secret')).body).toEqual({
    type: 'link',
    title: '10.1.2.3/secret',
    site: '10.1.2.3',
  });
});

test('an embed keeps its description when its server fails later, and is fetched again once it has expired', async () => {
  const { db } = service.runtime.database;
  const expire = () =>
    db
      .updateTable('embed')
      .set({ expires_at: new Date(0) })
      .where('address', '=', `${root}/first`)
      .execute();
  await expire();
  expect((await embed(visitor, `${root}/first`)).body.title).toBe('Fish & chips');
  expect(await fetchAll()).toEqual([`${root}/first`]);
  await embed(visitor, `${root}/first`);
  expect(await fetchAll()).toEqual([]);
  await expire();
  await removeOldEmbeds(context());
  expect((await embed(visitor, `${root}/first`)).body.title).toBe(`${new URL(root).host}/first`);
  expect(await fetchAll()).toEqual([`${root}/first`]);
});

test('an embed of a URL that is not http is a link', async () => {
  for (const url of ['mailto:someone@example.com', '/guides/start', 'javascript:alert(1)'])
    expect((await embed(visitor, url)).body.type).toBe('link');
});

test('an imported embed is fetched before anyone has read it', async () => {
  await importPage(`# Imported\n\n{% embed url="${root}/imported" %}\n`);
  expect(await fetchAll()).toEqual([`${root}/imported`]);
  expect((await embed(visitor, `${root}/imported`)).body.title).toBe('Fish & chips');
  expect(await told()).not.toContain(`${root}/imported`);
});

describe('the fetches of an organization', () => {
  /** The jobs that wait, of which the queue runs only some of one group at once. */
  const waiting = async () =>
    (
      await sql<{ address: string; group: string; priority: number }>`
        select data ->> 'address' as address, group_id as group, priority from pgboss.job
        where name = 'fetch-embed' and state = 'created' order by priority desc, address`.execute(
        service.runtime.database.db,
      )
    ).rows;

  test('share the slots of the organization, whatever the servers, and take turns with those of others', async () => {
    const { organization } = scene;
    const urls = ['a', 'b', 'c'].map((host) => `http://${host}.example.com/`);
    const markdown = urls.map((url) => `{% embed url="${url}" %}\n`).join('\n');
    await page('Many', urls[0] as string, { document: { markdown } });
    expect(await waiting()).toEqual(
      urls.map((address, index) => ({ address, group: organization, priority: 0 - index })),
    );
    await embed(visitor, urls[2] as string);
    expect((await waiting())[0]).toEqual({ address: urls[2], group: organization, priority: 1 });
    await fetchAll();
  });
});

test('a finished fetch is reported once, in spaces whose readers saw less', async () => {
  await page('Late', `${root}/late`);
  for (let reading = 0; reading < 2; reading++) await embed(visitor, `${root}/late`);
  expect(new Set(await fetchAll())).toEqual(new Set([`${root}/late`]));
  expect((await told()).filter((url) => url === `${root}/late`)).toHaveLength(1);
  expect(asked).toEqual(['/late']);
  await fetchEmbed(context(), { address: `${root}/late` });
  expect(asked).toEqual(['/late']);
});

test('a finished fetch is not reported if nothing has changed', async () => {
  await page('Silent', `${root}/broken?again`);
  await embed(visitor, `${root}/broken?again`);
  await fetchAll();
  expect(await told()).not.toContain(`${root}/broken?again`);
});

describe('what the service does not fetch', () => {
  const forget = () => service.runtime.database.db.deleteFrom('embed').execute();

  test('the service fetches nothing that no page of the space embeds, whoever asks', async () => {
    expect((await embed(visitor, `${root}/elsewhere`)).body.type).toBe('link');
    expect((await embed(scene.admin, `${root}/elsewhere`)).body.type).toBe('link');
    expect(await fetchAll()).toEqual([]);
  });

  test('the service fetches nothing for a visitor that only pages hidden from them embed', async () => {
    await page('Secret', `${root}/secret`, { condition: IS_PRO });
    await forget();
    await fetchAll();
    await embed(visitor, `${root}/secret`);
    expect(await fetchAll()).toEqual([]);
    await embed(await scene.visitor({ isPro: true }), `${root}/secret`);
    expect(await fetchAll()).toEqual([`${root}/secret`]);
  });
});

describe('what the service tells of an embed', () => {
  const plain = (url: string) => {
    const { host, hostname, pathname } = new URL(url);
    return { type: 'link', title: `${host}${pathname}`, site: hostname };
  };

  test('a description is told only where a page embeds it that the caller may see', async () => {
    const url = `${root}/layoffs`;
    await page('Plan', url, { condition: IS_PRO });
    await fetchAll();
    expect((await embed(await scene.visitor({ isPro: true }), url)).body.title).toBe('Fish & chips');
    expect((await embed(visitor, url)).body).toEqual(plain(url));
    const other = await service.build.organization();
    const client = service.as(other.admin.token);
    const { id } = await expectOk(client.post(`/orgs/${other.id}/spaces`, { title: 'Other' }));
    expect((await embed(client, url, `/spaces/${id}`)).body).toEqual(plain(url));
  });

  test('members are also told what open change requests embed', async () => {
    const url = `${root}/proposed`;
    const proposal = await expectOk(scene.admin.post(`${scene.space.at}/change-requests`));
    const at = `${scene.space.at}/change-requests/${proposal.id}`;
    const changes = [
      { operation: 'insert_page', title: 'New', document: { markdown: `{% embed url="${url}" %}\n` } },
    ];
    await expectOk(scene.admin.post(`${at}/content`, { changes }));
    await fetchAll();
    expect((await embed(scene.admin, url)).body.title).toBe('Fish & chips');
    expect((await embed(visitor, url)).body).toEqual(plain(url));
    await expectOk(scene.admin.post(`${at}/merge`));
    expect((await embed(visitor, url)).body.title).toBe('Fish & chips');
  });

  test('members are told what an earlier revision embeds, if they name it', async () => {
    const url = `${root}/earlier`;
    const changes = [
      { operation: 'insert_page', title: 'Earlier', document: { markdown: `{% embed url="${url}" %}\n` } },
    ];
    const made = await expectOk(scene.admin.post(`${scene.space.at}/content?compat=false`, { changes }));
    await fetchAll();
    const { revision } = await expectOk(scene.admin.get(scene.space.at));
    const removal = [{ operation: 'delete_page', page: made.changes.pages[0].id }];
    await expectOk(scene.admin.post(`${scene.space.at}/content`, { changes: removal }));
    const at = (client: typeof visitor) =>
      client.get(`${scene.space.at}/embed?url=${encodeURIComponent(url)}&revision=${revision}`);
    expect((await at(scene.admin)).body.title).toBe('Fish & chips');
    expect((await embed(scene.admin, url)).body).toEqual(plain(url));
    expect((await at(visitor)).status).toBe(404);
    const other = await service.build.space(scene.organization);
    const elsewhere = await scene.admin.get(
      `/spaces/${other.id}/embed?url=${encodeURIComponent(url)}&revision=${revision}`,
    );
    expect(elsewhere.status).toBe(404);
  });
});

test('a visitor reads an embed that was read before in two round trips', async () => {
  const url = `${root}/again`;
  await page('Again', url);
  await fetchAll();
  const path = `${scene.space.at}/embed?url=${encodeURIComponent(url)}`;
  const token = await scene.token();
  await expectOk(service.as(token).get(path));
  const statements = await statementsOf(service.app, `/v1${path}`, token);
  expect(statements.at(-1)?.trip).toBe(2);
});

test('visitors of other sites and callers without a token get no embed', async () => {
  const other = await service.build.organization();
  expect((await embed(service.as(other.admin.token), root)).status).toBe(404);
  expect((await embed(service.as(), root)).status).toBe(401);
  expect((await visitor.get(`${scene.space.at}/embed`)).status).toBe(400);
});
