import type { Document } from '../document/document.ts';
import { failingConditions } from '../expressions/problems.ts';
import { quoted } from '../import/report.ts';
import { changeError } from './failures.ts';

/** Refuses a condition that cannot be evaluated, unless it was there before: what it holds would be shown to nobody. */
export function requireConditions(document: Document, previous: Document | undefined, path: string): void {
  const failing = failingConditions(document);
  if (failing.size === 0) return;
  const known = previous ? failingConditions(previous) : new Map();
  for (const [expression, problem] of failing)
    if (!known.has(expression))
      throw changeError(
        'invalid',
        path,
        `The condition ${quoted(expression)} cannot be evaluated. ${problem}`,
      );
}
