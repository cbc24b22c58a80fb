import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SearchEngine } from '../../routers/base/search-ports.ts';
import { encodeRoaring } from '../../routers/engine/search/roaring.ts';
import { createCaller } from '../../routers/index.ts';
import { removeIndex } from '../../routers/search/documents.operation.ts';
import { collectSearchGarbage } from '../../routers/search/garbage.operation.ts';
import { toolContext } from '../../server/context.ts';
import { decodeRoaring, type FakeOpenSearch, startFakeOpenSearch } from '../helpers/fake-opensearch.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { contextOf, index, PAGES, page, QUERIES, spaceWith, titlesIn } from './scene.ts';

let engine: FakeOpenSearch;
let service: TestService;
let organization: string;
let admin: Client;
let space: string;
let pages: Record<string, string>;

beforeAll(async () => {
  engine = await startFakeOpenSearch();
  service = await startTestService({ SEARCH_URL: engine.url });
  const built = await service.build.organization();
  organization = built.id;
  admin = service.as(built.admin.token);
  ({ id: space, pages } = await spaceWith(admin, organization, PAGES));
  await index(service, organization);
});
afterAll(async () => {
  await service.close();
  await engine.close();
});
afterEach(() => {
  engine.failure = undefined;
  engine.timesOut = false;
  engine.ignoresSets = false;
});

const documentsOf = (id: string) =>
  [...engine.documents.values()].filter((document) => document.organization === id);

test('postings are stored in the engine and not in the database', async () => {
  expect(documentsOf(organization).length).toBeGreaterThan(5);
  const stored = await service.runtime.database.db
    .selectFrom('search_block')
    .select('key')
    .where('kind', '=', 'term')
    .execute();
  expect(stored).toEqual([]);
  const [{ authorization } = {}] = engine.requests;
  expect(authorization).toBe(`Basic ${Buffer.from('admin:s@fe').toString('base64')}`);
});

test.for(QUERIES)('a search with an engine finds by %j: %j', async ([query, found]) => {
  expect(await titlesIn(admin, space, query)).toEqual([...found]);
});

/** Runs something as if no engine were configured. */
async function withoutEngine<Result>(work: () => Promise<Result>): Promise<Result> {
  const services = service.runtime.services as { searchEngine: SearchEngine | undefined };
  const { searchEngine } = services;
  services.searchEngine = undefined;
  try {
    return await work();
  } finally {
    services.searchEngine = searchEngine;
  }
}

/** The results of each query in a space with the pages of the scene, without ids. */
async function resultsIn(client: Client, at: string): Promise<object[]> {
  const responses: object[] = [];
  for (const [query] of QUERIES) {
    const { items, count } = await expectOk(
      client.get(`/spaces/${at}/search?query=${encodeURIComponent(query)}`),
    );
    const results = items.map(({ title, score, rank, sections }: { [name: string]: unknown }) => {
      const bodies = (sections as { body: string; highlights: object[] }[]).map(({ body, highlights }) => ({
        body,
        highlights,
      }));
      return { title, score, rank, bodies };
    });
    responses.push({ query, count, results });
  }
  return responses;
}

test('a search with an engine returns the same results as one in the database, whose content is indexed again for the engine', async () => {
  const other = await service.build.organization();
  const client = service.as(other.admin.token);
  const { id } = await spaceWith(client, other.id, PAGES);
  const stored = await withoutEngine(async () => {
    await index(service, other.id);
    return resultsIn(client, id);
  });
  expect(await resultsIn(admin, space)).toEqual(stored);
  expect(documentsOf(other.id)).toEqual([]);
  await index(service, other.id);
  expect(documentsOf(other.id)).toHaveLength(documentsOf(organization).length);
  expect(await titlesIn(client, id, 'tangerine')).toEqual(['Child']);
});

describe('the results of an engine are checked', () => {
  let visitor: Client;
  let hidden: string;
  let secret: string;
  beforeAll(async () => {
    const guest = await service.build.member(organization, 'read');
    visitor = service.as(guest.token);
    ({ id: hidden } = await spaceWith(admin, organization, [
      page('Shown', 'About lemurs.'),
      page('Hidden', 'About lemurs, too.', { hidden: true, ref: 'hidden' }),
      page('Below hidden', 'Lemurs again.', { into: 'hidden' }),
    ]));
    ({ id: secret } = await spaceWith(admin, organization, [page('Secret', 'About lemurs.')]));
    await expectOk(admin.patch(`/spaces/${secret}`, { defaultLevel: null }));
    await index(service, organization);
  });

  test.for([false, true])(
    'a search finds only visible pages, even if the engine ignores which documents to search: %s',
    async (ignoresSets) => {
      engine.ignoresSets = ignoresSets;
      const inSpace = await expectOk(visitor.get(`/spaces/${hidden}/search?query=lemurs`));
      expect(inSpace).toMatchObject({ count: 1, items: [{ title: 'Shown', rank: 1 }] });
      const inAll = await expectOk(visitor.get(`/orgs/${organization}/search?query=lemurs`));
      expect(inAll).toMatchObject({ count: 1, items: [{ id: hidden, pages: [{ title: 'Shown' }] }] });
      const all = await expectOk(admin.get(`/orgs/${organization}/search?query=lemurs`));
      expect(all.items.flatMap((found: { pages: object[] }) => found.pages)).toHaveLength(4);
    },
  );

  test('an engine is queried only for documents that the reader may see', async () => {
    // Another organization, whose documents have the same numbers.
    for (const document of documentsOf(organization))
      engine.documents.set(`other.${document.number}`, { ...document, organization: 'other' });
    await expectOk(visitor.get(`/orgs/${organization}/search?query=lemurs`));
    expect(engine.found).toHaveLength(1);
    await expectOk(admin.get(`/orgs/${organization}/search?query=lemurs`));
    expect(engine.found).toHaveLength(4);
  });

  test('a search does not find a page deleted after it was indexed', async () => {
    const { id, pages: created } = await spaceWith(admin, organization, [page('Doomed', 'About tarsiers.')]);
    await index(service, organization);
    expect(await titlesIn(admin, id, 'tarsiers')).toEqual(['Doomed']);
    await expectOk(
      admin.post(`/spaces/${id}/content`, { changes: [{ operation: 'delete_page', page: created.Doomed }] }),
    );
    expect(await titlesIn(admin, id, 'tarsiers')).toEqual([]);
  });
});

