import type { Document } from '../document/document.ts';
import { invalidConditions } from '../expressions/problems.ts';
import { quote } from '../import/report.ts';
import { changeError } from './change-error.ts';

/**
 * Rejects conditions that cannot be evaluated, since their content would be hidden from everybody; but not those that the
 * previous document already had.
 * @throws DomainError
 */
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
