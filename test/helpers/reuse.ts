import type pg from 'pg';

/** A database larger than this, in bytes, is not reused, because its tables would be slow to read. */
const MAX_SIZE = 64 * 2 ** 20;

/**
 * Prepares the template database, so that each copy can be reset. From then on, triggers record which tables statements
 * change, even if they run as a replica, without ordinary triggers; and whether the schema was changed.
 */
export async function makeReusable(template: pg.Client): Promise<void> {
  for (const statement of SET_UP) await template.query(statement);
}

/** Restores all rows of a database that nobody else uses any more. Returns false if it cannot be reused. */
export async function resetDatabase(database: pg.Client): Promise<boolean> {
  // End the connections that a test left open, and their statements.
  await database.query(`
    select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);
  return restoreRows(database);
}

/** Does the same if all connections of the database are idle, and keeps them. */
export async function resetIdleDatabase(database: pg.Client): Promise<boolean> {
  const { rows } = await database.query<{ busy: boolean }>(`
    select exists (
      select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and state <> 'idle'
    ) as busy`);
  return rows[0]?.busy === false && restoreRows(database);
}

async function restoreRows(database: pg.Client): Promise<boolean> {
  const { rows } = await database.query<{ reusable: boolean }>(
    'select pg_database_size(current_database()) < $1 and reuse.reset() as reusable',
    [MAX_SIZE],
  );
  return rows[0]?.reusable === true;
}

const SET_UP = [
  'create schema reuse',
  // One row per statement, so that transactions do not wait for each other. Null means that the schema was changed.
  'create table reuse.change (relation regclass)',
  `create function reuse.note() returns trigger language plpgsql as $$
  begin
    insert into reuse.change values (tg_relid);
    return null;
  end $$`,
  `do $$
  declare
    source regclass;
  begin
    for source in
      select oid from pg_class where relkind = 'r' and relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
    loop
      execute format('create table reuse.%I as table %s', source::oid, source);
      execute format(
        'create trigger reuse after insert or update or delete or truncate on %s
         for each statement execute function reuse.note()', source);
      execute format('alter table %s enable always trigger reuse', source);
    end loop;
  end $$`,
  'create table reuse.sequence (name regclass, last_value bigint, is_called boolean)',
  `do $$
  declare
    source regclass;
  begin
    for source in select oid from pg_class where relkind = 'S' loop
      execute format('insert into reuse.sequence select %L, last_value, is_called from %s', source, source);
    end loop;
  end $$`,
  `create function reuse.reset() returns boolean language plpgsql as $$
  declare
    changed regclass[] := array(select distinct relation from reuse.change);
    source regclass;
  begin
    if array_position(changed, null) is not null then
      return false;
    end if;
    -- Run as a replica, so that foreign keys are not checked.
    perform set_config('session_replication_role', 'replica', true);
    foreach source in array changed loop
      execute format('delete from %s', source);
      execute format('insert into %s table reuse.%I', source, source::oid);
    end loop;
    perform setval(name, last_value, is_called) from reuse.sequence;
    delete from reuse.change;
    return true;
  end $$`,
  `create function reuse.note_schema() returns event_trigger language plpgsql as $$
  begin
    insert into reuse.change values (null);
  end $$`,
  'create event trigger reuse on ddl_command_end execute function reuse.note_schema()',
  'alter event trigger reuse enable always',
];
