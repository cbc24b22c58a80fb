import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import pg from 'pg';
import type { Db } from '../../routers/base/db.ts';
import type { Connection } from '../../schema/orm.config.ts';
import type { Database } from '../../schema/rows.ts';

/** The table of migrations, which creating the schema fills. */
const MIGRATIONS = 'migration';

/** A table of the installation. */
export interface Table {
  name: string;
  /** The columns that are not generated, sorted by name. */
  columns: string[];
  /** The COPY statements that export and import its rows. */
  copyOut: string;
  copyIn: string;
}

/** Opens a connection on which values are formatted alike on every server, and statements have no time limit. */
export async function connectForCopying(connection: Connection): Promise<pg.Client> {
  const client = new pg.Client({
    ...(connection as pg.ClientConfig),
    application_name: 'colophon backup',
    keepAlive: true,
  });
  // A connection that breaks fails at its statement.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`
    select set_config(name, value, false)
    from (values ('statement_timeout', '0'), ('lock_timeout', '0'), ('idle_in_transaction_session_timeout', '0'),
      ('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'), ('timezone', 'UTC'), ('bytea_output', 'hex'),
      ('extra_float_digits', '1'), ('xmlbinary', 'base64')) setting (name, value)`);
  return client;
}

/** The tables, sorted by name, without that of the migrations. */
export async function readTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select relname as name, columns, format('copy %I.%I (%s) to stdout', nspname, relname, list) as "copyOut",
       format('copy %I.%I (%s) from stdin', nspname, relname, list) as "copyIn"
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace
       cross join lateral (
         select array_agg(attname::text order by attname) as columns,
           string_agg(quote_ident(attname), ', ' order by attname) as list
         from pg_attribute
         where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
       ) attributes
     where nspname = current_schema() and relkind = 'r' and relname <> $1
     order by relname`,
    [MIGRATIONS],
  );
  return rows;
}

/** The names of the executed migrations, in their order. */
export async function readMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from migration order by name');
  return rows.map(({ name }) => name);
}

/** The values of the sequences, by name. */
export async function readSequences(client: pg.Client): Promise<Record<string, string | null>> {
  const { rows } = await client.query<{ name: string; value: string | null }>(
    'select sequencename as name, last_value as value from pg_sequences where schemaname = current_schema() order by 1',
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

export async function setSequences(client: pg.Client, values: Record<string, string | null>): Promise<void> {
  await client.query(
    `select setval(format('%I.%I', schemaname, sequencename)::regclass, value::bigint)
     from json_each_text($1) given (name, value)
       join pg_sequences on schemaname = current_schema() and sequencename = name
     where value is not null`,
    [JSON.stringify(values)],
  );
}

/** The name of a table that has rows, if there is one. */
export async function findTableWithRows(client: pg.Client): Promise<string | undefined> {
  const { rows: statements } = await client.query<{ text: string }>(
    `select string_agg(format('(select %L as name from %I.%I limit 1)', relname, nspname, relname), ' union all ') as text
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = current_schema() and relkind = 'r' and relname <> $1`,
    [MIGRATIONS],
  );
  const { rows } = await client.query<{ name: string }>(`${statements[0]?.text} limit 1`);
  return rows[0]?.name;
}

/**
 * Drops the foreign keys, so that tables can be filled in any order: some refer to each other in cycles, and checking all
 * rows at once is faster. Disabling the checks would require a superuser.
 * @returns the statements that add them again
 */
export async function dropForeignKeys(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ drop: string; add: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
       format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
     from pg_constraint
     where contype = 'f' and connamespace = current_schema()::regnamespace
     order by conrelid::regclass::text, conname`,
  );
  await client.query(rows.map(({ drop }) => drop).join(';'));
  return rows.map(({ add }) => add);
}

/** Runs Kysely statements in the transaction of a client. */
export function kyselyOn(client: pg.Client): Db {
  const pool = {
    connect: async () => ({ query: client.query.bind(client), release: () => undefined }),
    end: async () => undefined,
  };
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) });
}
