import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { statementsOf } from '../bench/queries.ts';
import type { Client } from '../helpers/service.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { buildScene, buildSpace, IS_PRO, type Scene } from './scene.ts';
import { statuses as statusesIn, WAYS } from './ways-to-read.ts';

let service: TestService;
let scene: Scene;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  scene = await buildScene(service);
});

const titles = (pages: { title: string; pages?: never[] }[]): string[] =>
  pages.flatMap(({ title, pages = [] }) => [title, ...titles(pages)]);

const statuses = (client: Client, space = scene.space, ways = WAYS(scene)) =>
  statusesIn(client, scene, space, ways);

test('a visitor reads the published spaces of the site by all read operations', async () => {
  expect(await statuses(await scene.visitor())).toEqual([200]);
});

describe('a visitor does not find', () => {
  test('a visitor does not find a space that is not on the site, of its organization or another', async () => {
    const visitor = await scene.visitor();
    const other = await buildSpace(scene.admin, scene.organization);
    const { space: foreign } = await buildScene(service);
    expect(await statuses(visitor, other, ['', '/content', '/content/pages'])).toEqual([404]);
    expect(await statuses(visitor, foreign, ['', '/content', '/content/pages'])).toEqual([404]);
  });

  test('a visitor does not find an earlier revision, or the revision of a change request', async () => {
    const visitor = await scene.visitor();
    const { at, revision, pages } = scene.space;
    const request = await expectOk(scene.admin.post(`${at}/change-requests`, { subject: 'Draft' }));
    const draft = await expectOk(
      scene.admin.post(`${at}/change-requests/${request.id}/content`, {
        changes: [{ operation: 'update_page', page: pages.Start, title: 'Draft' }],
      }),
    );
    expect((await visitor.get(`${at}/revisions/${draft.revision}`)).status).toBe(404);
    await expectOk(scene.admin.post(`${at}/change-requests/${request.id}/merge`));
    expect((await visitor.get(`${at}/revisions/${revision}`)).status).toBe(404);
    const { status, body } = await visitor.get(`${at}/content`);
    expect(status).toBe(200);
    // Members see which change request was merged.
    expect((await scene.admin.get(`${at}/content`)).body.mergedFrom).toMatchObject({ id: request.id });
    expect(body).not.toHaveProperty('mergedFrom');
  });

  test('a visitor does not find settings of the space, or what members do in it', async () => {
    const { at } = scene.space;
    const user = scene.owner.id;
    const rules = { type: 'rules', rules: [{ rule: 'require_specific_reviewers', users: [user] }] };
    await expectOk(scene.admin.patch(at, { mergeRules: rules, defaultLevel: 'edit' }));
    await expectOk(scene.admin.post(`${at}/comments`, { body: { markdown: 'Hm.' } }));
    await expectOk(scene.admin.post(`${at}/change-requests`, { subject: 'Draft' }));
    const { body } = await (await scene.visitor()).get(at);
    expect(JSON.stringify(body)).not.toContain(user);
    expect(body).toMatchObject({
      mergeRules: { type: 'none' },
      defaultLevel: null,
      comments: 0,
      changeRequests: 0,
    });
    const { view, ...others } = body.permissions;
    expect([view, ...new Set(Object.values(others))]).toEqual([true, false]);
  });

  test('a visitor does not find a deleted space', async () => {
    const visitor = await scene.visitor();
    await expectOk(scene.admin.delete(scene.space.at));
    expect(await statuses(visitor)).toEqual([404]);
    await expectOk(scene.admin.post(`${scene.space.at}/restore`));
    expect(await statuses(visitor)).toEqual([200]);
  });
});

