import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';

/** How deep collections can be nested: each row stores the ids of all collections above it. */
const MAX_LEVELS = 32;

/** The level of the contents of a collection; 1 at the root. */
const levelIn = (parent: { ancestors: readonly string[] } | null): number =>
  parent ? parent.ancestors.length + 2 : 1;

/** @throws DomainError `invalid` if a new collection in `parent` would be nested too deep */
export function requireDepthForNew(parent: { ancestors: readonly string[] } | null): void {
  // guard: collection-depth
  if (levelIn(parent) > MAX_LEVELS) throw tooDeep();
}

/**
 * Checks that a collection and those in it would not be nested too deep after a move. Collections that already are too deep
 * can still be moved, but not further down.
 * @throws DomainError `invalid` if they would be
 */
export async function requireDepthForMove(
  db: Db,
  moving: { id: string; ancestors: readonly string[] },
  parent: { ancestors: readonly string[] } | null,
): Promise<void> {
  const added = levelIn(parent) - (moving.ancestors.length + 1);
  if (added <= 0) return;
  const { rows } = await sql<{ deepest: number | null }>`
    select max(cardinality(ancestors)) as deepest from collection where ancestors @> array[${moving.id}]`.execute(
    db,
  );
  const deepest = rows[0]?.deepest ?? moving.ancestors.length;
  // guard: collection-move-depth
  if (deepest + 1 + added > MAX_LEVELS) throw tooDeep();
}

const tooDeep = () =>
  new DomainError('invalid', `Collections can be nested at most ${MAX_LEVELS} levels deep.`, [
    { path: 'parent', message: `must leave at most ${MAX_LEVELS} levels` },
  ]);
