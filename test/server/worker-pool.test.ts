import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Caller } from '../../routers/base/caller.ts';
import { parseMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { putDocument } from '../../routers/engine/store/documents.ts';
import { putEmptyRoot } from '../../routers/engine/store/edit.ts';
import { createObjectBuffer, type ObjectReader } from '../../routers/engine/store/objects.ts';
import { openPool, type Pool, type PoolOptions } from '../../server/engine/pool.ts';
import { startWorker, type Worker, WorkerLostError } from '../../server/engine/worker.ts';

vi.setConfig({ testTimeout: 120_000 });

const OPTIONS: PoolOptions = {
  workers: { all: 1, organization: 1, user: 1 },
  memory: 512,
  time: 60_000,
  idle: 60_000,
  waiting: { all: 5, organization: 5, user: 3 },
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
  test('a worker runs large tasks, starts with the first one and ends when idle', async () => {
    const engine = open({ idle: 50 }).for({ user: 'me' });
    expect(pool.workers).toBe(0);
    expect(await markdownOf(engine)).toContain('**bold** words.');
    expect(pool.workers).toBe(1);
    await vi.waitUntil(() => pool.workers === 0);
    expect(await markdownOf(engine)).toContain('**bold** words.');
  });

  test('large bytes are sent to a worker and back without holding up this process', async () => {
    const engine = open().for({ user: 'me' });
    const text = 'q'.repeat(20_000_000);
    const bytes = Buffer.from(JSON.stringify({ slug: 'api', source: { text } }));
    const processorTime = () => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    };
    let longest = 0;
    let before = processorTime();
    const turns = setInterval(() => {
      const now = processorTime();
      longest = Math.max(longest, now - before);
      before = now;
    });
    const read = await engine.run('body', { bytes, maxValues: 100, maxNames: 100 }, reader);
    clearInterval(turns);
    expect(typeof read === 'object' && read.specText?.bytes.length).toBe(text.length);
    // Milliseconds: four times as many if all bytes were copied at once.
    expect(longest).toBeLessThan(40);
  });

  test('a worker that takes too long is ended, and the next task gets a new one', async () => {
    const slow = open({ time: 5 }).for({ user: 'me' });
    await expect(markdownOf(slow)).rejects.toMatchObject({ name: 'DomainError', code: 'unavailable' });
    await vi.waitUntil(() => pool.running === 0);
    await pool.close();
    expect(await markdownOf(open().for({ user: 'me' }))).toContain('bold');
  });

  test('a worker that runs out of memory affects nothing else', async () => {
    const engine = open({ memory: 64 }).for({ user: 'me' });
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

  test("a worker fails with the reader's error if objects cannot be read", async () => {
    const workerLost = new Error('the database is away');
    let reads = 0;
    const failing: ObjectReader = {
      read(hashes) {
        reads += 1;
        // Once in this process, where the task turns out to be large, and once for the worker.
        return reads === 1 ? store.read(hashes) : Promise.reject(workerLost);
      },
    };
    await expect(markdownOf(open().for({ user: 'me' }), failing)).rejects.toBe(workerLost);
    expect(await markdownOf(pool.for({ user: 'me' }))).toContain('bold');
  });

  test('a worker that dies during a task is replaced, and the task runs again', async () => {
    const started: Worker[] = [];
    const engine = open({}, (limits) => {
      const worker = startWorker(limits);
      started.push(worker);
      return worker;
    }).for({ user: 'me' });
    const task = markdownOf(engine);
    await vi.waitUntil(() => started.length === 1);
    process.kill(started[0]?.pid as number, 'SIGKILL');
    expect(await task).toContain('bold');
    expect(started).toHaveLength(2);
  });

  test('a worker is ended at once when the service stops', async () => {
    const task = markdownOf(open().for({ user: 'me' }));
    const waiting = markdownOf(pool.for({ user: 'me' }));
    task.catch(() => undefined);
    waiting.catch(() => undefined);
    await vi.waitUntil(() => pool.running === 1);
    await pool.close();
    await expect(task).rejects.toMatchObject({ code: 'unavailable' });
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    await expect(markdownOf(pool.for({ user: 'me' }))).rejects.toMatchObject({ code: 'unavailable' });
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

  const many = { all: 100, organization: 100, user: 100 };

  test('waiting tasks of one organization leave a worker to others, and those of one user to others in it', async () => {
    const { under, start } = held();
    open({ workers: { all: 3, organization: 2, user: 1 }, waiting: many }, start);
    const order: string[] = [];
    const all: Promise<unknown>[] = [];
    const ask = (organization: string, user: string) =>
      all.push(markdownOf(pool.for({ organization, user })).then(() => order.push(user)));
    for (let i = 0; i < 4; i++) ask('greedy', 'g');
    await vi.waitUntil(() => pool.waiting === 3);
    ask('greedy', 'h');
    ask('modest', 'm');
    await vi.waitUntil(() => under.length === 3);
    expect(pool.waiting).toBe(3);
    for (let finished = 0; finished < 6; finished++) {
      await vi.waitUntil(() => under.length > finished);
      under[finished]?.finish();
      await sleep(1);
    }
    await Promise.all(all);
    expect(order).toEqual(['g', 'h', 'm', 'g', 'g', 'g']);
  });

  test('waiting tasks count for the organization that becomes known while they are prepared', async () => {
    const { under, start } = held();
    open({ workers: { all: 4, organization: 1, user: 1 }, waiting: many }, start);
    const callers = ['a', 'b'].map((user): Caller => ({ user }));
    const engines = callers.map((caller) => pool.for(caller));
    for (const caller of callers) caller.organization = 'one';
    const all = engines.map((engine) => markdownOf(engine));
    await vi.waitUntil(() => pool.waiting === 1);
    expect(under).toHaveLength(1);
    under[0]?.finish();
    await vi.waitUntil(() => under.length === 2);
    under[1]?.finish();
    await Promise.all(all);
  });

  test('waiting tasks are limited, per user, per organization and in total', async () => {
    const { under, start } = held();
    open({ waiting: { all: 5, organization: 4, user: 3 } }, start);
    const outcomes: string[] = [];
    const ask = ([organization = '', user = '']: string) =>
      markdownOf(pool.for({ organization, user })).then(
        () => outcomes.push('done'),
        (error) => outcomes.push(error.code),
      );
    const all = ['aa', 'aa', 'aa', 'aa', 'aa', 'ab', 'ab', 'bc', 'bd'].map(ask);
    await vi.waitUntil(() => outcomes.length === 3);
    expect(outcomes).toEqual(['too-many', 'too-many', 'unavailable']);
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
  await expect(task).rejects.toBeInstanceOf(WorkerLostError);
  expect(worker.isAlive).toBe(false);
});
