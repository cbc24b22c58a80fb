import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cachedPages } from '../../routers/content/page-cache.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';
import { type EditedSpace, editedSpace } from './edited-space.ts';

describe('the cache', () => {
  const presented = { space: 'http://docs.test/app/spaces/a', root: 'root', metadata: true, computed: true };

  test('the cache finds only what was cached under the same key', () => {
    const page = { id: 'a', format: 'markdown' } as const;
    const all = [
      presented,
      { ...presented, space: 'http://docs.test/app/spaces/b' },
      { ...presented, root: 'other' },
      { ...presented, metadata: false },
      { ...presented, computed: false },
      { ...presented, page },
      { ...presented, page: { ...page, id: 'b' } },
      { ...presented, page: { ...page, format: 'document' as const } },
    ];
    for (const [number, parts] of all.entries()) cachedPages(parts).set({ number });
    expect(all.map((parts) => cachedPages(parts).get())).toEqual(all.map((_, number) => ({ number })));
  });

  test('the cache is limited by size', () => {
    const kept = (number: number) => cachedPages<object>({ ...presented, root: `large ${number}` });
    for (let number = 0; number < 20; number++) kept(number).set({ markdown: 'x'.repeat(300_000) });
    const sizes = Array.from({ length: 20 }, (_, number) => kept(number).get()).filter(Boolean);
    expect(sizes.length).toBeGreaterThan(5);
    expect(sizes.length).toBeLessThan(15);
    expect(kept(19).get()).toBeDefined();
  });

  test('the cache does not keep entries that would displace most others', () => {
    const kept = cachedPages<object>({ ...presented, root: 'too large' });
    const page = { title: 'x'.repeat(100) };
    for (const output of [{ markdown: 'x'.repeat(2 ** 20) }, { pages: new Array(10_000).fill(page) }]) {
      kept.set(output);
      expect(kept.get()).toBeUndefined();
    }
  });
});

describe('pages over HTTP', () => {
  let service: TestService;
  let space: EditedSpace;
  let reader: Client;
  let readerId: string;
  let page: string;
  beforeAll(async () => {
    service = await startTestService();
    space = await editedSpace(service, { Home: 'Welcome.\n', 'Next steps': 'Try it.\n' });
    const guest = await service.build.member(space.organization, null);
    readerId = guest.id;
    reader = service.as(guest.token);
    await service.build.grant(space.organization, { user: guest.id, space: space.id, role: 'read' });
    page = space.pages.Home as string;
  });
  afterAll(() => service.close());

  const rootOf = async (id: string) => {
    const { root } = await service.runtime.database.db
      .selectFrom('space')
      .innerJoin('revision', 'revision.id', 'space.revision_id')
      .select('revision.root')
      .where('space.id', '=', id)
      .executeTakeFirstOrThrow();
    return root;
  };
  const keptOf = async (id: string, pageId: string) =>
    cachedPages({
      space: `http://docs.test/app/spaces/${id}`,
      root: await rootOf(id),
      metadata: true,
      computed: true,
      page: { id: pageId, format: 'markdown' },
    }).get();

  test('a cached page is the same by id and by path, over REST and tRPC', async () => {
    expect(await keptOf(space.id, page)).toBeUndefined();
    const first = await space.admin.get(`${space.content}/page/${page}`);
    expect(first.body).toMatchObject({ title: 'Home', markdown: '# Home\n\nWelcome.\n' });
    expect(await keptOf(space.id, page)).toBeDefined();
    const byPath = await space.admin.get(`${space.content}/path/home`);
    const input = encodeURIComponent(JSON.stringify({ json: { spaceId: space.id, pageId: page } }));
    const overTrpc = await service.app.inject({
      url: `/trpc/content.page?input=${input}`,
      headers: { authorization: `Bearer ${space.token}` },
    });
    const again = await space.admin.get(`${space.content}/page/${page}`);
    expect([again.body, byPath.body, overTrpc.json().result.data.json]).toEqual([
      first.body,
      first.body,
      first.body,
    ]);
    expect(again.headers.etag).toBe(first.headers.etag);
    const document = await space.admin.get(`${space.content}/page/${page}?format=document`);
    expect(document.body).toMatchObject({ document: { object: 'document' } });
    expect(document.body.markdown).toBeUndefined();
  });

  test('an edit is visible at once', async () => {
    const changes = [{ operation: 'update_page', page, title: 'Start' }];
    const before = await space.admin.get(`${space.content}/pages`);
    expect(before.body.pages[0].title).toBe('Home');
    expect((await space.admin.post(`${space.content}?compat=false`, { changes })).status).toBe(200);
    const { body } = await space.admin.get(`${space.content}/page/${page}`);
    expect(body).toMatchObject({ title: 'Start', markdown: '# Start\n\nWelcome.\n' });
    expect((await space.admin.get(`${space.content}/pages`)).body.pages[0].title).toBe('Start');
  });

  test('pages of spaces that share content have URLs of their own', async () => {
    const copy = (await space.admin.post(`/spaces/${space.id}/duplicate`)).body.id;
    expect(await rootOf(copy)).toBe(await rootOf(space.id));
    for (const id of [space.id, copy, space.id, copy]) {
      const { body } = await space.admin.get(`/spaces/${id}/content/page/${page}`);
      expect(body.urls.app).toBe(`http://docs.test/app/spaces/${id}/pages/${page}`);
      const list = (await space.admin.get(`/spaces/${id}/content/pages`)).body.pages;
      expect(list[0].urls.app).toBe(`http://docs.test/app/spaces/${id}/pages/${page}`);
    }
  });

  test('a caller who loses access is refused cached pages at once', async () => {
    const paths = [`${space.content}/page/${page}`, `${space.content}/pages`, `${space.content}/path/home`];
    const statuses = async () => {
      const found: number[] = [];
      for (const path of paths) found.push((await reader.get(path)).status);
      return found;
    };
    expect([await statuses(), await statuses()]).toEqual([
      [200, 200, 200],
      [200, 200, 200],
    ]);
    await space.admin.delete(`/spaces/${space.id}/permissions/users/${readerId}`);
    expect(await statuses()).toEqual([404, 404, 404]);
    expect((await service.as('unknown').get(paths[0] as string)).status).toBe(401);
  });

  test('evaluated content is not cached', async () => {
    const title = 'Evaluated';
    const changes = [{ operation: 'insert_page', title, document: { markdown: 'Text.\n' } }];
    const { body } = await space.admin.post(`${space.content}?compat=false`, { changes });
    const { id } = body.changes.pages[0];
    await space.admin.get(`${space.content}/page/${id}?evaluated=true`);
    expect(await keptOf(space.id, id)).toBeUndefined();
    await space.admin.get(`${space.content}/page/${id}`);
    expect(await keptOf(space.id, id)).toBeDefined();
  });
});
