import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../context.ts';
import { positionBetween, positionsBetween } from '../engine/ordering.ts';

/** A parent of siblings: a collection, or the root of the organization if `parent` is null. */
export interface Place {
  organization: string;
  parent: string | null;
}

/** The sort key of the spaces and collections in one place; the id breaks ties. */
export interface Placed {
  id: string;
  position: string;
}

/** Next to which child of the place. */
export interface Anchor {
  side: 'before' | 'after';
  child: Placed;
}

/** A position at the end of a place. */
export async function positionAtEnd(db: Db, place: Place): Promise<string> {
  const last = await neighbour(db, place, 'before');
  return positionBetween(last?.position ?? null, null) as string;
}

/**
 * A position next to a child of a place, or by default at its end.
 * @param moving the child to move, if it is already in this place
 * @returns undefined if `moving` is already there.
 */
export async function positionIn(
  db: Db,
  place: Place,
  anchor: Anchor | undefined,
  moving?: Placed,
): Promise<string | undefined> {
  const [before, after] = await gap(db, place, anchor, moving?.id);
  if (moving && (!before || precedes(before, moving)) && (!after || precedes(moving, after)))
    return undefined;
  const position = positionBetween(before?.position ?? null, after?.position ?? null);
  if (position !== undefined || !anchor) return position;
  const { side, child } = anchor;
  const spread = await spreadOut(db, place);
  return positionIn(db, place, { side, child: { id: child.id, position: spread.get(child.id) as string } });
}

/** Whether one child comes before another one in their place. */
export const precedes = (one: Placed, other: Placed): boolean =>
  one.position < other.position || (one.position === other.position && one.id < other.id);

/** The children on both sides of the position next to an anchor. */
async function gap(
  db: Db,
  place: Place,
  anchor: Anchor | undefined,
  except?: string,
): Promise<[before: Placed | undefined, after: Placed | undefined]> {
  if (!anchor) return [await neighbour(db, place, 'before', undefined, except), undefined];
  const { side, child } = anchor;
  const other = await neighbour(db, place, side, child, except);
  return side === 'before' ? [other, child] : [child, other];
}

/** The neighbour of a child on one side; without a child, the one at that end. */
async function neighbour(
  db: Db,
  place: Place,
  side: 'before' | 'after',
  child?: Placed,
  except = '',
): Promise<Placed | undefined> {
  const order = side === 'before' ? sql`position desc, id desc` : sql`position, id`;
  const key = child && sql`(${child.position}, ${child.id})`;
  const beyond =
    key === undefined
      ? sql`true`
      : side === 'before'
        ? sql`(position, id) < ${key}`
        : sql`(position, id) > ${key}`;
  const nearest = (table: RawBuilder<unknown>) =>
    sql`(${table} and ${beyond} and id <> ${except} order by ${order} limit 1)`;
  const { rows } = await sql<Placed>`
    ${nearest(spacesIn(place))} union all ${nearest(collectionsIn(place))} order by ${order} limit 1`.execute(
    db,
  );
  return rows[0];
}

/** Gives all children of a place new positions in their current order, needed when two share one. */
async function spreadOut(db: Db, place: Place): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string }>`
    ${spacesIn(place)} union all ${collectionsIn(place)} order by position, id`.execute(db);
  const ids = rows.map((row) => row.id);
  const positions = positionsBetween(null, null, ids.length) as string[];
  for (const table of ['space', 'collection'] as const) {
    await sql`
      update ${sql.table(table)} set position = spread.position
      from unnest(${ids}::text[], ${positions}::text[]) as spread (id, position)
      where ${sql.ref(`${table}.id`)} = spread.id`.execute(db);
  }
  return new Map(ids.map((id, i) => [id, positions[i] as string]));
}

const inPlace = ({ organization, parent }: Place) =>
  sql`organization_id = ${organization} and ${parent === null ? sql`parent_id is null` : sql`parent_id = ${parent}`}`;

const spacesIn = (place: Place) =>
  sql`select id, position from space where ${inPlace(place)} and deleted_at is null`;

const collectionsIn = (place: Place) => sql`select id, position from collection where ${inPlace(place)}`;
