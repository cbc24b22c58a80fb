import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildScene, IS_PRO, type Scene } from '../audience/scene.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { insert, remove, update } from './scene.ts';

let service: TestService;
let scene: Scene;
let pages: Record<string, string>;
/** A visitor with the claim of the conditions, and one without it. */
let pro: Client;
let other: Client;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  scene = await buildScene(service);
  pages = scene.space.pages;
  pro = await scene.visitor({ isPro: true });
  other = await scene.visitor();
});

async function edit(...changes: object[]): Promise<void> {
  const made = await expectOk(scene.admin.post(`${scene.space.at}/content`, { compat: false, changes }));
  for (const { id, page } of made.changes.pages) if (page) pages[page.title] = id;
}

/** The path of the page that is found by a path, or the status if there is none. */
async function find(client: Client, path: string, of = '/content'): Promise<string | number> {
  const { status, body } = await client.get(`${scene.space.at}${of}/path/${encodeURIComponent(path)}`);
  return status === 200 ? body.path : status;
}

test('renderers find a page by an earlier path with the token of a visitor, with its present path', async () => {
  await edit(update(pages.Start, { slug: 'begin' }));
  const { revision } = await expectOk(scene.admin.get(scene.space.at));
  for (const of of ['/content', `/revisions/${revision}`]) {
    const at = `${scene.space.at}${of}/path`;
    const { body } = await other.get(`${at}/start?format=document`);
    expect(body).toMatchObject({ id: pages.Start, path: 'begin', slug: 'begin' });
    expect(body).toEqual((await other.get(`${at}/begin?format=document`)).body);
    expect(await find(other, 'start/below', of)).toBe(404);
  }
});

test('members find pages by their present paths only', async () => {
  await edit(update(pages.Start, { slug: 'begin' }));
  expect(await find(scene.admin, 'begin')).toBe('begin');
  expect(await find(scene.admin, 'start')).toBe(404);
});

test('an earlier path leads only those to a page with a condition who may see it', async () => {
  await edit(update(pages.Conditional, { slug: 'few' }));
  expect([await find(pro, 'conditional'), await find(other, 'conditional')]).toEqual(['few', 404]);
  expect([await find(pro, 'conditional/below'), await find(other, 'conditional/below')]).toEqual([
    'few/below',
    404,
  ]);
  await edit(update(pages.Start, { slug: 'begin' }));
  await edit(update(pages.Start, { condition: IS_PRO }));
  expect([await find(pro, 'start'), await find(other, 'start')]).toEqual(['begin', 404]);
});

test('an earlier path through a page with a condition does not tell that it existed, even once it is deleted', async () => {
  await edit(update(pages.Below, { into: null }));
  expect([await find(pro, 'below'), await find(other, 'below')]).toEqual(['below', 'below']);
  expect([await find(pro, 'conditional/below'), await find(other, 'conditional/below')]).toEqual([
    'below',
    404,
  ]);
  await edit(remove(pages.Conditional));
  expect([await find(pro, 'conditional/below'), await find(other, 'conditional/below')]).toEqual([
    'below',
    404,
  ]);
});

test('an earlier path of a page that had a condition then is not known to those who could not see it', async () => {
  await edit(update(pages.Conditional, { slug: 'few' }));
  await edit(update(pages.Conditional, { condition: null }));
  expect([await find(pro, 'conditional'), await find(other, 'conditional')]).toEqual(['few', 404]);
  expect(await find(other, 'few')).toBe('few');
});

test('a page with a condition that takes an earlier path takes it from those who see it', async () => {
  await edit(update(pages.Start, { slug: 'begin' }));
  await edit(insert('New', { slug: 'start', condition: IS_PRO }));
  expect([await find(pro, 'start'), await find(other, 'start')]).toEqual(['start', 'begin']);
});

test('those who do not see the page that had a path last, since it is now below one with a condition, get the page that had it before', async () => {
  await edit(update(pages.Start, { slug: 'begin' }));
  await edit(insert('New', { slug: 'start' }));
  await edit(update(pages.New, { into: pages.Conditional }));
  expect([await find(pro, 'start'), await find(other, 'start')]).toEqual(['conditional/start', 'begin']);
});

test('pages below a hidden page are not found by earlier paths', async () => {
  await edit(update(pages['Below hidden'], { slug: 'deep' }));
  expect(await find(other, 'hidden/deep')).toBe('hidden/deep');
  expect(await find(other, 'hidden/below-hidden')).toBe(404);
  await edit(update(pages['Below hidden'], { into: null }));
  expect(await find(other, 'hidden/below-hidden')).toBe('deep');
});

test('a path longer than any page may be deep is not looked up', async () => {
  await edit(update(pages.Start, { into: pages.Hidden }));
  await edit(update(pages.Start, { into: null }));
  await edit(update(pages.Hidden, { into: pages.Start, hidden: false }));
  const pair = ['hidden', 'start'];
  const path = (count: number) => Array.from({ length: count }, (_, index) => pair[index % 2]).join('/');
  expect(await find(other, path(4))).toBe('start');
  expect(await find(other, path(34))).toBe(404);
});
