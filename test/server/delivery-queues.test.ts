import { expect, test } from 'vitest';
import { DeliveryQueues, type Turn } from '../../server/webhooks/delivery-queues.ts';

const alike = (count: number) => ({ all: count, organization: count, user: count });
const LIMITS = { quick: alike(8), slow: alike(2), turned: alike(10) };
const ACME = 'acme';
const QUICK = { isQuick: true, isAnswered: true };

/** The turns that begin now, by webhook. */
function begin(lines: DeliveryQueues, now?: number): Turn[] {
  const chosen = lines.next();
  const turns = chosen.flatMap(({ webhook, limit }) =>
    Array.from({ length: limit }, () => lines.begin(webhook, now)),
  );
  lines.settle(chosen, now);
  return turns.filter((turn) => turn !== undefined);
}

/** Ends some turns. */
function end(
  lines: DeliveryQueues,
  turns: Turn[],
  outcome: Parameters<DeliveryQueues['end']>[1],
  now?: number,
) {
  for (const turn of turns) {
    lines.end(turn, outcome, now);
    lines.release(turn, now);
  }
}

test('a webhook has one attempt at a time until its receiver proves quick, and more then', () => {
  const lines = new DeliveryQueues({ quick: alike(100), slow: alike(100), turned: alike(100) });
  const counts: number[] = [];
  for (let i = 0; i < 7; i++) {
    lines.add('one', ACME);
    const turns = begin(lines);
    counts.push(turns.length);
    expect(lines.next()).toEqual([]);
    for (const turn of turns) {
      lines.end(turn, QUICK);
      lines.release(turn);
    }
  }
  expect(counts).toEqual([1, 2, 8, 16, 16, 16, 16]);
});

test('attempts that take long make room for those of others', () => {
  const lines = new DeliveryQueues(LIMITS);
  for (let i = 0; i < 12; i++) lines.add(`hanging ${i}`, ACME);
  const first = begin(lines);
  expect(first).toHaveLength(8);
  lines.add('good', 'other');
  expect(lines.next()).toEqual([]);
  for (const turn of first) lines.slowDown(turn);
  expect(lines.next().map(({ webhook }) => webhook)).toEqual([
    'good',
    'hanging 8',
    'hanging 9',
    'hanging 10',
    'hanging 11',
  ]);
});

test('receivers that were slow share few attempts, in turn, and others never wait for them', () => {
  const lines = new DeliveryQueues(LIMITS);
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) lines.add(name, ACME);
  for (const turn of begin(lines)) {
    lines.slowDown(turn);
    lines.end(turn, { isQuick: false, isAnswered: false });
    lines.release(turn);
  }
  const seen: string[] = [];
  for (let i = 0; i < 4; i++) {
    for (const name of names) lines.add(name, ACME);
    lines.add('good', 'other');
    const turns = begin(lines);
    expect(turns.map(({ line }) => line.webhook)).toContain('good');
    expect(turns.filter(({ isSlow }) => isSlow)).toHaveLength(2);
    for (const turn of turns) {
      if (turn.isSlow) seen.push(turn.line.webhook);
      lines.end(turn, { isQuick: !turn.isSlow, isAnswered: true });
      lines.release(turn);
    }
  }
  expect(seen).toEqual(['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd']);
});

test('a receiver that is quick again is not slow any more', () => {
  const lines = new DeliveryQueues(LIMITS);
  lines.add('one', ACME, 0);
  const [turn] = begin(lines, 0);
  if (!turn) throw new Error('it is nobody’s turn');
  lines.slowDown(turn, 0);
  lines.end(turn, { isQuick: false, isAnswered: true }, 0);
  lines.release(turn, 0);
  lines.tidy(1000);
  lines.add('one', ACME, 1000);
  const [again] = begin(lines, 1000);
  expect(again?.isSlow).toBe(true);
  if (again) end(lines, [again], QUICK, 1000);
  lines.add('one', ACME, 2000);
  const [quick] = begin(lines, 2000);
  expect(quick?.isSlow).toBe(false);
});

test('a receiver that was slow long ago gets another chance', () => {
  const lines = new DeliveryQueues(LIMITS);
  lines.add('one', ACME, 0);
  const [turn] = begin(lines, 0);
  if (!turn) throw new Error('it is nobody’s turn');
  lines.end(turn, { isQuick: false, isAnswered: false }, 0);
  lines.release(turn, 0);
  lines.tidy(3_600_000);
  lines.add('one', ACME, 3_600_000);
  expect(begin(lines, 3_600_000)[0]?.isSlow).toBe(false);
});

test('there is a limit to all attempts', () => {
  const lines = new DeliveryQueues({ quick: alike(10), slow: alike(10), turned: alike(2) });
  for (let i = 0; i < 30; i++) lines.add(`webhook ${i}`, ACME);
  for (const turn of begin(lines)) lines.slowDown(turn);
  expect(begin(lines)).toHaveLength(2);
  expect(lines.next()).toEqual([]);
});

test('the slow receivers of one organization never have all places, whatever their number', () => {
  const lines = new DeliveryQueues({
    quick: { all: 40, organization: 20, user: 16 },
    slow: { all: 64, organization: 16, user: 4 },
    turned: { all: 800, organization: 60, user: 16 },
  });
  const dead = Array.from({ length: 95 }, (_, i) => `dead ${i}`);
  let now = 0;
  const underWay: Turn[] = [];
  // At first nothing is known of any of them; nobody responds.
  for (const webhook of dead) lines.add(webhook, ACME, now);
  for (; now < 5000; now += 1000) {
    const turns = begin(lines, now);
    underWay.push(...turns);
    for (const turn of turns) lines.slowDown(turn, now);
  }
  expect(underWay).toHaveLength(80);
  for (const name of ['a', 'b', 'c']) lines.add(name, 'other', now);
  let others = begin(lines, now);
  expect(others.map(({ line }) => line.webhook)).toEqual(['a', 'b', 'c']);
  // Theirs are slow, too.
  for (const turn of others) lines.slowDown(turn, now);
  end(lines, [...underWay, ...others], { isQuick: false, isAnswered: true }, now);
  end(lines, begin(lines, now), { isQuick: false, isAnswered: true }, now);
  // From now on it is known that they are slow.
  for (const webhook of dead) lines.add(webhook, ACME, now);
  for (const name of ['a', 'b', 'c']) lines.add(name, 'other', now);
  const turns = begin(lines, now);
  others = turns.filter(({ line }) => line.organization === 'other');
  expect(turns).toHaveLength(16 + 3);
  expect(others).toHaveLength(3);
});

test('a receiver that does not respond has longer and longer pauses, and none once it responds', () => {
  const lines = new DeliveryQueues(LIMITS);
  const dead = { isQuick: true, isAnswered: false };
  let now = 0;
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 9; attempt++) {
    lines.add('one', ACME, now);
    const last = now;
    let turns = begin(lines, now);
    while (turns.length === 0) {
      now += 500;
      lines.tidy(now);
      turns = begin(lines, now);
    }
    pauses.push(now - last);
    end(lines, turns, attempt < 8 ? dead : QUICK, now);
  }
  expect(pauses).toEqual([0, 0, 0, 5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  lines.add('one', ACME, now);
  expect(begin(lines, now)).not.toEqual([]);
});
