import { deflateRawSync } from 'node:zlib';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { parse } from 'pg-connection-string';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, ormConfig } from '../../schema/orm.config.ts';
import { readConfig } from '../../server/config.ts';
import { openConfiguredDatabase } from '../../server/runtime.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { silentLogger } from '../helpers/logger.ts';

const MIGRATION = 'Migration20261129093631';
/** Several batches. */
const DOCUMENTS = 450;
const ORGANIZATIONS = ['one', 'two'];

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function migrate(migrateTo?: string): Promise<void> {
  const connection = parse(database.url) as unknown as Connection;
  const config = readConfig({ DATABASE_URL: database.url });
  await (
    await openConfiguredDatabase(config, connection, { role: 'tool', logger: silentLogger, migrateTo })
  ).close();
}

async function undo(): Promise<void> {
  const orm = await MikroORM.init(ormConfig(parse(database.url) as unknown as Connection));
  await orm.migrator.down({ migrations: [MIGRATION] });
  await orm.close();
}

const textOf = (organization: string, number: number) =>
  JSON.stringify([{ title: `${organization} ${number}`, text: 'é \0 \ud800 "quoted"' }]);

test('texts that an earlier version has compressed are kept', async () => {
  await migrate('Migration20261128054756');
  for (const organization of ORGANIZATIONS) {
    await client.query(
      `insert into organization (id, title, merge_rules, created_at) values ($1, 'Title', '{}', now())`,
      [organization],
    );
    for (let number = 1; number <= DOCUMENTS; number++)
      await client.query(
        `insert into search_document (organization_id, number, key, part, conditions, includes, body)
         values ($1, $2, $3, 0, '{}', '{}', $4)`,
        [organization, number, `key ${number}`, deflateRawSync(textOf(organization, number))],
      );
  }
  const expected = ORGANIZATIONS.flatMap((organization) =>
    Array.from({ length: DOCUMENTS }, (_, at) => textOf(organization, at + 1)),
  );
  const texts = async () =>
    (await client.query('select text from search_document order by organization_id, number')).rows.map(
      ({ text }) => text,
    );
  await migrate();
  expect(await texts()).toEqual(expected);
  await undo();
  await migrate();
  expect(await texts()).toEqual(expected);
});
