import { AssertionError } from 'node:assert';
import { GCProfiler, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { vi } from 'vitest';

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
  /** The largest size of the first measurement: 2^15 unless told. */
  to?: number;
  /** How long the smallest input should take, in milliseconds: 2 unless told. */
  milliseconds?: number;
}

/** An n log n that begins with n = 8 measures 1.3, a quadratic one 2; memory caches add a little to both. */
const LIMIT = 1.45;
/**
 * What grows no faster from the smallest to the largest size is not measured more closely: quadratic work would have to be
 * disturbed so that the least of three runs takes four times as long.
 */
const CLEARLY_LINEAR = 1.3;
/** Doublings between the smallest and the largest size measured. */
const DOUBLINGS = 3;
const RUNS = 3;
/** A suspect is measured again with inputs so many times as large, and fails if it is one each time. */
const CONFIRMATIONS = [1, 2];
/** What takes longer than this is not run again, in milliseconds. */
const LONG_RUN = 200;
/** Steps of the clock are no more than a tenth of this, in milliseconds. */
const MIN_TIME = 40;
/** Inputs that are run one after the other are created for no longer than this, in milliseconds. */
const MAX_CREATION_TIME = 200;

type Make<T> = (size: number) => T;
type Run<T> = (input: T) => unknown;
/** Milliseconds that `run` takes for a size. */
type Measure = <T>(make: Make<T>, run: Run<T>, size: number) => number;

/**
 * Fails if the time that `run` takes grows clearly faster than n log n. `make` builds an input of size n, which is not
 * timed and may be built again; what is measured is processor time of this thread, so other work on the machine
 * counts little. A suspect is measured again, more exactly and without the collection of garbage, before it fails.
 */
export function expectLinear<T>(
  name: string,
  make: Make<T>,
  run: Run<T>,
  options: GrowthOptions = {},
): Growth {
  const [size, first] = startingSize(make, run, options);
  const estimate = estimateGrowth(make, run, size, first);
  if (estimate.exponent <= CLEARLY_LINEAR) return estimate;
  let growth = measureGrowth(fastest, make, run, size);
  for (const factor of CONFIRMATIONS) {
    if (growth.exponent <= LIMIT) break;
    growth = measureGrowth(fastestWithoutGarbage, make, run, size * factor);
    if (slowest(growth) > LONG_RUN) break;
  }
  if (growth.exponent > LIMIT) {
    const times = [...growth.times].map(([n, time]) => `${time.toFixed(1)} ms at ${n}`).join(', ');
    throw new AssertionError({
      message: `${name}: time grows with the power ${growth.exponent.toFixed(2)} of the size (${times})`,
    });
  }
  return growth;
}

/** The size from which on times are long enough to compare, and its time. The runs before it warm the code up. */
function startingSize<T>(
  make: Make<T>,
  run: Run<T>,
  { from = 16, to = 2 ** 15, milliseconds = 2 }: GrowthOptions,
): [size: number, time: number] {
  let size = from;
  let time = fastest(make, run, size);
  while (size < to && time < milliseconds) {
    size *= 2;
    time = fastest(make, run, size);
  }
  return [size, time];
}

/** What one run of the largest size shows: it is cheap, and enough for most. */
function estimateGrowth<T>(make: Make<T>, run: Run<T>, size: number, first: number): Growth {
  const largest = size * 2 ** DOUBLINGS;
  const input = make(largest);
  const last = processorTime(() => run(input));
  const exponent = Math.log2(last / Math.max(first, 0.01)) / DOUBLINGS;
  return {
    exponent,
    times: new Map([
      [size, first],
      [largest, last],
    ]),
  };
}

function measureGrowth<T>(measure: Measure, make: Make<T>, run: Run<T>, from: number): Growth {
  const times = new Map<number, number>();
  for (let step = 0; step <= DOUBLINGS; step++) {
    const size = from * 2 ** step;
    times.set(size, measure(make, run, size));
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
function fastest<T>(make: Make<T>, run: Run<T>, size: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < RUNS; count++) {
    const input = make(size);
    least = Math.min(
      least,
      processorTime(() => run(input)),
    );
    if (least > LONG_RUN) break;
  }
  return least;
}

/**
 * The same of runs that begin with a clean heap, short ones several at a time. What the collection of garbage takes
 * nevertheless is left out, but for no more than half the time: it comes all at once from some size on, is done by this
 * thread if others are busy, and creating twice the garbage takes twice the time without it as well.
 */
function fastestWithoutGarbage<T>(make: Make<T>, run: Run<T>, size: number): number {
  const once = fastest(make, run, size);
  const wanted = Math.ceil(MIN_TIME / Math.max(once, 1));
  let least = Number.POSITIVE_INFINITY;
  let leastGarbage = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < RUNS; batch++) {
    const inputs = [make(size)];
    const created = performance.now();
    while (inputs.length < wanted && performance.now() < created + MAX_CREATION_TIME) inputs.push(make(size));
    collectGarbage();
    const profiler = new GCProfiler();
    profiler.start();
    const time = processorTime(() => inputs.forEach(run));
    const garbage = profiler.stop().statistics.reduce((sum, { cost }) => sum + cost / 1000, 0);
    least = Math.min(least, time / inputs.length);
    leastGarbage = Math.min(leastGarbage, garbage / inputs.length);
  }
  return least - Math.min(leastGarbage, least / 2);
}

/** Milliseconds of processor time of this thread. */
export function processorTime(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

// A test may measure hundreds of runs, on a machine that others use.
vi.setConfig({ testTimeout: 600_000 });

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const slowest = ({ times }: Growth): number => Math.max(...times.values());
