import { expect, test } from 'vitest';
import { findDocumentOwner } from '../../routers/content/document-owners.query.ts';
import { type Claims, NO_CLAIMS } from '../../routers/engine/expressions/claims.ts';
import { ConditionEvaluator } from '../../routers/engine/expressions/conditions.ts';
import { openSnapshot } from '../../routers/engine/store/snapshot.ts';
import { createMemoryStore } from '../engine/store/memory-store.ts';
import { edit, put } from '../engine/store/spaces.ts';

const idOf = (number: number) => `page${String(number).padStart(16, '0')}`;
const documentOf = (number: number) => String(number).padStart(64, '0');
const noGeneratedPages = { generatedPageWith: async () => undefined };

test('a document is found without reading the page tree, and the second time without reading all pages', async () => {
  const store = createMemoryStore();
  const pages = Array.from({ length: 2000 }, (_, index) =>
    put(idOf(index), null, { document: documentOf(index) }),
  );
  const root = await edit(store, pages);
  /** Each time as a request does: the snapshot is opened anew. */
  const find = async (document: string) => {
    const { pageTree: _, ...snapshot } = await openSnapshot(store, root);
    const before = store.objectsRead;
    const found = await findDocumentOwner(snapshot as never, noGeneratedPages, document, undefined);
    return { page: found?.page?.id, objects: store.objectsRead - before };
  };
  expect(await find(documentOf(7))).toMatchObject({ page: idOf(7) });
  const again = await find(documentOf(1234));
  expect(again.page).toBe(idOf(1234));
  expect(again.objects).toBeLessThan(5);
  expect((await find(documentOf(5000))).page).toBeUndefined();
});

test('of all pages that share a document, a visitor gets one that they may see', async () => {
  const store = createMemoryStore();
  const document = documentOf(1);
  const condition = 'visitor.claims.isBeta';
  const hidden = Array.from({ length: 120 }, (_, index) => put(idOf(index), null, { document, condition }));
  const closed = put(idOf(500), null, { type: 'group', condition });
  const root = await edit(store, [...hidden, closed, put(idOf(501), idOf(500), { document })]);
  const find = async (claims: Claims | undefined, at = root) =>
    (
      await findDocumentOwner(
        await openSnapshot(store, at),
        noGeneratedPages,
        document,
        claims && new ConditionEvaluator(claims),
      )
    )?.page?.id;
  expect(await find(NO_CLAIMS)).toBeUndefined();
  expect(await find({ signed: { isBeta: true }, unsigned: {} })).toBe(idOf(0));
  expect(await find(undefined)).toBe(idOf(0));
  const open = await edit(store, [put(idOf(600), null, { document })], root);
  expect(await find(NO_CLAIMS, open)).toBe(idOf(600));
});
