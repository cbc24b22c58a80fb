import type { Db } from '../base/db.ts';
import { findUnknownClaims } from '../conditions/site-claims.query.ts';
import { changeError } from '../engine/edit/change-error.ts';
import type { EditChange } from '../engine/edit/changes.ts';
import { claimsIn } from '../engine/expressions/conditions.ts';

/**
 * Refuses changes that give a page a condition on a claim that no site can know about the readers of the space. Conditions
 * that come with a merge, a revert or an import are not checked, nor again when a schema changes: they are evaluated as if
 * no visitor had the claim.
 * @throws DomainError `invalid` naming the first such change, its page and the claim
 */
export async function requireKnownClaims(
  db: Db,
  space: string,
  changes: readonly EditChange[],
): Promise<void> {
  const conditions = changes.flatMap((change, index) => {
    if (change.operation !== 'insert_page' && change.operation !== 'update_page') return [];
    const page = change.operation === 'insert_page' ? `"${change.title}"` : change.page;
    return change.condition ? [{ index, page, claims: claimsIn(change.condition) }] : [];
  });
  const named = conditions.flatMap(({ claims }) => claims);
  const unknown = new Set(await findUnknownClaims(db, space, named));
  for (const { index, page, claims } of conditions) {
    const claim = claims.find((name) => unknown.has(name));
    if (claim !== undefined)
      throw changeError(
        'invalid',
        `changes.${index}.condition`,
        `The condition of the page ${page} names the claim ${claim}, which no adaptive schema of a site that shows the space has.`,
      );
  }
}
