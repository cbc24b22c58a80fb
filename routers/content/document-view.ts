import { claimsAsInput, NO_CLAIMS } from '../engine/expressions/claims.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import type { PageRecord } from '../engine/store/records.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import type { DocumentView } from '../engine/tasks/tasks.ts';

/** The content that documents are read from, and the reader. */
interface ReadContent {
  snapshot: Snapshot;
  /** For a visitor; undefined for members. */
  conditions?: ConditionEvaluator | undefined;
}

export interface Evaluated {
  evaluated: boolean | 'deterministic-only';
}

/**
 * A document as stored, or with its variables and conditions evaluated for a reader without claims. For visitors, all of it
 * is always evaluated with their claims: it may contain what they must not see.
 */
export function documentViewFor(
  { snapshot, conditions }: ReadContent,
  document: string,
  page: PageRecord | undefined,
  { evaluated }: Evaluated,
): DocumentView {
  // guard: documents-evaluated
  if (!conditions && evaluated === false) return { document };
  const inputs = {
    space: { vars: snapshot.variables },
    page: { vars: page?.variables ?? {} },
    visitor: { claims: claimsAsInput(conditions?.claims ?? NO_CLAIMS) },
    now: new Date().toISOString(),
  };
  return {
    document,
    // guard: documents-evaluated-whole
    evaluation: { inputs, which: conditions || evaluated === true ? 'all' : 'deterministic' },
  };
}
