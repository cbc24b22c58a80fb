import { describe, expect, test } from 'vitest';
import { runInTurns } from '../../../routers/base/run-in-turns.ts';
import { findRefs, plainText } from '../../../routers/engine/document/readers.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { openSnapshot, type PageNode } from '../../../routers/engine/store/snapshot.ts';
import type { ApiPage } from '../../../routers/engine/templates/api-outline.ts';
import {
  type ApiSource,
  type ApiSources,
  computedPages,
} from '../../../routers/engine/templates/computed-pages.ts';
import { buildOutline } from '../../../routers/engine/templates/openapi-outline.ts';
import { isId } from '../../../schema/json/id.ts';
import { violationsOf } from '../../helpers/published-documents.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { edit, put } from '../store/spaces.ts';

const REF = { kind: 'openapi', spec: 'pets' } as const;
const API = {
  openapi: '3.1.0',
  tags: [{ name: 'Pets' }],
  paths: {
    '/pets': {
      get: { tags: ['Pets'], summary: 'List pets' },
      post: { tags: ['Pets'], summary: 'List pets' },
    },
  },
  components: { schemas: { Pet: {} } },
};
const withPaths = (paths: object) => ({ ...API, paths });

/**
 * A space with a guide and an API reference below a group, read with this OpenAPI document, and an earlier version of
 * it.
 */
async function openSpace(
  document: unknown,
  { props, before }: { props?: { models: boolean }; before?: unknown } = {},
) {
  const store = createMemoryStore();
  const computed = { type: 'builtin:openapi', props, dependencies: { spec: { ref: REF } } };
  const root = await edit(store, [
    put('guide'),
    put('docs', null, { type: 'group' }),
    put('api', 'docs', { type: 'computed', computed }),
    put('top', null, { type: 'computed', computed }),
    put('other', 'docs', { type: 'computed', computed: { type: 'integration:a:b', props: {} } }),
  ]);
  const snapshot = await openSnapshot(store, root);
  let reads = 0;
  const outline = buildOutline(document);
  const source: ApiSource = {
    name: 'OpenAPI spec "pets"',
    outline: outline ?? { problem: 'There is none.' },
    value: outline ? { object: 'openapi-spec', id: '1', slug: 'pets' } : null,
  };
  const sources: ApiSources = {
    async read(refs) {
      reads++;
      return new Map(refs.map((ref) => [ref, source]));
    },
    formerPages: async (_, path) =>
      former(buildOutline(before)?.pages).filter((page) => path === undefined || page.path === path),
    runInTurns,
  };
  return { snapshot, pages: computedPages(snapshot, sources), reads: () => reads };
}

const former = (pages: readonly ApiPage[] = [], above = ''): { key: string; title: string; path: string }[] =>
  pages.flatMap(({ key, title, slug, shows, pages }) => [
    ...(shows ? [{ key, title, path: above + slug }] : []),
    ...former(pages, `${above}${slug}/`),
  ]);

const titles = (nodes: readonly PageNode[]): unknown[] =>
  nodes.map(({ page, pages }) => (pages.length > 0 ? [page.title, titles(pages)] : page.title));

const textOf = async ({ pages }: Awaited<ReturnType<typeof openSpace>>, id: string) => {
  const { page } = (await pages.subtree(id)) as PageNode;
  return JSON.stringify(await pages.document(page.document as string));
};

