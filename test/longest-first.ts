import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONGEST } from './suites.ts';

/** Begins with the files that run longest, so that no core waits for one of them at the end. The others by their size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`));
  return place < 0 ? LONGEST.length : place;
}
