import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type PageCondition,
  pageConditionChanges,
} from '../../../routers/engine/expressions/page-conditions.ts';
import type { Mutation } from '../../../routers/engine/store/edit.ts';
import { type ObjectReader, ObjectText } from '../../../routers/engine/store/objects.ts';
import { localEngine, splittingEngine } from '../../../routers/engine/tasks/engine.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { edit, put } from '../store/spaces.ts';

const patch = (id: string, condition: string | null, title = id): Mutation => ({
  type: 'patch-page',
  id,
  fields: { condition, title },
});
const condition = 'visitor.claims.a && visitor.claims.unsigned.b';
const claims = ['a', 'unsigned.b'];

async function changesOf(mutations: readonly Mutation[]) {
  const store = createMemoryStore();
  const before = await edit(store, [put('x'), put('y', null, { condition }), put('z', 'y', { condition })]);
  return pageConditionChanges(store, { before, after: await edit(store, mutations, before) });
}

describe('a change of content', () => {
  test('a change of content sets the claims of new conditions, and new titles of their pages', async () => {
    const set = [{ page: 'x', title: 'x', claims }];
    expect(await changesOf([patch('x', condition)])).toEqual({ set, unset: [] });
    const renamed = [{ page: 'y', title: 'Y', claims }];
    expect(await changesOf([patch('y', condition, 'Y')])).toEqual({ set: renamed, unset: [] });
    const changed = [{ page: 'y', title: 'y', claims: ['c'] }];
    expect(await changesOf([patch('y', 'visitor.claims.c')])).toEqual({ set: changed, unset: [] });
  });

  test('a change of content unsets deleted pages, removed conditions, and conditions that read no claims', async () => {
    expect(await changesOf([patch('y', null)])).toEqual({ set: [], unset: ['y'] });
    expect(await changesOf([patch('y', 'false')])).toEqual({ set: [], unset: ['y'] });
    expect(await changesOf([{ type: 'delete-page', id: 'y' }])).toEqual({ set: [], unset: ['y', 'z'] });
  });

  test('a change of content ignores pages without conditions, and other fields', async () => {
    const none = { set: [], unset: [] };
    expect(await changesOf([patch('x', null, 'X'), put('w')])).toEqual(none);
    expect(await changesOf([{ type: 'patch-page', id: 'y', fields: { icon: 'star' }, index: 0 }])).toEqual(
      none,
    );
    expect(await changesOf([patch('x', 'false')])).toEqual(none);
  });
});

test('successive changes result in the conditions of the whole content', async () => {
  const id = fc.constantFrom('p0', 'p1', 'p2', 'p3');
  const some = fc.option(
    fc.constantFrom('false', 'visitor.claims.a', 'visitor.claims.unsigned.b', condition),
  );
  const step = fc.record({
    id,
    condition: some,
    title: fc.constantFrom('One', 'Two'),
    deleted: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const store = createMemoryStore();
      const kept = new Map<string, PageCondition>();
      const present = new Set<string>();
      let root = await edit(store, []);
      for (const { id, condition, title, deleted } of steps) {
        if (deleted && !present.has(id)) continue;
        const mutation: Mutation = deleted
          ? { type: 'delete-page', id }
          : put(id, null, { title, ...(condition !== null && { condition }) });
        present[deleted ? 'delete' : 'add'](id);
        const next = await edit(store, [mutation], root);
        const { set, unset } = await pageConditionChanges(store, { before: root, after: next });
        for (const page of unset) expect(kept.delete(page)).toBe(true);
        for (const one of set) kept.set(one.page, one);
        root = next;
      }
      const whole = await pageConditionChanges(store, { before: undefined, after: root });
      expect(whole).toEqual({
        set: [...kept.values()].sort((a, b) => (a.page < b.page ? -1 : 1)),
        unset: [],
      });
    }),
  );
});

test('comparing page conditions reads only a few objects of a large space', async () => {
  const store = createMemoryStore();
  const pages = Array.from({ length: 3000 }, (_, index) => put(`page-${index}`, null, { condition }));
  const before = await edit(store, pages);
  const after = await edit(store, [patch('page-2000', null)], before);
  const read = store.objectsRead;
  expect(await pageConditionChanges(store, { before, after })).toEqual({ set: [], unset: ['page-2000'] });
  expect(store.objectsRead - read).toBeLessThan(20);
});

test('many long conditions are not parsed in the main process', async () => {
  const store = createMemoryStore();
  // Only stored text has a length.
  const reader: ObjectReader = {
    read: async (hashes) => {
      const found = [...(await store.read(hashes))];
      return new Map(
        found.map(([hash, { kind, body }]) => [hash, new ObjectText(kind, JSON.stringify(body))]),
      );
    },
  };
  const large: string[] = [];
  const engine = splittingEngine({
    run(name, input, reader) {
      large.push(name);
      return localEngine.run(name, input, reader);
    },
  });
  const long = `visitor.claims.a${' && visitor.claims.b'.repeat(50)}`;
  const pages = (count: number) =>
    Array.from({ length: count }, (_, index) => put(`page-${index}`, null, { condition: long }));
  const before = await edit(store, []);
  const changesTo = async (count: number) => {
    const after = await edit(store, pages(count));
    const { set } = await engine.run('pageConditionChanges', { before, after }, reader);
    expect(set).toHaveLength(count);
  };
  await changesTo(20);
  expect(large).toEqual([]);
  await changesTo(400);
  expect(large).toEqual(['pageConditionChanges']);
});
