import type { Document } from '../document/document.ts';
import { invalidConditions } from '../expressions/problems.ts';
import { quote } from '../import/report.ts';
import { changeError } from './change-error.ts';

/** Refuses a condition that cannot be evaluated, unless it was there before: what it holds would be shown to nobody. */
export function validateConditions(document: Document, previous: Document | undefined, path: string): void {
  const failing = invalidConditions(document);
  if (failing.size === 0) return;
  const known = previous ? invalidConditions(previous) : new Map();
  for (const [expression, problem] of failing)
    if (!known.has(expression))
      throw changeError(
        'invalid',
        path,
        `The condition ${quote(expression)} cannot be evaluated. ${problem}`,
      );
}
