import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseMarkdown } from '../../routers/content/document/markdown.ts';
import { putDocument } from '../../routers/content/store/documents.ts';
import { createObjectBuffer, type ObjectReader } from '../../routers/content/store/objects.ts';
import { openPool, type Pool, type PoolOptions } from '../../server/engine/pool.ts';
import { startThread, type Thread, ThreadLost } from '../../server/engine/thread.ts';

vi.setConfig({ testTimeout: 120_000 });

const OPTIONS: PoolOptions = {
  threads: 1,
  memory: 512,
  time: 60_000,
  idle: 60_000,
  waiting: 5,
  waitingOfOne: 3,
};

let pool: Pool;
const open = (options: Partial<PoolOptions> = {}, start?: typeof startThread) => {
  pool = openPool({ ...OPTIONS, ...options }, start);
  return pool;
};
afterEach(() => pool?.close());

/** A large document, as a task finds it. */
const store = createObjectBuffer({ read: async () => new Map() });
const large = putDocument(store, parseMarkdown('A paragraph with **bold** words.\n\n'.repeat(4000)));
const reader: ObjectReader = { read: (hashes) => store.read(hashes) };

const markdownOf = (engine: ReturnType<Pool['for']>, from = reader) =>
  engine.run('markdown', { document: large }, from);

describe('a thread', () => {
  test('does what is large, begins with the first of it and ends when there was nothing to do', async () => {
    const engine = open({ idle: 50 }).for('me');
    expect(pool.threads).toBe(0);
    expect(await markdownOf(engine)).toContain('**bold** words.');
    expect(pool.threads).toBe(1);
    await vi.waitUntil(() => pool.threads === 0);
    expect(await markdownOf(engine)).toContain('**bold** words.');
  });

  test('that takes too long is ended, and the next task gets another', async () => {
    const slow = open({ time: 5 }).for('me');
    await expect(markdownOf(slow)).rejects.toMatchObject({ name: 'DomainError', code: 'unavailable' });
    await vi.waitUntil(() => pool.running === 0);
    await pool.close();
    expect(await markdownOf(open().for('me'))).toContain('bold');
  });

  test('that runs out of memory takes nothing else with it', async () => {
    const engine = open({ memory: 48 }).for('me');
    const text = `{"a":[${'{},'.repeat(3_000_000)}{}]}`;
    const task = engine.run(
      'specification',
      { text, ref: { kind: 'url', url: 'https://example.com' } },
      reader,
    );
    await expect(task).rejects.toMatchObject({ name: 'DomainError', code: 'invalid' });
    await vi.waitUntil(() => pool.running === 0);
  });

  test('fails with the error of the reader when objects cannot be read', async () => {
    const lost = new Error('the database is away');
    let reads = 0;
    const failing: ObjectReader = {
      read(hashes) {
        reads += 1;
        // Once here, where the task turns out to be large, and once for the thread.
        return reads === 1 ? store.read(hashes) : Promise.reject(lost);
      },
    };
    await expect(markdownOf(open().for('me'), failing)).rejects.toBe(lost);
    expect(await markdownOf(pool.for('me'))).toContain('bold');
  });

  test('that is ended meanwhile says so, and is done once more in another', async () => {
    const started: Thread[] = [];
    const engine = open({}, (limits) => {
      const thread = startThread(limits);
      started.push(thread);
      return thread;
    }).for('me');
    const task = markdownOf(engine);
    await vi.waitUntil(() => started.length === 1);
    await started[0]?.end();
    expect(await task).toContain('bold');
    expect(started).toHaveLength(2);
  });

  test('under way when the service stops is ended at once', async () => {
    const task = markdownOf(open().for('me'));
    const waiting = markdownOf(pool.for('me'));
    task.catch(() => undefined);
    waiting.catch(() => undefined);
    await vi.waitUntil(() => pool.running === 1);
    await pool.close();
    await expect(task).rejects.toMatchObject({ code: 'unavailable' });
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    await expect(markdownOf(pool.for('me'))).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('tasks that wait', () => {
  /** Threads that end their tasks when they are told to. */
  function held() {
    const under: { input: unknown; finish(): void }[] = [];
    const start = (): Thread => ({
      isAlive: true,
      run: (_name, input) =>
        new Promise((resolve) => {
          under.push({ input, finish: () => resolve('' as never) });
        }),
      end: async () => undefined,
    });
    return { under, start };
  }

  test('are taken from the callers in turn', async () => {
    const { under, start } = held();
    open({ threads: 2, waiting: 10, waitingOfOne: 10 }, start);
    const order: string[] = [];
    const ask = (caller: string, name: string) => markdownOf(pool.for(caller)).then(() => order.push(name));
    const all = [ask('greedy', 'g1'), ask('greedy', 'g2'), ask('greedy', 'g3'), ask('greedy', 'g4')];
    await sleep(5);
    all.push(ask('modest', 'm1'));
    await vi.waitUntil(() => pool.waiting === 3);
    for (let finished = 0; finished < 5; finished++) {
      await vi.waitUntil(() => under.length > finished);
      under[finished]?.finish();
      await sleep(1);
    }
    await Promise.all(all);
    expect(order.indexOf('m1')).toBe(2);
  });

  test('are bounded, of each caller and together', async () => {
    const { under, start } = held();
    open({}, start);
    const outcomes: string[] = [];
    const ask = (caller: string) =>
      markdownOf(pool.for(caller)).then(
        () => outcomes.push('done'),
        (error) => outcomes.push(error.code),
      );
    const all = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b'].map(ask);
    await vi.waitUntil(() => outcomes.length === 2);
    expect(outcomes).toEqual(['unavailable', 'unavailable']);
    for (let finished = 0; finished < 6; finished++) {
      await vi.waitUntil(() => under.length > finished);
      under[finished]?.finish();
    }
    await Promise.all(all);
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(6);
  });
});

test('a thread that was ended is of no use, and says so', async () => {
  const thread = startThread(OPTIONS);
  const task = thread.run('markdown', { document: large }, reader);
  task.catch(() => undefined);
  await thread.end();
  await expect(task).rejects.toBeInstanceOf(ThreadLost);
  expect(thread.isAlive).toBe(false);
});
