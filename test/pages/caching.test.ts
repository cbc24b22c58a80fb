import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CustomHostname } from '../../schema/entities/custom-hostname.ts';
import { createHighlighter } from '../../server/pages/highlight/highlighter.ts';
import { silentLogger } from '../helpers/logger.ts';
import { expectOk } from '../helpers/service.ts';
import { type GuideSite, startGuideSite } from './guide-site.ts';

let service: GuideSite['service'];
let admin: GuideSite['admin'];
let organization: GuideSite['organization'];
let space: GuideSite['space'];
let site: GuideSite['site'];
let at: GuideSite['at'];
let ids: GuideSite['ids'];
let insert: GuideSite['insert'];
let get: GuideSite['get'];
let page: GuideSite['page'];
beforeAll(async () => {
  ({ service, admin, organization, space, site, at, ids, insert, get, page } = await startGuideSite());
});
afterAll(() => service.close());

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

test('any change of a site is visible at once at addresses that are cached', async () => {
  await expectOk(admin.patch(`/orgs/${organization}`, { hostname: 'acme' }));
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
