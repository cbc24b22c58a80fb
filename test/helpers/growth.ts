import { AssertionError } from 'node:assert';
import { GCProfiler, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { vi } from 'vitest';

/** How the time of some work grows with the size of its input. */
export interface Growth {
  /** The exponent with which the time grows: 1 is linear, 2 quadratic. */
  exponent: number;
  /** CPU time in milliseconds, by size. */
  times: Map<number, number>;
}

export interface GrowthOptions {
  /** The smallest size tried; 16 by default. */
  from?: number;
  /** The largest size of the first measurement; 2^15 by default. */
  to?: number;
  /** How long the smallest input should take, in milliseconds; 2 by default. */
  milliseconds?: number;
}

/** n log n from n = 8 measures 1.3, quadratic growth 2; memory caches add a little to both. */
const LIMIT = 1.45;
/**
 * Work that grows no faster than this from the smallest to the largest size is not measured more closely: quadratic work
 * would pass only if disturbances made the fastest of three runs take four times as long.
 */
const CLEARLY_LINEAR = 1.3;
/** Doublings between the smallest and the largest size measured. */
const DOUBLINGS = 3;
const RUNS = 3;
/** Suspicious work is measured again with inputs this many times as large, and fails if it is too slow each time. */
const CONFIRMATIONS = [1, 2];
/** Runs that take longer than this are not repeated, in milliseconds. */
const LONG_RUN = 200;
/** What the clock may be wrong by, in milliseconds: Linux updates the CPU time of a running thread at each tick. */
const RESOLUTION = 4;
/** Minimum time of an exact measurement, in milliseconds. */
const MIN_TIME = 10 * RESOLUTION;
/** Maximum time for creating the inputs of one batch, in milliseconds. */
const MAX_CREATION_TIME = 200;

type Make<T> = (size: number) => T;
type Run<T> = (input: T) => unknown;
/** Measures how long `run` takes for a size, in milliseconds. */
type Measure = <T>(make: Make<T>, run: Run<T>, size: number) => number;

/**
 * Fails if the time of `run` grows clearly faster than n log n. `make` builds an input of size n, possibly several times,
 * and is not timed. CPU time of this thread is measured, so that other work on the machine matters little. Suspicious work
 * is measured again, more exactly and without garbage collection, before it fails.
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

/** The smallest size whose time is long enough to compare, and that time. The runs before it warm up the code. */
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

/**
 * Estimates the growth from a single run of the largest size, which is cheap and suffices for most work. The smallest may take
 * less time than the clock can tell from none, so it is run as often as has the same total size before the estimate is high.
 */
function estimateGrowth<T>(make: Make<T>, run: Run<T>, size: number, first: number): Growth {
  const factor = 2 ** DOUBLINGS;
  const input = make(size * factor);
  const last = processorTime(() => run(input));
  const growthFrom = (time: number): Growth => ({
    exponent: Math.log2(last / time) / DOUBLINGS,
    times: new Map([
      [size, time],
      [size * factor, last],
    ]),
  });
  const estimate = growthFrom(Math.max(first, 0.01));
  if (estimate.exponent <= CLEARLY_LINEAR || first > RESOLUTION) return estimate;
  const small = Array.from({ length: factor }, () => make(size));
  const total = processorTime(() => small.map(run));
  return growthFrom(Math.max(total, RESOLUTION) / factor);
}

function measureGrowth<T>(measure: Measure, make: Make<T>, run: Run<T>, from: number): Growth {
  const times = new Map<number, number>();
  for (let step = 0; step <= DOUBLINGS; step++) {
    const size = from * 2 ** step;
    times.set(size, measure(make, run, size));
  }
  // The minimum over all, the later and the last doubling: a disturbance of one measurement does not affect all of them.
  const measured = [...times.values()];
  const last = measured[DOUBLINGS] ?? 0;
  const exponents = measured
    .slice(0, DOUBLINGS)
    .map((time, index) => Math.log2(last / Math.max(time, 0.01)) / (DOUBLINGS - index));
  return { exponent: Math.min(...exponents), times };
}

/** The shortest time of several runs: disturbances can only make a run slower. */
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
 * The same for runs that start with a clean heap, with short runs measured in batches. The time of garbage collection that
 * still happens is subtracted, up to half of the total: collection sets in suddenly at some size, runs on this thread if
 * others are busy, and producing twice the garbage takes twice the time even without it.
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

/** The CPU time of this thread for some work, in milliseconds. */
export function processorTime(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

// A test may measure hundreds of runs on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const slowest = ({ times }: Growth): number => Math.max(...times.values());