test('a visitor finds hidden pages by id and path, and in no list', async () => {
  const visitor = await scene.visitor({ isPro: true });
  const { at, revision, pages } = scene.space;
  for (const list of [
    '/content',
    '/content/pages',
    `/revisions/${revision}`,
    `/revisions/${revision}/pages`,
  ]) {
    const { body } = await visitor.get(at + list);
    expect(titles(body.pages)).toEqual(['Conditional', 'Below', 'Start']);
  }
  for (const way of [`page/${pages.Hidden}`, 'path/hidden', `page/${pages['Below hidden']}`]) {
    expect((await visitor.get(`${at}/content/${way}`)).status).toBe(200);
  }
  const { documentId } = (await visitor.get(`${at}/content/page/${pages.Hidden}`)).body;
  expect((await visitor.get(`${at}/documents/${documentId}`)).status).toBe(200);
});

test('a hidden page is never the landing page', async () => {
  const landing = async (client: Client) =>
    (await client.get(`${scene.space.at}/content/path/%2F`)).body.title;
  expect(await landing(scene.admin)).toBe('Hidden');
  expect(await landing(await scene.visitor({ isPro: true }))).toBe('Conditional');
  expect(await landing(await scene.visitor())).toBe('Start');
});

describe('a page whose condition does not hold does not exist', () => {
  /** Whether a visitor finds a page in each way. */
  async function found(title: string, path: string, client: Client): Promise<boolean[]> {
    const { at, revision, pages } = scene.space;
    const { documentId } = (await scene.admin.get(`${at}/content/page/${pages[title]}`)).body;
    const single = [
      ...['content', `revisions/${revision}`].flatMap((content) => [
        `${content}/page/${pages[title]}`,
        `${content}/path/${path}`,
      ]),
      `revisions/${revision}/page/${pages[title]}/document`,
      `documents/${documentId}`,
    ];
    const lists = ['content', 'content/pages', `revisions/${revision}`, `revisions/${revision}/pages`];
    return [
      ...(await Promise.all(single.map(async (way) => (await client.get(`${at}/${way}`)).status === 200))),
      ...(await Promise.all(
        lists.map(async (way) => titles((await client.get(`${at}/${way}`)).body.pages).includes(title)),
      )),
    ];
  }
  const once = (values: boolean[]) => [...new Set(values)];

  test.for([
    ['Conditional', 'conditional'],
    ['Below', 'conditional/below'],
  ] as const)('a visitor finds the page %s only if its condition holds', async ([title, path]) => {
    // The member first, to show that visitors get nothing that is cached for members.
    expect(once(await found(title, path, scene.admin))).toEqual([true]);
    expect(once(await found(title, path, await scene.visitor({ isPro: true })))).toEqual([true]);
    expect(once(await found(title, path, await scene.visitor({ isPro: false })))).toEqual([false]);
    expect(once(await found(title, path, await scene.visitor()))).toEqual([false]);
  });

  test('responses to visitors contain no conditions', async () => {
    const page = `${scene.space.at}/content/page/${scene.space.pages.Conditional}`;
    expect((await scene.admin.get(page)).body.condition).toBe(IS_PRO);
    expect((await (await scene.visitor({ isPro: true })).get(page)).body).not.toHaveProperty('condition');
  });
});

test.for(['section', 'siteSpace'] as const)(
  'the condition of a %s hides its space from visitors for whom it does not hold',
  async (on) => {
    const table = on === 'section' ? 'site_section' : 'site_space';
    await service.runtime.database.db
      .updateTable(table)
      .set({ condition: IS_PRO })
      .where('id', '=', scene[on])
      .execute();
    expect(await statuses(await scene.visitor({ isPro: true }))).toEqual([200]);
    expect(await statuses(await scene.visitor())).toEqual([404]);
    await scene.update({ adaptiveContent: false });
    // Without adaptive content, visitors have no claims.
    expect(await statuses(await scene.visitor({ isPro: true }))).toEqual([404]);
  },
);

