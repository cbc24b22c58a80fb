import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { expectLinear } from '../helpers/growth.ts';

describe('measuring growth with a clock that counts steps', () => {
  // Microseconds, like the real clock, which is replaced so that other work on the machine does not affect the result.
  let steps = 0;
  beforeEach(() => {
    vi.spyOn(process, 'threadCpuUsage').mockImplementation((before) => ({
      user: steps - (before?.user ?? 0),
      system: 0,
    }));
  });
  afterEach(() => vi.restoreAllMocks());

  const measured = (name: string, stepsOf: (size: number) => number) =>
    expectLinear(
      name,
      (size) => size,
      (size) => {
        steps += Math.ceil(stepsOf(size));
      },
    );

  test('linear and n log n work passes', () => {
    expect(measured('linear', (n) => n).exponent).toBeCloseTo(1, 1);
    expect(measured('n log n', (n) => n * Math.log2(n)).exponent).toBeLessThan(1.45);
  });

  test('work that grows with a power of 1.5 or more fails with an error that shows the times', () => {
    expect(() => measured('pairs', (n) => n * n)).toThrow(
      'pairs: time grows with the power 2.00 of the size (4.1 ms at 64, 16.4 ms at 128, 65.5 ms at 256, 262.1 ms at 512)',
    );
    expect(() => measured('roots', (n) => n * Math.sqrt(n))).toThrow(
      /^roots: time grows with the power 1\.5/,
    );
  });

  test('work that takes less time than the clock can tell is measured once, unless it grows', () => {
    // As Linux does, the clock counts only whole ticks.
    vi.spyOn(process, 'threadCpuUsage').mockImplementation((before) => {
      const user = Math.floor(steps / 4000) * 4000;
      return { user: user - (before?.user ?? 0), system: 0 };
    });
    let runs = 0;
    measured('linear', (n) => {
      runs++;
      return n / 100;
    });
    // Three of each size up to the largest to start from, and those of the estimate.
    expect(runs).toBeLessThanOrEqual(3 * 12 + 1 + 8);
    expect(() => measured('pairs', (n) => (n / 1500) ** 2)).toThrow('pairs: time grows');
  });

  test('one disturbed measurement does not change the result', () => {
    let count = 0;
    const disturbed = (time: number) => time * (count++ % 5 === 3 ? 8 : 1);
    expect(() => measured('pairs', (n) => disturbed(n * n))).toThrow('pairs: time grows');
    measured('linear', (n) => disturbed(n));
  });
});

describe('measuring growth with the CPU time of the thread', () => {
  const numbers = (size: number) => Array.from({ length: size }, (_, index) => (index * 7919) % size);

  // A disturbance of the machine may hide the growth once.
  test('quadratic work that creates a lot of garbage fails', { retry: 3 }, () => {
    const prefixes = (list: number[]) => list.map((_, index) => list.slice(0, index).reverse().at(-1));
    expect(() => expectLinear('prefixes', numbers, prefixes, { from: 1024, to: 1024 })).toThrow(
      /^prefixes: time grows with the power/,
    );
  });

  test('linear work whose garbage is kept passes', () => {
    const trees = (list: number[]) =>
      list.map((value) => ({ value, path: `${value}`, children: [{ value }] }));
    expectLinear('trees', numbers, trees, { from: 2 ** 12 });
  });
});
