import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  FairShare,
  type FairShareOptions,
  type Slot,
  type Waiter,
} from '../../server/hardening/fair-share.ts';

const MESSAGES = { user: 'user', organization: 'organization', all: 'all' };
const MANY = { all: 1000, organization: 1000, user: 1000 };

const open = (options: Partial<FairShareOptions> = {}) =>
  new FairShare({
    slots: { all: 4, organization: 3, user: 2 },
    waiting: MANY,
    messages: MESSAGES,
    ...options,
  });

const by = (name: string) => ({ organization: name.slice(0, 1), user: name.slice(0, 2) });

/** Requests slots by names such as `a1 1`, for user `a1` of organization `a`; `begun` lists those granted, in order. */
function scene(share: FairShare) {
  const begun: string[] = [];
  const slots = new Map<string, Slot>();
  const waiters = new Map<string, Waiter>();
  return {
    begun,
    request(...names: string[]) {
      for (const name of names) {
        const waiter = share.request(by(name), (slot) => {
          begun.push(name);
          slots.set(name, slot);
        });
        if (waiter) waiters.set(name, waiter);
      }
    },
    release: (name: string) => slots.get(name)?.release(),
    cancel: (name: string) => share.cancel(waiters.get(name) as Waiter),
  };
}

describe('a slot', () => {
  test('a slot is granted at once up to the shares of the user and the organization, and beyond them to others', () => {
    const { begun, request } = scene(open());
    request('a1 1', 'a1 2', 'a1 3', 'a2 1', 'a2 2', 'b1 1', 'b1 2');
    expect(begun).toEqual(['a1 1', 'a1 2', 'a2 1', 'b1 1']);
  });

  test('a slot goes to the organization with the fewest, then to the user with the fewest, then in turn', () => {
    const { begun, request, release } = scene(open({ slots: { all: 4, organization: 4, user: 4 } }));
    request('a1 1', 'a1 2', 'a2 1', 'b1 1');
    request('a1 3', 'a1 4', 'a2 2', 'a3 1', 'b1 2', 'c1 1');
    begun.length = 0;
    for (const name of ['a1 1', 'b1 1', 'a1 2', 'a2 1', 'c1 1', 'b1 2']) release(name);
    expect(begun).toEqual(['c1 1', 'b1 2', 'a1 3', 'a2 2', 'a3 1', 'a1 4']);
  });

  test('a slot is granted in turn if there is only one', () => {
    const { begun, request, release } = scene(open({ slots: { all: 1, organization: 1, user: 1 } }));
    request('a1 1', 'a1 2', 'a1 3', 'a1 4', 'b1 1', 'c1 1', 'c2 1');
    for (let next = 0; next < 7; next++) release(begun[next] as string);
    expect(begun).toEqual(['a1 1', 'a1 2', 'b1 1', 'c1 1', 'a1 3', 'c2 1', 'a1 4']);
  });

  test('a slot counts for a user in all organizations together', () => {
    const share = open({ slots: { all: 10, organization: 5, user: 2 } });
    const begun: string[] = [];
    const slots: Slot[] = [];
    for (const organization of ['a', 'b', 'c'])
      share.request({ organization, user: 'one' }, (slot) => {
        begun.push(organization);
        slots.push(slot);
      });
    expect(begun).toEqual(['a', 'b']);
    slots[0]?.release();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  test('a slot counts under the user alone while the organization is not known', () => {
    const share = open({ waiting: undefined, slots: { all: 9, organization: 1, user: 1 } });
    share.acquireNow({ user: 'one' });
    share.acquireNow({ user: 'two' });
    expect(() => share.acquireNow({ user: 'one' })).toThrow('user');
  });

  test('a released slot goes to nobody whose share, or whose organization’s share, is used up', () => {
    const { begun, request, release } = scene(open({ slots: { all: 4, organization: 3, user: 2 } }));
    request('a1 1', 'a2 1', 'a2 2', 'b1 1', 'a1 2', 'a3 1');
    release('b1 1');
    expect(begun).toEqual(['a1 1', 'a2 1', 'a2 2', 'b1 1']);
    request('b1 2', 'a2 3');
    release('a1 1');
    release('b1 2');
    expect(begun.slice(4)).toEqual(['b1 2', 'a1 2']);
    release('a1 2');
    expect(begun.slice(6)).toEqual(['a3 1']);
    release('a3 1');
    expect(begun.slice(7)).toEqual([]);
  });

  test('a slot that is released twice is free once', () => {
    const share = open();
    const slot = share.acquireNow(by('a1'));
    share.acquireNow(by('a1'));
    slot.release();
    slot.release();
    expect(share.inUse).toBe(1);
  });

  test('a slot whose request timed out goes to another', async () => {
    const share = open({ slots: { all: 1, organization: 1, user: 1 } });
    const slot = await share.acquire(by('a1'));
    await expect(share.acquire(by('b1'), 1)).rejects.toMatchObject({ code: 'unavailable', message: 'all' });
    expect(share.waiting).toBe(0);
    slot.release();
    expect(await share.run(by('c1'), async () => share.inUse)).toBe(1);
    expect(share.inUse).toBe(0);
  });
});

test('a waiting request can be cancelled', () => {
  const { begun, request, release, cancel } = scene(open({ slots: { all: 1, organization: 1, user: 1 } }));
  request('a1 1', 'b1 1', 'c1 1', 'b1 2');
  cancel('b1 1');
  cancel('c1 1');
  release('a1 1');
  release('b1 2');
  expect(begun).toEqual(['a1 1', 'b1 2']);
});

test.each([
  { most: { all: 9, organization: 9, user: 1 }, code: 'too-many', message: 'user' },
  { most: { all: 9, organization: 1, user: 9 }, code: 'too-many', message: 'organization' },
  { most: { all: 1, organization: 9, user: 9 }, code: 'unavailable', message: 'all' },
])('waiting requests are limited: $message', async ({ most, ...refusal }) => {
  const share = open({ slots: { all: 1, organization: 1, user: 1 }, waiting: most });
  await share.acquire(by('a1'));
  const waiting = share.acquire(by('a1'));
  await expect(share.acquire(by('a1'))).rejects.toMatchObject(refusal);
  expect(share.waiting).toBe(1);
  void waiting;
});

/** The steps of a run: requests of users, and releases and cancellations of existing ones. */
const step = fc.record({
  kind: fc.constantFrom('request', 'request', 'request', 'release', 'release', 'cancel'),
  organization: fc.nat(3),
  user: fc.nat(4),
  which: fc.nat(50),
});

test('in any sequence, nobody exceeds a share, no slot is idle that somebody may have, and all are served', () => {
  const shares = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(3), fc.nat(3)).map(([user, more, most]) => ({
    user,
    organization: user + more,
    all: user + more + most,
  }));
  fc.assert(
    fc.property(shares, fc.array(step, { maxLength: 120 }), (slots, steps) => {
      const share = open({ slots });
      type Held = { organization: string; user: string; slot: Slot };
      const inUse: Held[] = [];
      const waiting: { organization: string; user: string; waiter: Waiter }[] = [];
      const count = (of: (one: { organization: string; user: string }) => boolean) => inUse.filter(of).length;
      const check = () => {
        const used = inUse.length;
        expect(share.inUse).toBe(used);
        expect(share.waiting).toBe(waiting.length);
        expect(used).toBeLessThanOrEqual(slots.all);
        for (const { organization, user } of inUse) {
          expect(count((one) => one.organization === organization)).toBeLessThanOrEqual(slots.organization);
          expect(count((one) => one.user === user)).toBeLessThanOrEqual(slots.user);
        }
        if (used === slots.all) return;
        for (const { organization, user } of waiting)
          expect(
            count((one) => one.organization === organization) === slots.organization ||
              count((one) => one.user === user) === slots.user,
          ).toBe(true);
      };
      for (const { kind, organization: o, user: u, which } of steps) {
        if (kind === 'request') {
          const caller = { organization: `o${o}`, user: `u${u}` };
          let waiter: Waiter | undefined;
          const begin = (slot: Slot) => {
            const index = waiting.findIndex((one) => one.waiter === waiter);
            if (waiter) waiting.splice(index, 1);
            inUse.push({ ...caller, slot });
          };
          waiter = share.request(caller, begin);
          if (waiter) waiting.push({ ...caller, waiter });
        } else if (kind === 'cancel') {
          const [left] = waiting.splice(which % Math.max(1, waiting.length), 1);
          if (left) share.cancel(left.waiter);
        } else {
          inUse.splice(which % Math.max(1, inUse.length), 1)[0]?.slot.release();
        }
        check();
      }
      // If the oldest slot is released again and again, everybody's turn comes.
      for (let one = inUse.shift(); one; one = inUse.shift()) one.slot.release();
      expect(waiting).toEqual([]);
      expect([share.inUse, share.waiting]).toEqual([0, 0]);
    }),
    { numRuns: 300 },
  );
});

test('others are always served between the many requests of one', () => {
  const share = open({ slots: { all: 2, organization: 2, user: 2 } });
  const order: string[] = [];
  const running: Slot[] = [];
  const ask = (name: string) =>
    share.request(by(name), (slot) => {
      order.push(name);
      running.push(slot);
    });
  for (let i = 0; i < 100; i++) ask('a1');
  for (let i = 0; i < 10; i++) ask('b1');
  for (let one = running.shift(); one; one = running.shift()) one.release();
  expect(order.lastIndexOf('b1')).toBeLessThan(2 + 2 * 10);
});
