import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { putDocument } from '../../routers/engine/store/documents.ts';
import { putEmptyRoot } from '../../routers/engine/store/edit.ts';
import { createObjectBuffer, type ObjectReader } from '../../routers/engine/store/objects.ts';
import { openPool, type Pool, type PoolOptions } from '../../server/engine/pool.ts';
import { startWorker, type Worker, WorkerLost } from '../../server/engine/worker.ts';

vi.setConfig({ testTimeout: 120_000 });

const OPTIONS: PoolOptions = {
  workers: 1,
  memory: 512,
  time: 60_000,
  idle: 60_000,
  waiting: 5,
  waitingOfOne: 3,
};

const NOW = '2026-01-01T00:00:00.000Z';

let pool: Pool;
const open = (options: Partial<PoolOptions> = {}, start?: typeof startWorker) => {
  pool = openPool({ ...OPTIONS, ...options }, start);
  return pool;
};
afterEach(() => pool?.close());

/** A large document in a store, as a task reads it. */
const store = createObjectBuffer({ read: async () => new Map() });
const large = putDocument(store, parseMarkdown('A paragraph with **bold** words.\n\n'.repeat(4000)));
const reader: ObjectReader = { read: (hashes) => store.read(hashes) };

const markdownOf = async (engine: ReturnType<Pool['for']>, from = reader) =>
  (await engine.run('markdown', { document: large, root: '' }, from)).markdown;

describe('a worker', () => {
  test('runs large tasks, starts with the first one and ends when idle', async () => {
    const engine = open({ idle: 50 }).for('me');
    expect(pool.workers).toBe(0);
    expect(await markdownOf(engine)).toContain('**bold** words.');
    expect(pool.workers).toBe(1);
    await vi.waitUntil(() => pool.workers === 0);
    expect(await markdownOf(engine)).toContain('**bold** words.');
  });

  test('that takes too long is ended, and the next task gets a new one', async () => {
    const slow = open({ time: 5 }).for('me');
    await expect(markdownOf(slow)).rejects.toMatchObject({ name: 'DomainError', code: 'unavailable' });
    await vi.waitUntil(() => pool.running === 0);
    await pool.close();
    expect(await markdownOf(open().for('me'))).toContain('bold');
  });

  test('that runs out of memory affects nothing else', async () => {
    const engine = open({ memory: 64 }).for('me');
    const empty = createObjectBuffer(reader);
    const root = putEmptyRoot(empty);
    const nothing = { files: new Map(), reverts: new Map(), resolutions: new Map() };
    const markdown = '**a** b\n\n'.repeat(110_000);
    const change = {
      operation: 'insert_page',
      type: 'document',
      title: 'Large',
      document: { markdown },
    } as const;
    const task = engine.run('edit', { root, changes: [change], ids: ['page'], now: NOW, ...nothing }, empty);
    await expect(task).rejects.toMatchObject({ name: 'DomainError', code: 'invalid' });
    await vi.waitUntil(() => pool.running === 0);
  });

  test("fails with the reader's error if objects cannot be read", async () => {
    const lost = new Error('the database is away');
    let reads = 0;
    const failing: ObjectReader = {
      read(hashes) {
        reads += 1;
        // Once here, where the task turns out to be large, and once for the worker.
        return reads === 1 ? store.read(hashes) : Promise.reject(lost);
      },
    };
    await expect(markdownOf(open().for('me'), failing)).rejects.toBe(lost);
    expect(await markdownOf(pool.for('me'))).toContain('bold');
  });

  test('that dies during a task is replaced, and the task runs again', async () => {
    const started: Worker[] = [];
    const engine = open({}, (limits) => {
      const worker = startWorker(limits);
      started.push(worker);
      return worker;
    }).for('me');
    const task = markdownOf(engine);
    await vi.waitUntil(() => started.length === 1);
    process.kill(started[0]?.pid as number, 'SIGKILL');
    expect(await task).toContain('bold');
    expect(started).toHaveLength(2);
  });

  test('is ended at once when the service stops', async () => {
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

describe('waiting tasks', () => {
  /** Workers whose tasks end on demand. */
  function held() {
    const under: { input: unknown; finish(): void }[] = [];
    const start = (): Worker => ({
      isAlive: true,
      pid: undefined,
      run: (_name, input) =>
        new Promise((resolve) => {
          under.push({ input, finish: () => resolve('' as never) });
        }),
      end: async () => undefined,
    });
    return { under, start };
  }

  test('are taken from callers in turn', async () => {
    const { under, start } = held();
    open({ workers: 2, waiting: 10, waitingOfOne: 10 }, start);
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

  test('are limited, per caller and in total', async () => {
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

test('an ended worker rejects its task and is not alive', async () => {
  const worker = startWorker(OPTIONS);
  const task = worker.run('markdown', { document: large, root: '' }, reader);
  task.catch(() => undefined);
  await worker.end();
  await expect(task).rejects.toBeInstanceOf(WorkerLost);
  expect(worker.isAlive).toBe(false);
});
