import { expect, test } from 'vitest';
import { createBranchQueue } from '../../routers/branches/queue.ts';

/** Makes work that ends on demand. */
function heldWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    work: (name: string) => () =>
      new Promise<string>((resolve) => {
        begun.push(name);
        ends.set(name, () => resolve(name));
      }),
    end: (name: string) => ends.get(name)?.(),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const overtakable = { canBeOvertaken: true };
const exclusive = { canBeOvertaken: false };

test('the writers of a branch compute in the order of their arrival, concurrently with those of other branches', async () => {
  const { begun, work, end } = heldWork();
  const queue = createBranchQueue({ overtakeAfter: 60_000 });
  const all = ['a1', 'a2', 'b1', 'a3'].map((name) => queue.compute(name.charAt(0), overtakable, work(name)));
  await settled();
  expect(begun).toEqual(['a1', 'b1']);
  end('a1');
  await settled();
  expect(begun).toEqual(['a1', 'b1', 'a2']);
  for (const name of ['b1', 'a2']) end(name);
  await settled();
  end('a3');
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('the next writer overtakes a slow one, unless that one must not be overtaken', async () => {
  const { begun, work, end } = heldWork();
  const queue = createBranchQueue({ overtakeAfter: 1 });
  const all = [
    queue.compute('a', overtakable, work('slow')),
    queue.compute('a', exclusive, work('exclusive')),
    queue.compute('a', overtakable, work('last')),
  ];
  while (begun.length < 2) await settled();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(begun).toEqual(['slow', 'exclusive']);
  end('exclusive');
  while (begun.length < 3) await settled();
  for (const name of begun) end(name);
  await Promise.all(all);
});

test('a writer that has finished computing in time is not overtaken', async () => {
  const queue = createBranchQueue({ overtakeAfter: 50 });
  const ended: string[] = [];
  const first = queue.compute('a', overtakable, async (computed) => {
    computed();
    await new Promise((resolve) => setTimeout(resolve, 200));
    ended.push('first');
  });
  await queue.compute('a', overtakable, async () => ended.push('second'));
  await first;
  expect(ended).toEqual(['first', 'second']);
});

test('a branch has one transaction at a time, and all branches together one that computes', async () => {
  const { begun, work, end } = heldWork();
  const queue = createBranchQueue();
  const all = [
    queue.commit('a', work('a1')),
    queue.commit('a', work('a2')),
    queue.commit('b', () => queue.lastAttempt(work('b1'))),
    queue.commit('c', () => queue.lastAttempt(work('c1'))),
  ];
  await settled();
  expect(begun).toEqual(['a1', 'b1']);
  for (const name of ['a1', 'b1']) end(name);
  await settled();
  expect(begun).toEqual(['a1', 'b1', 'a2', 'c1']);
  for (const name of ['a2', 'c1']) end(name);
  await Promise.all(all);
});

test('a failed writer makes room for the next; writers beyond the limit, or who wait too long, are refused', async () => {
  const { work, end } = heldWork();
  const queue = createBranchQueue({ overtakeAfter: 60_000, maxWaiting: 1, maxWait: 10 });
  await expect(queue.compute('a', overtakable, () => Promise.reject(new Error('failed')))).rejects.toThrow(
    'failed',
  );
  const first = queue.compute('a', overtakable, work('first'));
  const second = queue.compute('a', overtakable, work('second'));
  await expect(queue.compute('a', overtakable, work('third'))).rejects.toMatchObject({ code: 'unavailable' });
  await expect(second).rejects.toMatchObject({ code: 'unavailable' });
  const fourth = queue.compute('a', overtakable, async () => 'fourth');
  end('first');
  expect([await first, await fourth]).toEqual(['first', 'fourth']);
});
