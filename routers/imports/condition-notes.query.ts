import type { Db } from '../base/db.ts';
import { findUnknownClaims } from '../conditions/site-claims.query.ts';
import { claimsIn } from '../engine/expressions/conditions.ts';
import type { PlannedPage } from '../engine/import/plan.ts';
import type { ImportNote } from '../engine/import/report.ts';

/** A note for each imported page whose condition names a claim that no site can know about the readers of the space. */
export async function readConditionNotes(
  db: Db,
  space: string,
  pages: readonly Pick<PlannedPage, 'condition' | 'git'>[],
): Promise<ImportNote[]> {
  const conditions = pages.flatMap(({ condition, git }) =>
    condition && git ? [{ file: git.path, claims: claimsIn(condition) }] : [],
  );
  const named = conditions.flatMap(({ claims }) => claims);
  const unknown = new Set(await findUnknownClaims(db, space, named));
  return conditions.flatMap(({ file, claims }): ImportNote[] => {
    const claim = claims.find((name) => unknown.has(name));
    if (claim === undefined) return [];
    const message = `The condition of the page names the claim ${claim}, which no adaptive schema of a site that shows the space has; it is evaluated as if no visitor had it.`;
    return [{ file, severity: 'warning', message }];
  });
}