describe('the site is shown to visitors', () => {
  const link = { title: 'Beta', to: { kind: 'url', url: 'https://example.com' }, links: [] };
  const header = { preset: 'default', links: [link, { ...link, title: 'Pro', condition: IS_PRO }] };

  test('the site is shown to visitors with the sections, site spaces and links whose conditions hold', async () => {
    await scene.update({ customization: { header } });
    await service.runtime.database.db.updateTable('site_section').set({ condition: IS_PRO }).execute();
    const [pro, other] = [await scene.visitor({ isPro: true }), await scene.visitor()];
    const read = async (client: Client, way: string) => expectOk(client.get(`${scene.at}/${way}`));
    const shown = async (client: Client) => {
      const published = await read(client, 'published');
      return [
        (await read(client, 'sections')).count,
        (await read(client, 'site-spaces')).count,
        (await read(client, 'structure')).structure.length,
        published.structure.structure.length,
        (await read(client, '')).siteSpaces,
        published.site.siteSpaces,
        published.customizations.site.header.links.map(({ title }: { title: string }) => title),
      ];
    };
    expect(await shown(pro)).toEqual([1, 1, 1, 1, 1, 1, ['Beta', 'Pro']]);
    expect(await shown(other)).toEqual([0, 0, 0, 0, 0, 0, ['Beta']]);
    for (const way of ['', 'sections', 'site-spaces', 'structure', 'published'])
      expect(JSON.stringify(await read(pro, way))).not.toContain('condition');
  });

  test('the site is shown to visitors without the settings that are for members', async () => {
    await scene.update({ defaultLevel: 'edit' });
    const { body } = await (await scene.visitor()).get(scene.at);
    expect(body).toMatchObject({ defaultLevel: null, permissions: { view: true, admin: false } });
  });

  test('the site is not shown to visitors with a share key that is not the key of an active link', async () => {
    await scene.update({ visibility: 'share-link' });
    const visitor = await scene.visitor({}, { link: scene.link.id });
    for (const client of [visitor, scene.admin]) {
      for (const at of [
        ...['', '/structure', '/published', '/sections', '/site-spaces'].map((way) => scene.at + way),
        scene.space.at,
      ]) {
        expect([at, (await client.get(`${at}?shareKey=${scene.link.key}`)).status]).toEqual([at, 200]);
        expect([at, (await client.get(`${at}?shareKey=wrong`)).status]).toEqual([at, 404]);
      }
    }
  });

  test('the site is shown to visitors with addresses that have the share key, if the site needs one', async () => {
    const destination = { kind: 'site-space', siteSpaceId: scene.siteSpace };
    await expectOk(scene.admin.post(`${scene.at}/redirects`, { source: '/old', destination }));
    const read = async (client: Client) => {
      const key = `shareKey=${scene.link.key}`;
      const published = await expectOk(client.get(`${scene.at}/published?${key}`));
      return [
        (await expectOk(client.get(`${scene.at}?${key}`))).urls.published,
        published.site.urls.published,
        published.structure.structure[0].urls.published,
        published.structure.structure[0].siteSpaces[0].space.urls.published,
        (await expectOk(client.get(`${scene.at}/redirect?source=/old&${key}`))).target,
        (await expectOk(client.get(`${scene.space.at}?${key}`))).urls.published,
      ];
    };
    const root = `http://docs.test/sites/${scene.site}`;
    const address = (await expectOk(scene.admin.get(scene.at))).urls.published;
    expect(address).toBe(root);
    for (const [visibility, expected] of [
      ['share-link', `${root}/${scene.link.key}`],
      ['public', root],
    ] as const) {
      await scene.update({ visibility });
      const visitor = await scene.visitor({}, { link: scene.link.id });
      for (const client of [visitor, scene.admin])
        expect(await read(client)).toEqual(Array(6).fill(expected));
    }
    expect((await expectOk(scene.admin.get(scene.space.at))).urls.published).toBe(root);
  });

  test('a space has no address with the share key of a site that does not show it', async () => {
    const other = await buildScene(service);
    await service.build.join(scene.organization, other.owner.id, 'read');
    await scene.update({ visibility: 'share-link' });
    await other.update({ visibility: 'share-link' });
    const key = (of: Scene) => `shareKey=${of.link.key}`;
    expect((await other.admin.get(`${other.space.at}?${key(other)}`)).status).toBe(200);
    expect((await other.admin.get(`${other.space.at}?${key(scene)}`)).status).toBe(404);
    const elsewhere = await service.build.space(scene.organization);
    expect((await scene.admin.get(`/spaces/${elsewhere.id}?${key(scene)}`)).status).toBe(404);
    const link = await expectOk(scene.admin.post(`${scene.at}/share-links`, { name: 'Idle' }));
    await expectOk(scene.admin.patch(`${scene.at}/share-links/${link.id}`, { active: false }));
    const idle = link.urls.published.split('/').at(-1);
    expect((await scene.admin.get(`${scene.space.at}?shareKey=${idle}`)).status).toBe(404);
  });
});

