import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { collectSearchGarbage } from '../../routers/search/garbage.operation.ts';
import { indexEarlierSpaces } from '../../routers/search/index-spaces.operation.ts';
import { mergeSegments, segmentsToMerge } from '../../routers/search/merge-segments.operation.ts';
import { toolContext } from '../../server/context.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { contextOf, index, page, spaceWith, titlesIn } from './scene.ts';

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
  ]));
  await index(service, organization);
});

const edit = (changes: object[], id = space) => expectOk(admin.post(`/spaces/${id}/content`, { changes }));
const update = (title: string, fields: object) =>
  edit([{ operation: 'update_page', page: pages[title], ...fields }]);
const inOrganization = async (query: string, of = organization, client = admin): Promise<string[]> => {
  const { items } = await expectOk(client.get(`/orgs/${of}/search?query=${query}`));
  return items.flatMap(({ pages }: { pages: { title: string }[] }) => pages.map(({ title }) => title));
};
const count = async (
  table: 'search_document' | 'search_leaf' | 'search_segment' | 'search_block',
): Promise<number> =>
  Number(
    (
      await service.runtime.database.db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<string>().as('count'))
        .where('organization_id', '=', organization)
        .executeTakeFirstOrThrow()
    ).count,
  );

describe('the index follows the active content', () => {
  test('a search stops finding removed text as soon as the page is edited, and still finds other pages', async () => {
    await update('Alpha', { document: { markdown: 'About otters.' } });
    expect(await titlesIn(admin, space, 'walruses')).toEqual(['Beta']);
    await index(service, organization);
    expect(await titlesIn(admin, space, 'otters')).toEqual(['Alpha']);
    expect(await titlesIn(admin, space, 'walruses')).toEqual(['Beta']);
  });

  test('a search does not find a deleted page, and finds a renamed one by its new title', async () => {
    await edit([{ operation: 'delete_page', page: pages.Alpha }]);
    expect(await titlesIn(admin, space, 'walruses')).toEqual(['Beta']);
    await update('Beta', { title: 'Gamma' });
    await index(service, organization);
    expect(await titlesIn(admin, space, 'gamma')).toEqual(['Gamma']);
  });

  test('a search finds the pages of a change request once it is merged', async () => {
    const request = await expectOk(admin.post(`/spaces/${space}/change-requests`, {}));
    const at = `/spaces/${space}/change-requests/${request.id}`;
    await expectOk(admin.post(`${at}/content`, { changes: [page('Proposed', 'About narwhals.')] }));
    await index(service, organization);
    expect(await titlesIn(admin, space, 'narwhals')).toEqual([]);
    await expectOk(admin.post(`${at}/merge`));
    await index(service, organization);
    expect(await titlesIn(admin, space, 'narwhals')).toEqual(['Proposed']);
  });

  test('a search finds the pages of a duplicated space without indexing them', async () => {
    const documents = await count('search_document');
    const copy = await expectOk(admin.post(`/spaces/${space}/duplicate`));
    expect(await titlesIn(admin, copy.id, 'seals')).toEqual(['Beta']);
    await index(service, organization);
    expect(await count('search_document')).toBe(documents);
    expect(await inOrganization('seals')).toEqual(['Beta', 'Beta']);
  });

  test('a search does not find a deleted space until it is restored', async () => {
    await expectOk(admin.delete(`/spaces/${space}`));
    expect(await inOrganization('walruses')).toEqual([]);
    await expectOk(admin.post(`/spaces/${space}/restore`));
    expect((await inOrganization('walruses')).sort()).toEqual(['Alpha', 'Beta']);
  });

  test('a search finds a transferred space in its new organization only', async () => {
    const other = await service.build.organization();
    const both = await service.build.member(organization, 'admin');
    await service.build.join(other.id, both.id, 'admin');
    const client = service.as(both.token);
    await expectOk(client.post(`/spaces/${space}/transfer`, { organization: other.id }));
    await index(service, other.id);
    expect(await inOrganization('walruses', organization, client)).toEqual([]);
    expect((await inOrganization('walruses', other.id, client)).sort()).toEqual(['Alpha', 'Beta']);
  });

  test('words are stemmed in the language of the space', async () => {
    await edit([page('Französisch', 'Les équipements sont installés.')]);
    await expectOk(admin.patch(`/spaces/${space}`, { language: 'fr' }));
    await index(service, organization);
    expect(await titlesIn(admin, space, 'équipement installé')).toEqual(['Französisch']);
    expect(await titlesIn(admin, space, 'equipements')).toEqual(['Französisch']);
  });
});

