import { describe, expect, test } from 'vitest';
import { openSnapshot, type PageNode } from '../../../routers/engine/store/snapshot.ts';
import { computedPages, type ReadSources } from '../../../routers/engine/templates/computed.ts';
import { pagesFromOpenApi } from '../../../routers/engine/templates/openapi.ts';
import { isId } from '../../../schema/json/id.ts';
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

/** A space with a guide and an API reference below a group, read with these sources. */
async function openSpace(sources: Record<string, unknown>, props?: { models: boolean }) {
  const store = createMemoryStore();
  const computed = { type: 'builtin:openapi', props, dependencies: { spec: { ref: REF } } };
  const root = await edit(store, [
    put('guide'),
    put('docs', null, { type: 'group' }),
    put('api', 'docs', { type: 'computed', computed }),
  ]);
  const snapshot = await openSnapshot(store, root);
  let reads = 0;
  const readSources: ReadSources = async (refs) => {
    reads++;
    return new Map(
      refs.flatMap((ref) => {
        const pages = ref.kind === 'openapi' && pagesFromOpenApi(sources[ref.spec], ref);
        return pages ? [[ref, pages]] : [];
      }),
    );
  };
  return { snapshot, pages: computedPages(snapshot, readSources), reads: () => reads };
}

const titles = (nodes: readonly PageNode[]): unknown[] =>
  nodes.map(({ page, pages }) => (pages.length > 0 ? [page.title, titles(pages)] : page.title));

describe('computed pages', () => {
  test('are groups of what is made from their source', async () => {
    const { pages } = await openSpace({ pets: API });
    expect(titles(await pages.pageTree())).toEqual([
      'guide',
      ['docs', [['api', [['Pets', ['List pets', 'List pets']], 'Models']]]],
    ]);
  });

  test('leave out the models where they are not wanted', async () => {
    const { pages } = await openSpace({ pets: API }, { models: false });
    expect(JSON.stringify(titles(await pages.pageTree()))).not.toContain('Models');
  });

  test('are found by id and by path, with their documents, also by who has not read the tree', async () => {
    const [, docs] = await (await openSpace({ pets: API })).pages.pageTree();
    const [operation, second] = docs?.pages[0]?.pages[0]?.pages ?? [];
    expect([operation?.path, second?.path]).toEqual(['docs/api/pets/list-pets', 'docs/api/pets/list-pets-1']);
    const id = operation?.page.id as string;
    expect(isId(id)).toBe(true);
    expect((await (await openSpace({ pets: API })).pages.subtree(id))?.page.title).toBe('List pets');

    const { pages } = await openSpace({ pets: API });
    const found = await pages.pageByPath(['docs', 'api', 'pets', 'list-pets']);
    expect(found?.id).toBe(id);
    expect((await pages.document(found?.document as string)).nodes).toMatchObject([
      { type: 'openapi-operation', data: { ref: REF, path: '/pets', method: 'get' } },
    ]);
    expect(await pages.pageByPath(['docs', 'api', 'cats'])).toBeUndefined();
    expect(await pages.pageByPath(['guide', 'pets'])).toBeUndefined();
    expect(await pages.subtree('nothing')).toBeUndefined();
  });

  test('stay themselves where the source is not available or says nothing', async () => {
    for (const sources of [{}, { pets: 'no API' }, { pets: null }]) {
      const { snapshot, pages } = await openSpace(sources);
      expect(await pages.pageTree()).toEqual(await snapshot.pageTree());
      expect((await pages.subtree('api'))?.page.type).toBe('computed');
    }
  });

  test('read no source where a page that is read has nothing to do with any', async () => {
    const { pages, reads } = await openSpace({ pets: API });
    expect((await pages.subtree('guide'))?.page.id).toBe('guide');
    expect(reads()).toBe(0);
  });
});
