import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Db } from '../../routers/base/db.ts';
import { recordEvent } from '../../routers/events/record.operation.ts';
import { type EventHub, openEventHub } from '../../server/events/event-hub.ts';
import { type Scene, setScene } from '../change-requests/scene.ts';
import { silentLogger } from '../helpers/logger.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let scene: Scene;
let after: number;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  scene = await setScene(service);
  after = await lastNumber();
});

async function lastNumber(): Promise<number> {
  const { last } = await service.runtime.database.db
    .selectFrom('event_counter')
    .select('last')
    .where('organization_id', '=', scene.organization)
    .executeTakeFirstOrThrow();
  return Number(last);
}

const record = (count: number) =>
  service.runtime.database.transaction(async (em) => {
    for (let i = 0; i < count; i++) recordEvent(em, { type: 'space.updated', space: scene.space });
  });

async function tokenIds(count: number): Promise<string[]> {
  for (let i = 1; i < count; i++) await scene.me.post('/user/tokens', { name: `Token ${i}` });
  const { body } = await scene.me.get('/user/tokens');
  return body.items.map(({ id }: { id: string }) => id);
}

const openHub = (db: Db): EventHub =>
  openEventHub({ db, logger: silentLogger, onFirstSubscription: () => undefined, checkInterval: 3_600_000 });

/** The database, with control over whether statements on a table fail or wait. */
function interrupted(table: string, interrupt: () => Promise<void>): Db {
  const { db } = service.runtime.database;
  return new Proxy(db, {
    get(target, name) {
      if (name !== 'executeQuery') {
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (query: { sql: string }) => {
        if (query.sql.includes(table)) await interrupt();
        return target.executeQuery(query as never);
      };
    },
  });
}

test('a stream that begins during a delivery gets all events after its start', async () => {
  const settled = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let count = 0;
  const hub = openHub(
    interrupted('api_token', async () => {
      count++;
      if (count === 1) settled.resolve();
      if (count !== 2) return;
      begun.resolve();
      await released.promise;
    }),
  );
  const [token = ''] = await tokenIds(1);
  const subscription = { organization: scene.organization, user: scene.admin.id, credential: token, after };
  const first = hub.subscribe(subscription)[Symbol.asyncIterator]();
  await settled.promise;
  await record(1);
  hub.wake(scene.organization);
  await begun.promise;
  const second = hub.subscribe(subscription)[Symbol.asyncIterator]();
  released.resolve();
  const [one, two] = await Promise.all([first.next(), second.next()]);
  expect(two.value).toEqual(one.value);
  hub.close();
});

test('events are delivered again after a database error', async () => {
  let failures = 0;
  const hub = openHub(
    interrupted('api_token', async () => {
      if (failures++ < 1) throw new Error('no connection');
    }),
  );
  const [token = ''] = await tokenIds(1);
  await record(2);
  const stream = hub
    .subscribe({ organization: scene.organization, user: scene.admin.id, credential: token, after })
    [Symbol.asyncIterator]();
  const [one, two] = [await stream.next(), await stream.next()];
  expect([one.value[0], two.value[0]]).toEqual([...new Set([one.value[0], two.value[0]])]);
  hub.close();
});

test('many events are delivered to many streams in batches, in order', async () => {
  const EVENTS = 150;
  const hub = openHub(service.runtime.database.db);
  const tokens = await tokenIds(4);
  let turn = 0;
  const counts = new Map<number, number>();
  const seen: string[][] = [];
  const reads = tokens.flatMap((token) =>
    Array.from({ length: 50 }, async () => {
      const ids: string[] = [];
      seen.push(ids);
      for await (const [id] of hub.subscribe({
        organization: scene.organization,
        user: token,
        credential: token,
        after,
      })) {
        ids.push(id);
        counts.set(turn, (counts.get(turn) ?? 0) + 1);
        if (ids.length === EVENTS) return;
      }
    }),
  );
  let isOver = false;
  const count = () => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  count();
  await record(EVENTS);
  hub.wake(scene.organization);
  await Promise.all(reads);
  isOver = true;
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(1000);
  expect(new Set(seen.map((ids) => ids.join()))).toHaveProperty('size', 1);
  hub.close();
});

test('neither a user nor an organization can use all streams, with whatever tokens', () => {
  const hub = openHub(service.runtime.database.db);
  const open = (organization: string, user: string, token: string) =>
    hub.subscribe({ organization, user, credential: token, after });
  const refused = (code: string) => expect.objectContaining({ name: 'DomainError', code });
  const [, second] = Array.from({ length: 100 }, (_, i) => open('one', 'u0', `token ${i}`));
  expect(() => open('one', 'u0', 'another')).toThrow(refused('too-many'));
  expect(() => open('two', 'u0', 'another')).toThrow(refused('too-many'));
  for (let i = 100; i < 1000; i++) open('one', `u${Math.floor(i / 100)}`, 'token');
  expect(() => open('one', 'u10', 'token')).toThrow(refused('too-many'));
  second?.[Symbol.asyncIterator]().return?.();
  open('one', 'u10', 'token');
  for (let i = 0; i < 1000; i++) open('two', `v${Math.floor(i / 100)}`, 'token');
  expect(() => open('three', 'w', 'token')).toThrow(refused('unavailable'));
  hub.close();
  open('three', 'w', 'token');
  hub.close();
});
