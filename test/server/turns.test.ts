import { expect, test } from 'vitest';
import { createTurns } from '../../server/engine/turns.ts';

/** Tasks that end on demand. */
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

test('runs one task per caller and a limited number in all, in order of arrival', async () => {
  const { begun, work, end } = heldWork();
  const turn = createTurns({ atOnce: 2, waiting: 10 });
  const all = ['a1', 'a2', 'b1', 'c1'].map((name) => turn(name[0] as string, work(name)));
  await settled();
  expect(begun).toEqual(['a1', 'b1']);
  end('b1');
  await settled();
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  end('a1');
  await settled();
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
  end('c1');
  end('a2');
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1', 'c1']);
});

test('a failed task frees its place, and a full queue refuses tasks', async () => {
  const { work, end } = heldWork();
  const turn = createTurns({ atOnce: 1, waiting: 1 });
  const failing = turn('a', () => Promise.reject(new Error('failed')));
  await expect(failing).rejects.toThrow('failed');
  const first = turn('a', work('first'));
  const second = turn('b', work('second'));
  await expect(turn('c', work('third'))).rejects.toMatchObject({ code: 'unavailable' });
  end('first');
  await first;
  await settled();
  end('second');
  expect(await second).toBe('second');
});
