import { expect, test } from 'vitest';
import { type AttemptInProgress, DeliveryQueues } from '../../server/webhooks/delivery-queues.ts';

const uniform = (count: number) => ({ all: count, organization: count, user: count });
const LIMITS = { quick: uniform(8), slow: uniform(2), stalled: uniform(10) };
const ACME = 'acme';
const QUICK = { isQuick: true, hasResponse: true };

/** Begins all attempts whose turn it is. */
function begin(queues: DeliveryQueues, now?: number): AttemptInProgress[] {
  const next = queues.next();
  const attempts = next.flatMap(({ webhook, limit }) =>
    Array.from({ length: limit }, () => queues.begin(webhook, now)),
  );
  queues.releaseUnused(next, now);
  return attempts.filter((attempt) => attempt !== undefined);
}

/** Ends some attempts. */
function end(
  queues: DeliveryQueues,
  attempts: AttemptInProgress[],
  outcome: Parameters<DeliveryQueues['end']>[1],
  now?: number,
) {
  for (const attempt of attempts) {
    queues.end(attempt, outcome, now);
    queues.finish(attempt, now);
  }
}

test('a webhook has one attempt at a time until its receiver proves quick, and then more', () => {
  const queues = new DeliveryQueues({ quick: uniform(100), slow: uniform(100), stalled: uniform(100) });
  const counts: number[] = [];
  for (let i = 0; i < 7; i++) {
    queues.add('one', ACME);
    const attempts = begin(queues);
    counts.push(attempts.length);
    expect(queues.next()).toEqual([]);
    for (const attempt of attempts) {
      queues.end(attempt, QUICK);
      queues.finish(attempt);
    }
  }
  expect(counts).toEqual([1, 2, 8, 16, 16, 16, 16]);
});

test('attempts that take long make room for other webhooks', () => {
  const queues = new DeliveryQueues(LIMITS);
  for (let i = 0; i < 12; i++) queues.add(`hanging ${i}`, ACME);
  const first = begin(queues);
  expect(first).toHaveLength(8);
  queues.add('good', 'other');
  expect(queues.next()).toEqual([]);
  for (const attempt of first) queues.markSlow(attempt);
  expect(queues.next().map(({ webhook }) => webhook)).toEqual([
    'good',
    'hanging 8',
    'hanging 9',
    'hanging 10',
    'hanging 11',
  ]);
});

test('receivers that were slow share few slots in turn, and others never wait for them', () => {
  const queues = new DeliveryQueues(LIMITS);
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) queues.add(name, ACME);
  for (const attempt of begin(queues)) {
    queues.markSlow(attempt);
    queues.end(attempt, { isQuick: false, hasResponse: false });
    queues.finish(attempt);
  }
  const seen: string[] = [];
  for (let i = 0; i < 4; i++) {
    for (const name of names) queues.add(name, ACME);
    queues.add('good', 'other');
    const attempts = begin(queues);
    expect(attempts.map(({ queue }) => queue.webhook)).toContain('good');
    expect(attempts.filter(({ isSlow }) => isSlow)).toHaveLength(2);
    for (const attempt of attempts) {
      if (attempt.isSlow) seen.push(attempt.queue.webhook);
      queues.end(attempt, { isQuick: !attempt.isSlow, hasResponse: true });
      queues.finish(attempt);
    }
  }
  expect(seen).toEqual(['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd']);
});

test('a receiver that is quick again no longer counts as slow', () => {
  const queues = new DeliveryQueues(LIMITS);
  queues.add('one', ACME, 0);
  const [attempt] = begin(queues, 0);
  if (!attempt) throw new Error('it is nobody’s turn');
  queues.markSlow(attempt, 0);
  queues.end(attempt, { isQuick: false, hasResponse: true }, 0);
  queues.finish(attempt, 0);
  queues.cleanUp(1000);
  queues.add('one', ACME, 1000);
  const [again] = begin(queues, 1000);
  expect(again?.isSlow).toBe(true);
  if (again) end(queues, [again], QUICK, 1000);
  queues.add('one', ACME, 2000);
  const [quick] = begin(queues, 2000);
  expect(quick?.isSlow).toBe(false);
});

test('a receiver that was slow long ago gets another chance', () => {
  const queues = new DeliveryQueues(LIMITS);
  queues.add('one', ACME, 0);
  const [attempt] = begin(queues, 0);
  if (!attempt) throw new Error('it is nobody’s turn');
  queues.end(attempt, { isQuick: false, hasResponse: false }, 0);
  queues.finish(attempt, 0);
  queues.cleanUp(3_600_000);
  queues.add('one', ACME, 3_600_000);
  expect(begin(queues, 3_600_000)[0]?.isSlow).toBe(false);
});

test('the total number of attempts is limited', () => {
  const queues = new DeliveryQueues({ quick: uniform(10), slow: uniform(10), stalled: uniform(2) });
  for (let i = 0; i < 30; i++) queues.add(`webhook ${i}`, ACME);
  for (const attempt of begin(queues)) queues.markSlow(attempt);
  expect(begin(queues)).toHaveLength(2);
  expect(queues.next()).toEqual([]);
});

test('the slow receivers of one organization never use all slots, however many there are', () => {
  const queues = new DeliveryQueues({
    quick: { all: 40, organization: 20, user: 16 },
    slow: { all: 64, organization: 16, user: 1 },
    stalled: { all: 800, organization: 60, user: 16 },
  });
  const dead = Array.from({ length: 95 }, (_, i) => `dead ${i}`);
  let now = 0;
  const inProgress: AttemptInProgress[] = [];
  // At first, nothing is known about them, and none responds.
  for (const webhook of dead) queues.add(webhook, ACME, now);
  for (; now < 5000; now += 1000) {
    const attempts = begin(queues, now);
    inProgress.push(...attempts);
    for (const attempt of attempts) queues.markSlow(attempt, now);
  }
  expect(inProgress).toHaveLength(80);
  for (const name of ['a', 'b', 'c']) queues.add(name, 'other', now);
  let others = begin(queues, now);
  expect(others.map(({ queue }) => queue.webhook)).toEqual(['a', 'b', 'c']);
  // Those of the other organization are slow, too.
  for (const attempt of others) queues.markSlow(attempt, now);
  end(queues, [...inProgress, ...others], { isQuick: false, hasResponse: true }, now);
  end(queues, begin(queues, now), { isQuick: false, hasResponse: true }, now);
  // From now on, they are known to be slow.
  for (const webhook of dead) queues.add(webhook, ACME, now);
  for (const name of ['a', 'b', 'c']) queues.add(name, 'other', now);
  const attempts = begin(queues, now);
  others = attempts.filter(({ queue }) => queue.organization === 'other');
  expect(attempts).toHaveLength(16 + 3);
  expect(others).toHaveLength(3);
});

test('a receiver that does not respond gets longer and longer pauses, and none once it responds', () => {
  const queues = new DeliveryQueues(LIMITS);
  const dead = { isQuick: true, hasResponse: false };
  let now = 0;
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 9; attempt++) {
    queues.add('one', ACME, now);
    const last = now;
    let attempts = begin(queues, now);
    while (attempts.length === 0) {
      now += 500;
      queues.cleanUp(now);
      attempts = begin(queues, now);
    }
    pauses.push(now - last);
    end(queues, attempts, attempt < 8 ? dead : QUICK, now);
  }
  expect(pauses).toEqual([0, 0, 0, 5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  queues.add('one', ACME, now);
  expect(begin(queues, now)).not.toEqual([]);
});
