import { sql } from 'kysely';
import type { TestService } from './service.ts';

/** A snapshot of the rows of a database, which a test can restore instead of creating them again. */
export interface Snapshot {
  /**
   * Restores every table.
   * @returns the tables that had changed, ignoring when tokens were last used and members last seen
   */
  restore(): Promise<string[]>;
}

/**
 * Takes a snapshot of all tables and job queues. From then on, triggers record which tables change, so that only these
 * have to be restored.
 */
export async function takeSnapshot({ runtime }: TestService): Promise<Snapshot> {
  const { db } = runtime.database;
  await db.transaction().execute(async (transaction) => {
    for (const statement of SET_UP) await statement.execute(transaction);
  });
  return {
    async restore() {
      const { rows } = await sql<{ name: string }>`select snapshot.restore() as name order by 1`.execute(db);
      return rows.map(({ name }) => name);
    },
  };
}

/**
 * Tables whose rows are derived from their keys. Rows are only ever added to them, and running processes remember what
 * they have added, so new rows are kept.
 */
const DERIVED = ['content_object', 'document_link', 'openapi_spec_page', 'api_outline'];

const SET_UP = [
  sql`create schema snapshot`,
  sql`create table snapshot.change (relation regclass)`,
  sql`
    create function snapshot.note() returns trigger language plpgsql as $$
    begin
      insert into snapshot.change values (tg_relid);
      return null;
    end $$`,
  // Jobs are stored in the partition of their queue. The queues' other tables change by themselves.
  sql`
    do $$
    declare
      source regclass;
    begin
      for source in
        select oid from pg_class
        where relkind = 'r' and relnamespace = current_schema()::regnamespace
        union select relid from pg_partition_tree('pgboss.job') where isleaf
      loop
        execute format('create table snapshot.%I as table %s', source::oid, source);
        execute format(
          'create trigger note after insert or delete on %s for each row execute function snapshot.note()', source);
        execute format(
          'create trigger note_update after update on %s for each row
           when (to_jsonb(old) - ''{last_used_at,last_seen_at}''::text[]
             is distinct from to_jsonb(new) - ''{last_used_at,last_seen_at}''::text[])
           execute function snapshot.note()', source);
      end loop;
    end $$`,
  // Run as a replica, so that neither foreign keys nor the triggers above apply.
  sql`
    create function snapshot.restore() returns setof text language plpgsql as $$
    declare
      changed regclass[] := array(select distinct relation from snapshot.change);
      source regclass;
    begin
      if changed <> '{}' then
        perform set_config('session_replication_role', 'replica', true);
        foreach source in array changed loop
          if source::text <> all (${sql.lit(`{${DERIVED}}`)}) then
            execute format('delete from %s', source);
            execute format('insert into %s table snapshot.%I', source, source::oid);
          end if;
          return next source::text;
        end loop;
        delete from snapshot.change;
      end if;
    end $$`,
];
