import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { repeatedSearch } from '../../routers/search/repeated-searches.ts';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index, page, spaceWith, titlesIn } from './scene.ts';

let service: TestService;
let organization: string;
let admin: Client;
let space: string;
let pages: Record<string, string>;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  const built = await service.build.organization();
  organization = built.id;
  admin = service.as(built.admin.token);
  ({ id: space, pages } = await spaceWith(admin, organization, [
    page('Alpha', 'About walruses.'),
    page('Beta', 'About walruses and seals.'),
    page('Secret', 'About hidden walruses.', { hidden: true }),
  ]));
  await index(service, organization);
});

/** Searches as often as it takes until the results are kept. */
async function repeated<Result>(search: () => Promise<Result>): Promise<Result> {
  await search();
  await search();
  return search();
}

test('results are kept from the second search on, if they can be repeated', async () => {
  let searches = 0;
  const search = (key: string, isRepeatable: boolean) =>
    repeatedSearch([organization, key], async () => {
      searches++;
      return { result: { items: [key] }, isRepeatable: () => isRepeatable };
    });
  const first = await repeated(() => search('a', true));
  expect([first, searches]).toEqual([{ items: ['a'] }, 2]);
  first.items.push('changed by a caller');
  expect([await search('a', true), searches]).toEqual([{ items: ['a'] }, 2]);
  await repeated(() => search('b', false));
  expect(searches).toBe(5);
});

test('a repeated search follows edits before and after they are indexed', async () => {
  const search = () => repeated(() => titlesIn(admin, space, 'walruses'));
  expect(await search()).toEqual(['Alpha', 'Beta', 'Secret']);
  const edit = (change: object) => expectOk(admin.post(`/spaces/${space}/content`, { changes: [change] }));
  await edit({ operation: 'update_page', page: pages.Alpha, document: { markdown: 'About otters.' } });
  expect(await search()).toEqual(['Beta', 'Secret']);
  await edit(page('Gamma', 'Walruses, and nothing else.'));
  expect(await search()).toEqual(['Beta', 'Secret']);
  await index(service, organization);
  expect((await search()).toSorted()).toEqual(['Beta', 'Gamma', 'Secret']);
  await edit({ operation: 'delete_page', page: pages.Beta });
  expect((await search()).toSorted()).toEqual(['Gamma', 'Secret']);
});

test('a repeated search follows the level of the caller, and the title of the space', async () => {
  const member = await service.build.member(organization, 'edit');
  const reader = service.as(member.token);
  const search = () =>
    repeated(async () => {
      const { items } = await expectOk(reader.get(`/orgs/${organization}/search?query=walruses`));
      return items.map(({ title, pages }: { title: string; pages: unknown[] }) => [title, pages.length]);
    });
  expect(await search()).toEqual([['Guides', 3]]);
  await expectOk(admin.patch(`/orgs/${organization}/members/${member.id}`, { role: 'read' }));
  expect(await search()).toEqual([['Guides', 2]]);
  await expectOk(admin.patch(`/spaces/${space}`, { title: 'Animals' }));
  expect(await search()).toEqual([['Animals', 2]]);
  await expectOk(admin.patch(`/spaces/${space}`, { defaultLevel: null }));
  expect(await search()).toEqual([]);
});

test('a repeated search follows the latest version of an OpenAPI spec', async () => {
  const publish = (summary: string) =>
    publishSpec(service, organization, 'pets', apiWith({ 'get /animals': { summary } }));
  await publish('Count walruses');
  const computed = {
    type: 'builtin:openapi',
    dependencies: { spec: { ref: { kind: 'openapi', spec: 'pets' } } },
  };
  const { id } = await spaceWith(admin, organization, [
    { operation: 'insert_page', type: 'computed', title: 'API', computed },
  ]);
  await index(service, organization);
  const search = () => repeated(() => titlesIn(admin, id, 'walruses'));
  expect(await search()).toEqual(['Count walruses']);
  await publish('Count seals');
  expect(await search()).toEqual([]);
});
