import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';

/** How many collections may lie in each other: each row below keeps the ids of all that are above it. */
const MAX_LEVELS = 32;

/** The level of what lies in a collection; 1 at the root. */
const levelIn = (parent: { ancestors: readonly string[] } | null): number =>
  parent ? parent.ancestors.length + 2 : 1;

/** @throws DomainError `invalid` if a new collection may not be created in this one */
export function requireRoomIn(parent: { ancestors: readonly string[] } | null): void {
  if (levelIn(parent) > MAX_LEVELS) throw tooDeep();
}

/**
 * Checks that a collection, with the collections in it, may be moved into another one. What already lies deeper than
 * new collections may can still be moved, but not further down.
 * @throws DomainError `invalid` if it may not
 */
export async function requireRoomFor(
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
  if (deepest + 1 + added > MAX_LEVELS) throw tooDeep();
}

const tooDeep = () =>
  new DomainError('invalid', `Collections can be nested at most ${MAX_LEVELS} levels deep.`, [
    { path: 'parent', message: `must leave room for at most ${MAX_LEVELS} levels` },
  ]);
