import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';
import { positionBetween, positionsBetween } from '../engine/ordering.ts';

/**
 * The children of one parent, which share one order: for each table, the condition that selects them. Each table has a
 * column `id`, a bytewise column `position`, and an index on the columns of the condition followed by these two. The
 * caller holds a lock on the owner of the parent, so that no two writers put something into the same gap.
 */
export type Siblings = Readonly<Record<string, RawBuilder<unknown>>>;

/** The sort key of siblings; the id breaks ties. */
export interface Positioned {
  id: string;
  position: string;
}

/** The sibling to place an item next to, and the side. */
export interface Anchor<Child extends Positioned = Positioned> {
  side: 'before' | 'after';
  child: Child;
}

/**
 * Maximum length of a new position. Positions grow with each move into the rest of a gap, and an index entry holds at
 * most about 2,700 bytes.
 */
const MAX_POSITION_LENGTH = 200;

/** A position after all siblings. */
export async function positionAtEnd(db: Db, siblings: Siblings): Promise<string> {
  const last = await neighbor(db, siblings, 'before');
  return positionBetween(last?.position ?? null, null) as string;
}

/**
 * A position next to one of the siblings, or by default at their end.
 * @param moving the sibling to move, if it is already one of them
 * @returns undefined if `moving` is already in this position.
 */
export async function positionIn(
  db: Db,
  siblings: Siblings,
  anchor: Anchor | undefined,
  moving?: Positioned,
): Promise<string | undefined> {
  const [before, after] = await findGap(db, siblings, anchor, moving?.id);
  if (moving && (!before || precedes(before, moving)) && (!after || precedes(moving, after)))
    return undefined;
  const position = positionBetween(before?.position ?? null, after?.position ?? null);
  if (!anchor || (position !== undefined && position.length <= MAX_POSITION_LENGTH)) return position;
  return positionIn(db, siblings, await rebalanceAround(db, siblings, anchor));
}

/** Positions for a number of new children next to one of the siblings, or by default at their end, in their order. */
export async function positionsIn(
  db: Db,
  siblings: Siblings,
  anchor: Anchor | undefined,
  count: number,
): Promise<string[]> {
  const [before, after] = await findGap(db, siblings, anchor);
  const positions = positionsBetween(before?.position ?? null, after?.position ?? null, count);
  if (positions && (!anchor || positions.every((position) => position.length <= MAX_POSITION_LENGTH)))
    return positions;
  return positionsIn(db, siblings, await rebalanceAround(db, siblings, anchor as Anchor), count);
}

/** Whether one sibling comes before another one. */
const precedes = (one: Positioned, other: Positioned): boolean =>
  one.position < other.position || (one.position === other.position && one.id < other.id);

/**
 * The anchor for an item that moves between two siblings: the later one, if both are given; undefined if neither is.
 * @throws DomainError `invalid` unless `after` comes before `before`
 */
export function anchorBetween<Child extends Positioned>(
  after: Child | undefined,
  before: Child | undefined,
): Anchor<Child> | undefined {
  if (after && before && !precedes(after, before))
    throw new DomainError('invalid', 'The position is contradictory: `after` must come before `before`.', [
      { path: 'position.after', message: 'must come before `before`' },
    ]);
  if (before) return { side: 'before', child: before };
  return after && { side: 'after', child: after };
}

export const alreadyInPosition = () => new DomainError('conflict', 'It is already in this position.');

/** The neighbors on both sides of the position next to an anchor. */
async function findGap(
  db: Db,
  siblings: Siblings,
  anchor: Anchor | undefined,
  except?: string,
): Promise<[before: Positioned | undefined, after: Positioned | undefined]> {
  if (!anchor) return [await neighbor(db, siblings, 'before', undefined, except), undefined];
  const { side, child } = anchor;
  const other = await neighbor(db, siblings, side, child, except);
  return side === 'before' ? [other, child] : [child, other];
}

/** The neighbor of a child on one side; without a child, the last one for `before`, the first one for `after`. */
async function neighbor(
  db: Db,
  siblings: Siblings,
  side: 'before' | 'after',
  child?: Positioned,
  except = '',
): Promise<Positioned | undefined> {
  const order = side === 'before' ? sql`position desc, id desc` : sql`position, id`;
  const key = child && sql`(${child.position}, ${child.id})`;
  const beyond =
    key === undefined
      ? sql`true`
      : side === 'before'
        ? sql`(position, id) < ${key}`
        : sql`(position, id) > ${key}`;
  const nearest = select(siblings).map(
    (children) => sql`(${children} and ${beyond} and id <> ${except} order by ${order} limit 1)`,
  );
  const { rows } = await sql<Positioned>`
    select id, position from (${sql.join(nearest, sql` union all `)}) as nearest
    order by ${order} limit 1`.execute(db);
  return rows[0];
}

/** Rebalances the siblings, and returns the anchor with its new position. */
async function rebalanceAround(db: Db, siblings: Siblings, { side, child }: Anchor): Promise<Anchor> {
  const spread = await rebalance(db, siblings);
  return { side, child: { id: child.id, position: spread.get(child.id) as string } };
}

/** Gives all siblings new, evenly spread positions in their current order. */
async function rebalance(db: Db, siblings: Siblings): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string }>`
    ${sql.join(select(siblings), sql` union all `)} order by position, id`.execute(db);
  const ids = rows.map((row) => row.id);
  const positions = positionsBetween(null, null, ids.length) as string[];
  for (const table of Object.keys(siblings)) {
    await sql`
      update ${sql.table(table)} set position = spread.position
      from unnest(${ids}::text[], ${positions}::text[]) as spread (id, position)
      where ${sql.ref(`${table}.id`)} = spread.id`.execute(db);
  }
  return new Map(ids.map((id, i) => [id, positions[i] as string]));
}

const select = (siblings: Siblings) =>
  Object.entries(siblings).map(
    ([table, condition]) => sql`select id, position from ${sql.table(table)} where ${condition}`,
  );
