import { AssertionError } from 'node:assert';

/** Times of one piece of work for inputs of growing size. */
export interface Growth {
  /** The power of the size that the time grows with: 1 is linear, 2 quadratic. */
  exponent: number;
  /** Milliseconds of processor time by size. */
  times: Map<number, number>;
}

export interface GrowthOptions {
  /** The smallest size tried: 16 unless told. */
  from?: number;
  /** The largest size of the first of the four measurements: 2^15 unless told. */
  to?: number;
  /** How long the smallest input should take, in milliseconds: 1 unless told. */
  milliseconds?: number;
}

/** An n log n that begins with n = 8 measures 1.3, a quadratic one 2; memory caches add a little to both. */
const LIMIT = 1.45;
/** Doublings between the smallest and the largest size measured. */
const DOUBLINGS = 3;
const RUNS = 3;
/** How many times a suspect is measured again, each time with twice the size, before it fails. */
const CONFIRMATIONS = 2;
/** What takes longer than this is not run again, in milliseconds. */
const LONG_RUN = 200;

/**
 * Fails if the time that `run` takes grows clearly faster than n log n. `make` builds an input of size n, which is not
 * timed and may be built again; what is measured is processor time of this thread, so other work on the machine
 * counts little, and a suspect is measured again with larger inputs before it fails.
 */
export function expectLinear<T>(
  name: string,
  make: (size: number) => T,
  run: (input: T) => unknown,
  options: GrowthOptions = {},
): Growth {
  let size = startingSize(make, run, options);
  let growth = measureGrowth(make, run, size);
  for (let again = 0; growth.exponent > LIMIT; again++) {
    if (again === CONFIRMATIONS || (again > 0 && slowest(growth) > LONG_RUN)) {
      const times = [...growth.times].map(([n, time]) => `${time.toFixed(1)} ms at ${n}`).join(', ');
      throw new AssertionError({
        message: `${name}: time grows with the power ${growth.exponent.toFixed(2)} of the size (${times})`,
      });
    }
    size *= 2;
    growth = measureGrowth(make, run, size);
  }
  return growth;
}

/** The size from which on times are long enough to compare. The runs before it warm the code up. */
function startingSize<T>(
  make: (size: number) => T,
  run: (input: T) => unknown,
  { from = 16, to = 2 ** 15, milliseconds = 1 }: GrowthOptions,
): number {
  let size = from;
  while (size < to && fastest(make, run, size) < milliseconds) size *= 2;
  return size;
}

function measureGrowth<T>(make: (size: number) => T, run: (input: T) => unknown, from: number): Growth {
  const times = new Map<number, number>();
  for (let step = 0; step <= DOUBLINGS; step++) {
    const size = from * 2 ** step;
    times.set(size, fastest(make, run, size));
  }
  // The least of those over all, the later and the last doubling: what disturbs one measurement does not show in all.
  const measured = [...times.values()];
  const last = measured[DOUBLINGS] ?? 0;
  const exponents = measured
    .slice(0, DOUBLINGS)
    .map((time, index) => Math.log2(last / Math.max(time, 0.01)) / (DOUBLINGS - index));
  return { exponent: Math.min(...exponents), times };
}

/** The least time of several runs: what disturbs a run can only add to it. */
function fastest<T>(make: (size: number) => T, run: (input: T) => unknown, size: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < RUNS; count++) {
    const input = make(size);
    const before = process.threadCpuUsage();
    run(input);
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
    if (least > LONG_RUN) break;
  }
  return least;
}

const slowest = ({ times }: Growth): number => Math.max(...times.values());
