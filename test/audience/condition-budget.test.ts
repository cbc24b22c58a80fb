import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { buildScene, type Scene } from './scene.ts';

let service: TestService;
let scene: Scene;
let space: string;
/** The pages of the space in order: a document that refers to all other pages, whose conditions hold for every visitor. */
let pages: { id: string; title: string; condition?: string }[];

/** More than the conditions of a request may cost in total. */
const PAGES = 140;
const PAD = 'x'.repeat(900);

beforeAll(async () => {
  service = await startTestService();
  scene = await buildScene(service);
  const { admin, organization, siteSpace } = scene;
  const { id } = await expectOk(admin.post(`/orgs/${organization}/spaces`, { title: 'Many' }));
  space = `/spaces/${id}`;
  const insert = (changes: object[]) => expectOk(admin.post(`${space}/content`, { changes }));
  await insert([{ operation: 'insert_page', title: 'Start', document: { markdown: 'Text.' } }]);
  for (let done = 0; done < PAGES; done += 50)
    await insert(
      Array.from({ length: Math.min(50, PAGES - done) }, (_, index) => ({
        operation: 'insert_page',
        title: `Page ${done + index}`,
        condition: `!visitor.claims.isBlocked && "${PAD}" != "${done + index}"`,
        document: { markdown: 'Text.' },
      })),
    );
  ({ pages } = await expectOk(admin.get(`${space}/content/pages`)));
  const [start, ...others] = pages;
  const ref = (page: string) => ({ kind: 'page', page });
  await insert([
    {
      operation: 'update_page',
      page: start?.id,
      document: {
        document: {
          object: 'document',
          data: { schemaVersion: 1 },
          nodes: others.map(({ id }) => ({
            object: 'block',
            type: 'content-ref',
            isVoid: true,
            data: { ref: ref(id) },
          })),
        },
      },
    },
  ]);
  await service.runtime.database.db
    .updateTable('site_space')
    .set({ space_id: id })
    .where('id', '=', siteSpace)
    .execute();
});
afterAll(() => service.close());

/** How many pages a visitor is shown by a way of reading; these are the first ones. */
async function shown(client: Client, way: string): Promise<number> {
  const body = await expectOk(client.get(space + way));
  const titles = body.pages.map(({ title }: { title: string }) => title);
  expect(titles).toEqual(pages.slice(0, titles.length).map(({ title }) => title));
  return titles.length;
}

test('a visitor is not shown pages whose conditions exceed the budget of the request', async () => {
  const visitor = await scene.visitor();
  const [list, content] = [await shown(visitor, '/content/pages'), await shown(visitor, '/content')];
  expect(list).toBeGreaterThan(50);
  expect(list).toBeLessThan(PAGES);
  // Other parts of the request evaluate the same conditions, which count only once.
  expect(content).toBe(list);
  expect(await shown(await scene.visitor({ isBlocked: true }), '/content/pages')).toBe(1);
  expect(await shown(scene.admin, '/content/pages')).toBe(PAGES + 1);
});

test('a page whose condition exceeded the budget of a list is shown when it is requested alone', async () => {
  const visitor = await scene.visitor();
  const last = `${space}/content/page/${pages.at(-1)?.id}`;
  expect((await visitor.get(last)).status).toBe(200);
  expect((await (await scene.visitor({ isBlocked: true })).get(last)).status).toBe(404);
});

test('links to pages whose conditions exceed the budget do not reveal their titles', async () => {
  const { markdown } = await expectOk((await scene.visitor()).get(`${space}/content/page/${pages[0]?.id}`));
  const labels: string[] = [...markdown.matchAll(/\[(Page[^\]]*)\]/g)].map(([, label]) => label);
  expect(labels).toHaveLength(PAGES);
  const told = labels.filter((label) => label !== 'Page');
  expect(told.length).toBeGreaterThan(50);
  expect(told.length).toBeLessThan(PAGES);
});
