import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../context.ts';
import { positionBetween, positionsBetween } from '../engine/ordering.ts';

/** Where things are arranged: in a collection, or at the root of the organization where `parent` is null. */
export interface Place {
  organization: string;
  parent: string | null;
}

/** What decides the order of the spaces and collections in one place; the id where positions are equal. */
export interface Placed {
  id: string;
  position: string;
}

/** Next to which child of the place. */
export interface Anchor {
  side: 'before' | 'after';
  child: Placed;
}

/** A position behind everything in a place. */
export async function positionAtEnd(db: Db, place: Place): Promise<string> {
  const last = await neighbour(db, place, 'before');
  return positionBetween(last?.position ?? null, null) as string;
}

/**
 * A position next to a child of a place, or at its end without one.
 * @param moving what already lies in this place and is to go there
 * @returns undefined where `moving` is there already.
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

/** The children between which the place next to an anchor lies. */
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

/** The child next to another one on one side; without another, the one at that end. */
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

/** Gives all children of a place new positions in their present order, as it takes where two share one. */
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
