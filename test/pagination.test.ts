import { expect, test, vi } from 'vitest';
import type { Signer } from '../routers/base/ports.ts';
import { type PageInput, readKeyedPage } from '../routers/sql/pagination.ts';

const ctx = {
  path: 'letters.list',
  services: { signer: { sign: () => 'signature', verify: () => true } as unknown as Signer },
};

/** Reads a page of the first `length` letters, and returns whether they were counted. */
async function read(length: number, input: PageInput) {
  const letters = [...'abcdefghij'].slice(0, length);
  const count = vi.fn(async () => letters.length);
  const page = await readKeyedPage(ctx, input, {
    read: async (after = '', limit) => letters.filter((letter) => letter > after).slice(0, limit),
    count,
    keyOf: (letter) => letter,
  });
  return { ...page, wasCounted: count.mock.calls.length > 0 };
}

test('a first page that is the whole list needs no count', async () => {
  expect(await read(3, { limit: 3 })).toEqual({ count: 3, items: ['a', 'b', 'c'], wasCounted: false });
  expect(await read(0, {})).toEqual({ count: 0, items: [], wasCounted: false });
});

test('other pages give the count of the whole list', async () => {
  const first = await read(4, { limit: 3 });
  expect(first).toMatchObject({ count: 4, items: ['a', 'b', 'c'], wasCounted: true });
  const last = await read(4, { limit: 3, page: first.next?.page as string });
  expect(last).toEqual({ count: 4, items: ['d'], wasCounted: true });
});
