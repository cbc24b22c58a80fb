import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../routers/engine/store/canonical.ts';
import { type MapNode, type MapRoot, rankOf } from '../../../routers/engine/store/map-nodes.ts';
import { getValues, scan, scanMany, sizeOf } from '../../../routers/engine/store/ordered-map.ts';
import { diffMaps } from '../../../routers/engine/store/ordered-map-diff.ts';
import { updateMap } from '../../../routers/engine/store/ordered-map-update.ts';
import { commit, createMemoryStore, type MemoryStore } from './memory-store.ts';
import { NUM_RUNS, PROPERTY_TIMEOUT } from './runs.ts';

type Model = Map<string, Json>;

const update = (store: MemoryStore, root: MapRoot, changes: Iterable<readonly [string, Json | undefined]>) =>
  commit(store, (buffer) => updateMap(buffer, root, new Map(changes)));

const sorted = (model: Model) => [...model].sort(([a], [b]) => (a < b ? -1 : 1));

/** Batches of one to hundreds of changes, with keys from a small set, many of which end a node. */
const key = fc.oneof(
  fc.integer({ min: 0, max: 2_000 }).map((n) => `k${n}`),
  fc.constantFrom(...borderKeys(1, 60), ...borderKeys(2, 6)),
);
const change = fc.tuple(key, fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined, freq: 3 }));
const batch = fc.oneof(
  fc.array(change, { maxLength: 8 }),
  fc.array(change, { minLength: 100, maxLength: 600 }),
);
const history = fc.array(batch, { minLength: 1, maxLength: 6 });

function borderKeys(rank: number, count: number): string[] {
  const keys: string[] = [];
  for (let n = 0; keys.length < count; n++) if (rankOf(`k${n}`) >= rank) keys.push(`k${n}`);
  return keys;
}

async function replay(
  store: MemoryStore,
  batches: readonly (readonly (readonly [string, number | undefined])[])[],
) {
  const model: Model = new Map();
  let root: MapRoot = null;
  for (const changes of batches) {
    root = await update(store, root, changes);
    for (const [changed, value] of new Map(changes)) {
      if (value === undefined) model.delete(changed);
      else model.set(changed, value);
    }
  }
  return { root, model };
}

describe('ordered map', () => {
  test(
    'an ordered map equals a plain map after the same changes, and equal entries result in the same root',
    async () => {
      await fc.assert(
        fc.asyncProperty(history, async (batches) => {
          const store = createMemoryStore();
          const { root, model } = await replay(store, batches);
          expect(await scan(store, root)).toEqual(sorted(model));
          expect(await sizeOf(store, root)).toBe(model.size);
          expect(await update(store, null, model)).toBe(root);
        }),
        { numRuns: NUM_RUNS },
      );
    },
    PROPERTY_TIMEOUT,
  );

  test(
    'a diff of ordered maps lists exactly the keys whose values differ',
    async () => {
      await fc.assert(
        fc.asyncProperty(history, history, async (shared, own) => {
          const store = createMemoryStore();
          const a = await replay(store, shared);
          const b = await replay(store, [...shared, ...own]);
          const keys = [...new Set([...a.model.keys(), ...b.model.keys()])].sort();
          const expected = keys
            .map((k) => ({ key: k, before: a.model.get(k), after: b.model.get(k) }))
            .filter(({ before, after }) => before !== after);
          expect(await diffMaps(store, a.root, b.root)).toEqual(expected);
        }),
        { numRuns: NUM_RUNS },
      );
    },
    PROPERTY_TIMEOUT,
  );

  test(
    'ranges, limits and reverse order select the same entries as in a sorted list',
    async () => {
      const bound = fc.option(key, { nil: undefined });
      const range = fc.record({
        from: bound,
        after: bound,
        to: bound,
        limit: fc.option(fc.integer({ min: 1, max: 90 }), { nil: undefined }),
        reverse: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(
          history,
          fc.array(range, { minLength: 1, maxLength: 4 }),
          async (batches, ranges) => {
            const store = createMemoryStore();
            const { root, model } = await replay(store, batches);
            const expected = ranges.map(({ from, after, to, limit, reverse }) => {
              const inside = sorted(model).filter(
                ([k]) =>
                  (from === undefined || k >= from) &&
                  (after === undefined || k > after) &&
                  (to === undefined || k < to),
              );
              return (reverse ? inside.reverse() : inside).slice(0, limit ?? inside.length);
            });
            expect(await scanMany(store, root, ranges)).toEqual(expected);
          },
        ),
        { numRuns: NUM_RUNS },
      );
    },
    PROPERTY_TIMEOUT,
  );

  test('many keys are read in one batch per level, and only existing ones are returned', async () => {
    const store = createMemoryStore();
    const entries = Array.from({ length: 10_000 }, (_, n) => [`k${n}`, n] as const);
    const root = await update(store, null, entries);
    store.reads = 0;
    const values = await getValues(store, root, ['k7', 'k5000', 'k9999', 'absent', 'zzz']);
    expect(values).toEqual(
      new Map([
        ['k7', 7],
        ['k5000', 5000],
        ['k9999', 9999],
      ]),
    );
    expect(store.reads).toBeLessThanOrEqual(4);
  });

  test('with hostile keys that never or always end a node, nodes are bounded and the root does not depend on history', async () => {
    const never = Array.from({ length: 60_000 }, (_, n) => `k${n}`)
      .filter((k) => rankOf(k) === 0)
      .slice(0, 5_000);
    for (const keys of [never, borderKeys(2, 300)]) {
      const store = createMemoryStore();
      const all = keys.map((k) => [k, 1] as const);
      const root = await update(store, null, all);
      for (const { body } of store.objects.values()) {
        const node = body as MapNode;
        expect(node.items.length).toBeLessThanOrEqual(node.level === 0 ? 64 : 128);
      }
      let stepwise = await update(store, null, all.slice(0, 100));
      for (let start = 100; start < all.length; start += 700) {
        stepwise = await update(store, stepwise, all.slice(start, start + 700));
      }
      expect(stepwise).toBe(root);
      const without = await update(
        store,
        root,
        keys.filter((_, n) => n % 3 === 0).map((k) => [k, undefined] as const),
      );
      expect(await update(store, without, all)).toBe(root);
    }
  });

  test('one change of a large map writes one node per level', async () => {
    const store = createMemoryStore();
    const root = await update(
      store,
      null,
      Array.from({ length: 10_000 }, (_, n) => [`k${n}`, n] as const),
    );
    const before = store.objects.size;
    await update(store, root, [['k4321', 'changed']]);
    expect(store.objects.size - before).toBeLessThanOrEqual(4);
  });
});
