import type pg from 'pg';
import { changeTables } from './filled/changes.ts';
import { contentTables } from './filled/content.ts';
import { conversationTables } from './filled/conversations.ts';
import { eventTables } from './filled/events.ts';
import { peopleTables } from './filled/people.ts';
import { siteTables } from './filled/sites.ts';
import { type FilledTable, valuesOf } from './filled/values.ts';
import type { World } from './world.ts';

/** Number of rows that each table with lists is filled with. */
export const ROWS = 20_000;

/** Selects the indexes that do not belong to constraints. */
const DROPPABLE = `
  select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
  from pg_index join pg_class on pg_class.oid = indrelid
  where relnamespace = 'public'::regnamespace
    and not exists (select from pg_constraint where conindid = indexrelid)`;

/** The tables that lists read, with rows of which a small part belongs to the world. */
function filledTables(world: World): FilledTable[] {
  const values = valuesOf(world);
  return [
    ...peopleTables(values),
    ...contentTables(values),
    ...siteTables(values),
    ...conversationTables(values),
    ...changeTables(values),
    ...eventTables(values),
  ];
}

/**
 * Fills each table that lists read, so that every list of the world is long, but only a small part of its table. Foreign keys
 * are not checked: some rows refer to objects that do not exist.
 */
export async function fillWorld(connection: pg.Client, world: World): Promise<void> {
  await connection.query('set session_replication_role = replica');
  await connection.query('set maintenance_work_mem = $$256MB$$');
  const { rows: indexes } = await connection.query<{ name: string; definition: string }>(DROPPABLE);
  for (const { name } of indexes) await connection.query(`drop index ${name}`);
  for (const [table, columns, rows = ROWS] of filledTables(world)) {
    const names = Object.keys(columns).join(', ');
    const values = Object.values(columns).join(', ');
    await connection.query(
      `insert into "${table}" (${names}) select ${values} from generate_series(1, ${rows}) i`,
    );
  }
  // Creating indexes afterwards takes a third of the time.
  for (const { definition } of indexes) await connection.query(definition);
  await connection.query('reset session_replication_role');
  // Like autovacuum, so that the planner knows the size of tables, and that all their rows are visible.
  await connection.query('vacuum analyze');
}