describe('computed pages', () => {
  test('computed pages become groups of the pages generated from their source', async () => {
    const { pages } = await openSpace(API);
    expect(titles(await pages.pageTree())).toEqual([
      'guide',
      ['docs', [['api', [['Pets', ['List pets', 'List pets']], 'Models']], 'other']],
      ['top', [['Pets', ['List pets', 'List pets']], 'Models']],
    ]);
  });

  test('computed pages omit the models if configured', async () => {
    const { pages } = await openSpace(API, { props: { models: false } });
    expect(JSON.stringify(titles(await pages.pageTree()))).not.toContain('Models');
  });

  test('generated pages are found by id and by path, with their documents, even before the tree was read', async () => {
    const [, docs] = await (await openSpace(API)).pages.pageTree();
    const [operation, second] = docs?.pages[0]?.pages[0]?.pages ?? [];
    expect([operation?.path, second?.path]).toEqual(['docs/api/pets/list-pets', 'docs/api/pets/list-pets-1']);
    const id = operation?.page.id as string;
    expect(isId(id)).toBe(true);
    expect((await (await openSpace(API)).pages.subtree(id))?.page.title).toBe('List pets');

    const { pages } = await openSpace(API);
    const found = await pages.pageByPath(['docs', 'api', 'pets', 'list-pets']);
    expect(found?.id).toBe(id);
    expect((await pages.document(found?.document as string)).nodes).toMatchObject([
      { type: 'openapi-operation', data: { ref: REF, path: '/pets', method: 'get' } },
    ]);
    expect(await pages.pageByPath(['docs', 'api', 'cats'])).toBeUndefined();
    expect(await pages.pageByPath(['guide', 'pets'])).toBeUndefined();
    expect(await pages.subtree('nothing')).toBeUndefined();
  });

  test('computed pages contain the OpenAPI spec that they depend on', async () => {
    const computed = {
      props: { models: true },
      dependencies: { spec: { ref: REF, value: { slug: 'pets' } } },
    };
    expect(await (await openSpace(API)).pages.subtree('api')).toMatchObject({
      page: { type: 'document', computed },
    });
  });

  test('below another page, computed pages and pages of tags list their children instead of being groups', async () => {
    const { pages } = await openSpace(API);
    const tree = await pages.pageTree();
    const typesBelow = (nodes: readonly PageNode[]): string[] =>
      nodes.flatMap(({ page, pages: below }) => [page.type, ...typesBelow(below)]);
    expect(new Set(typesBelow(tree[1]?.pages ?? []))).toEqual(new Set(['document', 'computed']));
    const [api] = tree[1]?.pages ?? [];
    const [pets] = api?.pages ?? [];
    for (const listing of [api, pets]) {
      const document = await pages.document(listing?.page.document as string);
      expect(violationsOf(published(document))).toEqual([]);
      const found = findRefs(document).map(({ ref }) => ref);
      expect(found).toEqual(listing?.pages.map(({ page }) => ({ kind: 'page', page: page.id })));
      expect(plainText(document)).toBe(listing?.pages.map(({ page }) => page.title).join('\n'));
    }
  });

  test('computed pages at the top level become groups', async () => {
    const [, , top] = await (await openSpace(API)).pages.pageTree();
    expect(top).toMatchObject({ page: { type: 'group' }, pages: [{ page: { type: 'document' } }, {}] });
  });

  test('computed pages without an available source say why', async () => {
    for (const document of [{}, 'no API', null]) {
      const space = await openSpace(document);
      const made = await space.pages.subtree('api');
      expect(made).toMatchObject({
        page: { type: 'document', computed: { dependencies: { spec: { value: null } } } },
        path: 'docs/api',
        pages: [],
      });
      expect(await textOf(space, 'api')).toContain('There is none.');
    }
  });

  test('computed pages with an unknown source are unchanged', async () => {
    const { snapshot, pages } = await openSpace(API);
    expect(await pages.subtree('other')).toEqual(await snapshot.subtree('other'));
  });

  test('generated pages keep their ids, and are found at earlier paths, if an operation is renamed or gets another tag', async () => {
    const before = await openSpace(API);
    const id = (await before.pages.pageByPath(['docs', 'api', 'pets', 'list-pets']))?.id as string;
    const renamed = withPaths({ '/pets': { get: { tags: ['Animals'], summary: 'All pets' } } });
    const { pages } = await openSpace(renamed, { before: API });
    expect(await pages.pageByPath(['docs', 'api', 'pets', 'list-pets'])).toMatchObject({
      id,
      title: 'All pets',
    });
    expect(await pages.subtree(id)).toMatchObject({ path: 'docs/api/animals/all-pets' });
  });

  test('the page of a removed operation says so, and is in no list', async () => {
    const before = await openSpace(API);
    const id = (await before.pages.pageByPath(['docs', 'api', 'pets', 'list-pets-1']))?.id as string;
    const path = ['docs', 'api', 'pets', 'list-pets-1'];
    const removed = withPaths({ '/pets': { get: { tags: ['Pets'], summary: 'List pets' } } });
    for (const read of ['path', 'id']) {
      const space = await openSpace(removed, { before: API });
      if (read === 'path') expect((await space.pages.pageByPath(path))?.id).toBe(id);
      expect(await space.pages.subtree(id)).toMatchObject({
        page: { title: 'List pets', hidden: true, noIndex: true },
        path: path.join('/'),
      });
      expect(await textOf(space, id)).toContain('POST /pets is no longer in the OpenAPI spec');
      expect(JSON.stringify(await space.pages.pageTree())).not.toContain(id);
    }
    const without = await openSpace(undefined, { before: API });
    expect((await without.pages.subtree(id))?.page.id).toBe(id);
    expect(await textOf(without, id)).toContain('There is none.');
  });

  test('pages of parts that exist but are not shown do not claim to be removed', async () => {
    const { pages } = await openSpace(API, { before: API, props: { models: false } });
    expect(await pages.pageByPath(['docs', 'api', 'models'])).toBeUndefined();
  });

  test('reading a page that is not computed reads no source', async () => {
    const { pages, reads } = await openSpace(API);
    expect((await pages.subtree('guide'))?.page.id).toBe('guide');
    expect(reads()).toBe(0);
  });
});

test('generating thousands of pages lets others have a turn', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 2000 }, (_, index) => [
      `/things/${index}`,
      { get: { tags: [`Tag ${index % 50}`], summary: `Thing ${index}` } },
    ]),
  );
  const { pages } = await openSpace({ openapi: '3.1.0', paths });
  let turns = 0;
  let isDone = false;
  const countTurns = () => {
    turns++;
    if (!isDone) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  expect(await pages.pageTree()).toHaveLength(3);
  isDone = true;
  expect(turns).toBeGreaterThan(0);
});
