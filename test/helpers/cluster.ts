import { chmod, rm } from 'node:fs/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { ormConfig } from '../../schema/orm.config.ts';
import { readConfig } from '../../server/config.ts';
import { openEmbeddedDatabase } from '../../server/embedded-postgres/index.ts';
import { openRuntime } from '../../server/runtime.ts';
import { makeFolder } from './folders.ts';
import { silentLogger } from './logger.ts';
import { makeReusable } from './reuse.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the cluster's maintenance database; the name of another database replaces the path. */
    clusterUrl: string;
  }
}

/** The migrated database from which the database of each test file is cloned. */
export const TEMPLATE_DATABASE = 'colophon_template';

/** The table of the maintenance database with the names of databases that are not in use. */
export const IDLE_DATABASES = 'idle_database';

/** Starts one real PostgreSQL server for the whole run, and migrates the template. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await requireMigrations();
  const dataDir = await makeFolder('test');
  // As root the server runs as another user, who must be able to reach it.
  await chmod(dataDir, 0o755);
  const embedded = await openEmbeddedDatabase({
    dataDir,
    role: 'tool',
    logger: silentLogger,
    durable: false,
  });
  const { host, port, user, password, database } = embedded.connection;
  const url = (name: string) =>
    `postgresql://${user}:${encodeURIComponent(password)}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`;
  const client = new pg.Client({ connectionString: url(database) });
  await client.connect();
  await client.query(`create database ${TEMPLATE_DATABASE}`);
  await client.query(`create table ${IDLE_DATABASES} (name text primary key)`);
  await client.end();
  const runtime = await openRuntime(
    { ...readConfig({ DATABASE_URL: url(TEMPLATE_DATABASE), DATA_DIR: dataDir }) },
    { role: 'service', logger: silentLogger },
  );
  await runtime.close();
  const template = new pg.Client({ connectionString: url(TEMPLATE_DATABASE) });
  await template.connect();
  await makeReusable(template);
  await template.end();
  project.provide('clusterUrl', url(database));
  return async () => {
    await embedded.close();
    await rm(dataDir, { recursive: true, force: true });
  };
}

/** Explains what to do instead of letting every test of the changed entities fail. */
async function requireMigrations(): Promise<void> {
  const orm = await MikroORM.init(ormConfig({ host: '', database: 'none' }));
  try {
    if (await orm.migrator.checkSchema())
      throw new Error('schema/entities has changed without a migration. Run: npm run migration');
  } finally {
    await orm.close();
  }
}