describe('a search index', () => {
  test('an index is merged into few segments without changing results', async () => {
    for (let at = 0; at < 8; at++) {
      await edit([page(`Page ${at}`, `About walruses, number${at}.`)]);
      await index(service, organization);
    }
    expect(await count('search_segment')).toBeLessThan(6);
    expect(await titlesIn(admin, space, 'number5')).toEqual(['Page 5']);
    expect(await titlesIn(admin, space, 'walruses')).toHaveLength(10);
  });

  test('garbage collection removes documents that no space has any more from the index', async () => {
    const context = contextOf(service);
    const before = await count('search_document');
    // The ids of the pages decide how they are grouped into leaves; rarely, each is in a leaf of its own.
    const leaves = await count('search_leaf');
    await update('Alpha', { document: { markdown: 'About otters.' } });
    await index(service, organization);
    expect(await count('search_document')).toBe(before + 1);
    expect(await count('search_leaf')).toBe(leaves + 1);
    await collectSearchGarbage(context);
    expect(await count('search_document')).toBe(before);
    expect(await count('search_leaf')).toBe(leaves);
    expect(await titlesIn(admin, space, 'otters')).toEqual(['Alpha']);
    const blocks = await count('search_block');
    const { db } = service.runtime.database;
    // As a merge leaves them behind whose process is killed.
    await sql`
      insert into search_block
      select copy.* from search_block as original, jsonb_populate_record(
        original, jsonb_build_object('segment', original.segment + 1000000)) as copy
      where original.organization_id = ${organization}`.execute(db);
    expect(await count('search_block')).toBe(2 * blocks);
    await collectSearchGarbage(context);
    expect(await count('search_block')).toBe(blocks);
    expect(await titlesIn(admin, space, 'otters')).toEqual(['Alpha']);
    await mergeSegments(context, organization);
    expect(await titlesIn(admin, space, 'walruses')).toEqual(['Beta']);
  });

  test.each([
    ['this version', (text: string) => text],
    ['an earlier version, without slugs', (text: string) => text.replace(/,"slug":"[^"]*"/, '')],
  ])('a page has its path and ancestors in results, as indexed by %s', async (_, convert) => {
    await edit([page('Child', 'About otters.', { into: pages.Alpha })]);
    await index(service, organization);
    const { db } = service.runtime.database;
    const documents = await db
      .selectFrom('search_document')
      .select(['number', 'text'])
      .where('organization_id', '=', organization)
      .execute();
    for (const { number, text } of documents)
      await db
        .updateTable('search_document')
        .set({ text: convert(text) })
        .where('organization_id', '=', organization)
        .where('number', '=', number)
        .execute();
    const { items } = await expectOk(admin.get(`/spaces/${space}/search?query=otters`));
    expect(items).toMatchObject([
      { title: 'Child', path: 'alpha/child', ancestors: [{ title: 'Alpha' }], rank: 1 },
    ]);
  });

  test('an index is rebuilt from scratch, with progress', async () => {
    const { database, services } = service.runtime;
    const call = createCaller(toolContext(database, services));
    const progress: number[] = [];
    // Fills the caches of this process, which must not be used after the index is rebuilt.
    expect(await titlesIn(admin, space, 'seals')).toEqual(['Beta']);
    const result = await call.installation.search.rebuild({
      organization,
      onProgress: ({ done, total }) => progress.push(done / total),
    });
    expect(result).toEqual({ organizations: 1, documents: 2 });
    expect(progress.at(-1)).toBe(1);
    expect(await titlesIn(admin, space, 'seals')).toEqual(['Beta']);
  });

  test('indexing is queued for spaces from before there was an index', async () => {
    const { id } = await spaceWith(admin, organization, [page('Earlier', 'About belugas.')]);
    const { database, services } = service.runtime;
    const queued: unknown[] = [];
    const jobs = {
      enqueue: async (_: unknown, __: unknown, ...given: unknown[]) => void queued.push(...given),
    };
    await indexEarlierSpaces({ db: database.db, services: { ...services, jobs: jobs as never } });
    expect(queued).toContainEqual({ data: { organization }, group: organization });
    await index(service, organization);
    expect(await titlesIn(admin, id, 'belugas')).toEqual(['Earlier']);
  });
});

describe('the segments to merge', () => {
  const of = (...sizes: number[]) =>
    sizes.map((documents, at) => ({ number: at, firstDocument: at, documents }));
  test.for([
    [[1, 1, 1], 0],
    [[1, 1, 1, 1, 1, 1], 6],
    [[1000, 1, 1, 1, 1, 1], 0],
    [[1000, 1, 1, 1, 1, 1, 1], 6],
    [[5, 6, 5, 6, 5, 6, 5], 7],
  ] as const)('of segments with %j documents, the last %d are merged', ([sizes, merged]) => {
    expect(segmentsToMerge(of(...sizes))).toEqual(merged === 0 ? [] : of(...sizes).slice(-merged));
  });
});
