import type { MeasuredWork, Measurements } from './ports.ts';

/**
 * Does some work, and records how long it took.
 * @param describe describes the work from its result, which is undefined if it failed
 */
export async function measure<Result>(
  measurements: Measurements,
  work: () => Promise<Result>,
  describe: (result: Result | undefined) => MeasuredWork,
): Promise<Result> {
  const startedAt = performance.now();
  let result: Result | undefined;
  try {
    result = await work();
    return result;
  } finally {
    measurements.record(describe(result), (performance.now() - startedAt) / 1000);
  }
}
