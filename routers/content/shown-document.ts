import { claimsAsInput, NO_CLAIMS } from '../engine/expressions/claims.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import type { PageRecord } from '../engine/store/records.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import type { ShownDocument } from '../engine/tasks/tasks.ts';

/** What documents are read from, and for whom. */
interface Reading {
  snapshot: Snapshot;
  /** For a visitor; undefined for members. */
  conditions?: ConditionEvaluator | undefined;
}

export interface Evaluated {
  evaluated: boolean | 'deterministic-only';
}

/**
 * A document as stored, or with its variables and conditions evaluated for a reader without claims. Visitors always get
 * all of it evaluated for theirs: it may hold what is not for them.
 */
export function shownDocument(
  { snapshot, conditions }: Reading,
  document: string,
  page: PageRecord | undefined,
  { evaluated }: Evaluated,
): ShownDocument {
  if (!conditions && evaluated === false) return { document };
  const inputs = {
    space: { vars: snapshot.variables },
    page: { vars: page?.variables ?? {} },
    visitor: { claims: claimsAsInput(conditions?.claims ?? NO_CLAIMS) },
    now: new Date().toISOString(),
  };
  return {
    document,
    evaluation: { inputs, which: conditions || evaluated === true ? 'all' : 'deterministic' },
  };
}