describe('an unavailable engine', () => {
  const expectUnavailable = async () => {
    const { status, body } = await admin.get(`/spaces/${space}/search?query=tangerine`);
    expect(status).toBe(503);
    expect(body.error.message).toBe('The search engine cannot be used right now; try again soon.');
  };

  test.for([
    ['is busy', 503, { error: 'busy' }],
    ['rejects the query', 400, { error: { type: 'search_phase_execution_exception' } }],
    ['has lost its index', 404, {}],
    ['returns something else', 200, { hello: 'world' }],
  ] as const)(
    'an engine that %s fails searches with a clear error, but no edits',
    async ([, status, body]) => {
      engine.failure = { status, body };
      await expectUnavailable();
      const edited = await admin.post(`/spaces/${space}/content`, {
        changes: [{ operation: 'update_page', page: pages.Café, description: `Written at ${status}.` }],
      });
      expect(edited.status).toBeLessThan(300);
    },
  );

  test('an engine that times out fails the search instead of returning partial results', async () => {
    engine.timesOut = true;
    await expectUnavailable();
  });

  test('an engine that was unavailable during an edit gets the content once it is back', async () => {
    engine.failure = { status: 503, body: {} };
    const { id } = await spaceWith(admin, organization, [page('Late', 'About pangolins.')]);
    await expect(index(service, organization)).rejects.toThrow('cannot be used right now');
    engine.failure = undefined;
    await index(service, organization);
    expect(await titlesIn(admin, id, 'pangolins')).toEqual(['Late']);
  });
});

test('an index in an engine is rebuilt, and garbage collection removes its unused documents', async () => {
  const { database, services } = service.runtime;
  const before = documentsOf(organization).map(({ number }) => number);
  await createCaller(toolContext(database, services)).installation.search.rebuild({ organization });
  const rebuilt = documentsOf(organization).map(({ number }) => number);
  expect(rebuilt.filter((number) => before.includes(number))).toEqual([]);
  expect(await titlesIn(admin, space, 'tangerine')).toEqual(['Child']);
  await expectOk(
    admin.post(`/spaces/${space}/content`, { changes: [{ operation: 'delete_page', page: pages.Child }] }),
  );
  await index(service, organization);
  await collectSearchGarbage(contextOf(service));
  expect(documentsOf(organization)).toHaveLength(rebuilt.length - 1);
});

test('what is sent to an engine in two requests is found even if the index is removed between them', async () => {
  const built = await service.build.organization();
  const reader = service.as(built.admin.token);
  const { id } = await spaceWith(reader, built.id, [
    page('One', 'About lemurs.'),
    page('Two', 'About lemurs.'),
  ]);
  const searchEngine = service.runtime.services.searchEngine as SearchEngine;
  const upsert = searchEngine.upsert.bind(searchEngine);
  const spy = vi.spyOn(searchEngine, 'upsert').mockImplementationOnce(async (of, documents) => {
    await upsert(of, documents.slice(0, 1));
    await removeIndex(contextOf(service), built.id);
    await upsert(of, documents.slice(1));
  });
  await index(service, built.id);
  await index(service, built.id);
  spy.mockRestore();
  expect((await titlesIn(reader, id, 'lemurs')).sort()).toEqual(['One', 'Two']);
});

test('sets are encoded as Roaring bitmaps', () => {
  const setOf = (numbers: readonly number[], size: number) => {
    const members = new Uint8Array(size);
    for (const number of numbers) members[number] = 1;
    return encodeRoaring(members).toString('base64');
  };
  // The example from OpenSearch's documentation.
  expect(setOf([111, 222, 333], 400)).toBe('OjAAAAEAAAAAAAIAEAAAAG8A3gBNAQ==');
  const dense = Array.from({ length: 9000 }, (_, at) => at * 2);
  const far = [65_535, 65_536, 200_000];
  expect([...decodeRoaring(setOf([...dense, ...far], 200_001))]).toEqual([...dense, ...far]);
  expect(decodeRoaring(setOf([], 10)).size).toBe(0);
});
