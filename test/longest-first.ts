import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONGEST } from './suites.ts';

/** Runs the slowest files first, so that no core idles at the end while one of them runs; others are ordered by size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => orderOf(a) - orderOf(b));
  }
}

function orderOf({ moduleId }: TestSpecification): number {
  const index = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`));
  return index < 0 ? LONGEST.length : index;
}
