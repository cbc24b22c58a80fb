import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Caller, runFor } from '../../routers/base/caller.ts';
import { ConnectionShares, inOneRequest } from '../../server/hardening/connection-shares.ts';
import { untilBlocked } from '../helpers/blocked-sessions.ts';
import type { Person } from '../helpers/builders.ts';
import { type ApiResponse, startTestService, type TestService } from '../helpers/service.ts';

vi.setConfig({ testTimeout: 120_000 });

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const requests = () => service.runtime.database.pools().requests;

/** An organization with some members, and a space that they may edit. */
async function organization(members: number) {
  const { id, admin } = await service.build.organization();
  const { id: space } = await service.build.space(id);
  const people: Person[] = [admin];
  while (people.length < members) people.push(await service.build.member(id, 'admin'));
  return { id, space, people };
}

/** Waits for a condition: recording the use of a token, for example, may take a connection for a moment. */
const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 20_000 });

/** Runs work while another session locks a row of a table, so that writers of the row wait. */
async function whileLocked(table: string, id: string, work: () => Promise<void>): Promise<void> {
  const { background } = service.runtime.database;
  await background.connection().execute(async (db) => {
    const run = (sql: string) => db.executeQuery({ sql, parameters: [], query: {} } as never);
    await run('begin');
    await run(`select from ${table} where id = '${id}' for update`);
    try {
      await work();
    } finally {
      await run('rollback');
    }
  });
}

const query = async (sql: string) =>
  service.runtime.database.background.executeQuery({ sql, parameters: [], query: {} } as never);

const write = (space: string, { token }: Person, title: string): Promise<ApiResponse> =>
  service.as(token).patch(`/spaces/${space}`, { title });

test('writers of one row of one organization leave connections to others and to reads', async () => {
  const own = await organization(4);
  const other = await organization(1);
  let writes: Promise<ApiResponse>[] = [];
  await whileLocked('space', own.space, async () => {
    writes = Array.from({ length: 80 }, (_, i) =>
      write(own.space, own.people[i % 4] as Person, `Title ${i}`),
    );
    await untilBlocked(query);
    await until(() => requests().waiting === 76);
    await until(() => requests().inUse === 4);
    const [reader = { token: '' }] = other.people;
    expect((await service.as(reader.token).get(`/spaces/${other.space}`)).status).toBe(200);
    expect((await service.as(reader.token).get(`/orgs/${other.id}/spaces`)).status).toBe(200);
    expect((await write(other.space, reader as Person, 'Other')).status).toBe(200);
    // Readers of the same organization get theirs, too.
    expect((await service.as(own.people[0]?.token).get(`/orgs/${own.id}/spaces`)).status).toBe(200);
  });
  expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(writes.map(() => 200));
  await until(() => requests().inUse === 0 && requests().waiting === 0);
});

test('writers of one row of one user leave connections to others in the organization', async () => {
  const { space, people } = await organization(2);
  const [one, two] = people as [Person, Person];
  const { id: second } = await service.build.space((await organization(1)).id);
  let writes: Promise<ApiResponse>[] = [];
  await whileLocked('space', space, async () => {
    writes = Array.from({ length: 20 }, (_, i) => write(space, one, `Title ${i}`));
    await until(() => requests().waiting === 17);
    await until(() => requests().inUse === 3);
    writes.push(write(space, two, 'Of another'));
    await until(() => requests().inUse === 4);
    // Requests for what is not theirs are denied within their own share.
    writes.push(write(second, one, 'Of nobody'));
    await until(() => requests().waiting === 18);
  });
  const statuses = (await Promise.all(writes)).map(({ status }) => status);
  expect(statuses).toEqual([...Array.from({ length: 21 }, () => 200), 404]);
});

/** Runs a call of a batch that takes a while, so that others would overlap with it. */
const slowly =
  <Result>(count: { now: number; most: number }) =>
  async (work: () => Promise<Result>) => {
    count.most = Math.max(count.most, ++count.now);
    try {
      return await work();
    } finally {
      count.now--;
    }
  };

describe('shares', () => {
  const one: Caller = { organization: 'one', user: 'me' };
  /** The maximum number of these that run at once. */
  async function most(
    count: number,
    start: (work: () => Promise<void>) => Promise<unknown>,
  ): Promise<number> {
    const seen = { now: 0, most: 0 };
    const work = () => slowly<void>(seen)(() => sleep(1));
    await Promise.all(Array.from({ length: count }, () => start(work)));
    return seen.most;
  }

  test.each([
    { size: 1, transactions: [1, 1, 1], statements: [1, 1, 1] },
    { size: 2, transactions: [1, 1, 1], statements: [2, 1, 1] },
    { size: 3, transactions: [2, 1, 1], statements: [3, 1, 1] },
    { size: 10, transactions: [8, 4, 3], statements: [10, 5, 4] },
    { size: 40, transactions: [32, 16, 12], statements: [40, 20, 16] },
  ])('shares of $size connections', async ({ size, transactions, statements }) => {
    const shares = new ConnectionShares(size, 60_000);
    const statement = async (work: () => Promise<void>) => {
      const place = await shares.statement();
      await work().finally(() => place?.release());
    };
    let next = 0;
    const callers: (() => Caller)[] = [
      () => ({ organization: `${++next}`, user: `${next}` }),
      () => ({ organization: 'one', user: `${++next}` }),
      () => one,
    ];
    for (const [index, caller] of callers.entries()) {
      expect(await most(100, (work) => runFor(caller(), () => shares.transaction(work)))).toBe(
        transactions[index],
      );
      expect(await most(100, (work) => runFor(caller(), () => statement(work)))).toBe(statements[index]);
      const ofRequest = await runFor(caller(), () => inOneRequest(() => most(100, statement)));
      expect(ofRequest).toBe(Math.min(4, statements[2] as number));
    }
  });

  test('work without a caller and statements within a transaction do not wait for shares', async () => {
    const shares = new ConnectionShares(1, 60_000);
    expect(shares.statement()).toBeUndefined();
    await shares.transaction(() => shares.transaction(async () => undefined));
    await runFor(one, async () => {
      const place = await shares.statement();
      await shares.transaction(async () => expect(shares.statement()).toBeUndefined());
      place?.release();
    });
  });

  test('shares are waited for within the limit', async () => {
    const shares = new ConnectionShares(1, 5);
    const held = Promise.withResolvers<void>();
    onTestFinished(() => held.resolve());
    void runFor(one, () => shares.transaction(() => held.promise));
    await expect(
      runFor({ user: 'other' }, () => shares.transaction(async () => undefined)),
    ).rejects.toMatchObject({ code: 'unavailable' });
    expect(shares.waiting).toBe(0);
  });
});

test('the calls of one batch use few connections at once, however many there are', async () => {
  const { id, people } = await organization(1);
  const token = people[0]?.token;
  // Recording the use of the token at the first request would use another connection.
  await service.as(token).get(`/orgs/${id}/spaces`);
  await until(() => requests().inUse === 0);
  const input = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [i, { json: { organizationId: id, limit: i + 1 } }]),
  );
  const names = Array.from({ length: 50 }, () => 'spaces.list').join();
  let most = 0;
  let isOver = false;
  const watch = () => {
    most = Math.max(most, requests().inUse);
    if (!isOver) setImmediate(watch);
  };
  watch();
  const answer = await service.app.inject({
    url: `/trpc/${names}?batch=1&input=${encodeURIComponent(JSON.stringify(input))}`,
    headers: { authorization: `Bearer ${token}` },
  });
  isOver = true;
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toHaveLength(50);
  expect(most).toBeLessThanOrEqual(4);
});
