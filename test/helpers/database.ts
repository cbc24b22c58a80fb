import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { TEMPLATE } from './cluster.ts';

/** A database of one test file, in the cluster of the whole run. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** Creates a database that has been migrated, or an empty one. */
export async function createTestDatabase({ empty = false, encoding = '' } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const other = `encoding '${encoding}' locale_provider builtin builtin_locale 'C' locale 'C' template template0`;
  const source = empty ? encoding && other : `template ${TEMPLATE} strategy file_copy`;
  await administer(`create database ${name} ${source}`);
  const url = new URL(inject('clusterUrl'));
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(`drop database ${name} with (force)`) };
}

async function administer(statement: string): Promise<void> {
  const connection = new pg.Client({ connectionString: inject('clusterUrl') });
  await connection.connect();
  await connection.query(statement);
  await connection.end();
}