test('a visitor reads one object in at most two round trips', async () => {
  const token = await scene.token();
  const ways = [scene.at, ...WAYS(scene).map((way) => scene.space.at + way)];
  for (const way of ways) {
    // Content is cached after the first read.
    await expectOk(service.as(token).get(way));
    const statements = await statementsOf(service.app, `/v1${way}`, token);
    expect([way, (statements.at(-1)?.trip ?? 0) <= 2]).toEqual([way, true]);
  }
});

test('visitors who read concurrently get the same as visitors one by one', async () => {
  const other = await buildScene(service);
  await scene.update({ visibility: 'share-link' });
  const came = [
    [await scene.visitor(), 404, 404],
    [await scene.visitor({}, { link: scene.link.id }), 200, 404],
    [await scene.visitor({}, { link: other.link.id }), 404, 404],
    [await other.visitor(), 404, 200],
    [scene.admin, 200, 404],
  ] as const;
  const answers = await Promise.all(
    came.flatMap(([client]) => [client.get(scene.space.at), client.get(other.space.at)]),
  );
  expect(answers.map(({ status }) => status)).toEqual(came.flatMap(([, ...expected]) => expected));
});

test('documents are evaluated with the claims of the visitor, whatever the request says', async () => {
  const { at, revision, pages } = scene.space;
  const { documentId } = (await scene.admin.get(`${at}/content/page/${pages.Start}`)).body;
  const ways = ['', '?evaluated=false', '?evaluated=true', '?evaluated=deterministic-only'].flatMap(
    (query) => [
      `${at}/content/page/${pages.Start}${query}`,
      `${at}/revisions/${revision}/path/start${query}`,
      `${at}/revisions/${revision}/page/${pages.Start}/document${query}`,
      `${at}/documents/${documentId}`,
    ],
  );
  const pro = await scene.visitor({ isPro: true });
  const other = await scene.visitor();
  for (const way of ways) {
    expect(JSON.stringify((await pro.get(way)).body)).toContain('For some.');
    const { status, body } = await other.get(way);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain('For all.');
    expect(JSON.stringify(body)).not.toContain('For some.');
    expect(JSON.stringify(body)).not.toContain('isPro');
  }
});

test('the text for a visitor never has the titles of pages that they may not see', async () => {
  const { at, pages } = scene.space;
  const link = (id: string | undefined) =>
    `{% content-ref url="/pages/${id}" %}\n[x](/pages/${id})\n{% endcontent-ref %}\n`;
  const markdown = ['Conditional', 'Below', 'Below hidden'].map((title) => link(pages[title])).join('\n');
  const document = { markdown };
  await expectOk(
    scene.admin.post(`${at}/content`, {
      changes: [{ operation: 'insert_page', title: 'Links', document }],
    }),
  );
  const titlesFor = async (client: Client) => {
    const { markdown } = await expectOk(client.get(`${at}/content/path/links`));
    return [...markdown.matchAll(/^\[(.*)\]/gm)].map(([, title]) => title);
  };
  expect(await titlesFor(scene.admin)).toEqual(['Conditional', 'Below', 'Below hidden']);
  expect(await titlesFor(await scene.visitor({ isPro: true }))).toEqual([
    'Conditional',
    'Below',
    'Below hidden',
  ]);
  expect(await titlesFor(await scene.visitor())).toEqual(['Page', 'Page', 'Below hidden']);
});
