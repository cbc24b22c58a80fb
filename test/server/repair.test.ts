import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { expect, test } from 'vitest';
import { ormConfig } from '../../schema/orm.config.ts';
import { readConfig } from '../../server/config.ts';
import { openDatabaseSource } from '../../server/database-source.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { silentLogger } from '../helpers/logger.ts';

test('a migration removes what transfers and departures left behind', async () => {
  const database = await createTestDatabase({ empty: true });
  const { connection } = await openDatabaseSource(readConfig({ DATABASE_URL: database.url }), {
    role: 'tool',
    logger: silentLogger,
  });
  const config = ormConfig(connection);
  // Later migrations must not start from a half-migrated database.
  const migrations = { ...config.migrations, snapshotOnMigrate: false };
  const orm = await MikroORM.init({ ...config, migrations });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await orm.migrator.up({ to: 'Migration20261121140716' });
    const rules = JSON.stringify({
      type: 'rules',
      rules: [
        { rule: 'allow_bypass', users: ['gone'] },
        { rule: 'require_specific_reviewers', users: ['gone'] },
        { rule: 'allow_bypass', users: ['gone', 'here'] },
      ],
    });
    // Rows of the affected tables, without those that they refer to.
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into organization (id, title, merge_rules, created_at)
       values ('old', 'Old', '{"type": "none"}', now()), ('new', 'New', $1, now())`,
      [rules],
    );
    await client.query(
      `insert into member (organization_id, user_id, joined_at) values ('new', 'here', now())`,
    );
    await client.query(
      `insert into space (id, organization_id, title, emoji, visibility, merge_rules, position, revision_id, created_at, updated_at)
       values ('space', 'new', 'Space', '', 'private', $1, 'V', 'revision', now(), now())`,
      [rules],
    );
    await client.query(
      `insert into change_request (id, organization_id, space_id, number, status, subject, revision_id, revision_initial_id, created_at, updated_at)
       values ('request', 'old', 'space', 1, 'open', '', 'revision', 'revision', now(), now())`,
    );
    await client.query(
      `insert into requested_reviewer (change_request_id, user_id, revision_id, created_at)
       values ('request', 'gone', 'revision', now()), ('request', 'here', 'revision', now())`,
    );
    await orm.migrator.up();
    const asked = await client.query('select user_id from requested_reviewer');
    expect(asked.rows).toEqual([{ user_id: 'here' }]);
    const kept = [
      { rule: 'require_specific_reviewers', users: ['gone'] },
      { rule: 'allow_bypass', users: ['here'] },
    ];
    for (const [table, id] of [
      ['space', 'space'],
      ['organization', 'new'],
    ]) {
      const { rows } = await client.query(`select merge_rules from ${table} where id = $1`, [id]);
      expect(rows).toEqual([{ merge_rules: { type: 'rules', rules: kept } }]);
    }
  } finally {
    await client.end();
    await orm.close();
    await database.drop();
  }
});
