import { expect, test } from 'vitest';
import { WebhookLines } from '../../server/webhook-lines.ts';

const LIMITS = { quick: 8, slow: 2, all: 20 };
const QUICK = { isQuick: true, isAnswered: true };

/** The turns that begin now, by webhook. */
function begin(lines: WebhookLines, now?: number) {
  return lines
    .next(now)
    .flatMap(({ webhook, limit }) => Array.from({ length: limit }, () => lines.begin(webhook, now)));
}

test('a webhook has one attempt at a time until its receiver proves quick, and more then', () => {
  const lines = new WebhookLines({ quick: 100, slow: 100, all: 100 });
  const counts: number[] = [];
  for (let i = 0; i < 7; i++) {
    lines.add('one');
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
  const lines = new WebhookLines(LIMITS);
  for (let i = 0; i < 12; i++) lines.add(`hanging ${i}`);
  const first = begin(lines);
  expect(first).toHaveLength(8);
  lines.add('good');
  expect(lines.next()).toEqual([]);
  for (const turn of first) lines.slowDown(turn);
  expect(lines.next().map(({ webhook }) => webhook)).toEqual([
    'hanging 8',
    'hanging 9',
    'hanging 10',
    'hanging 11',
    'good',
  ]);
});

test('receivers that were slow share few attempts, in turn, and others never wait for them', () => {
  const lines = new WebhookLines(LIMITS);
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) lines.add(name);
  for (const turn of begin(lines)) {
    lines.slowDown(turn);
    lines.end(turn, { isQuick: false, isAnswered: false });
    lines.release(turn);
  }
  const seen: string[] = [];
  for (let i = 0; i < 4; i++) {
    for (const name of names) lines.add(name);
    lines.add('good');
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
  const lines = new WebhookLines(LIMITS);
  lines.add('one');
  const [turn] = begin(lines, 0);
  if (!turn) throw new Error('it is nobody’s turn');
  lines.slowDown(turn, 0);
  lines.end(turn, { isQuick: false, isAnswered: true }, 0);
  lines.release(turn);
  lines.tidy(1000);
  lines.add('one');
  const [again] = begin(lines, 1000);
  expect(again?.isSlow).toBe(true);
  if (again) lines.end(again, QUICK);
  if (again) lines.release(again);
  lines.add('one');
  const [quick] = begin(lines, 2000);
  expect(quick?.isSlow).toBe(false);
});

test('a receiver that was slow long ago gets another chance', () => {
  const lines = new WebhookLines(LIMITS);
  lines.add('one');
  const [turn] = begin(lines, 0);
  if (!turn) throw new Error('it is nobody’s turn');
  lines.end(turn, { isQuick: false, isAnswered: false }, 0);
  lines.release(turn);
  lines.tidy(3_600_000);
  lines.add('one');
  expect(begin(lines, 3_600_000)[0]?.isSlow).toBe(false);
});

test('there is a limit to all attempts', () => {
  const lines = new WebhookLines({ quick: 10, slow: 10, all: 12 });
  for (let i = 0; i < 30; i++) lines.add(`webhook ${i}`);
  for (const turn of begin(lines)) lines.slowDown(turn);
  expect(begin(lines)).toHaveLength(2);
  expect(lines.next()).toEqual([]);
});
