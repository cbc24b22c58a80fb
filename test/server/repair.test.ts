import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { expect, test } from 'vitest';
import { parseMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { ormConfig } from '../../schema/orm.config.ts';
import { readConfig } from '../../server/config.ts';
import { openDatabaseSource } from '../../server/database/database-source.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { silentLogger } from '../helpers/logger.ts';

/** A database of an older version, in which a test inserts rows of some tables without everything they refer to. */
async function openOlder(version: string) {
  const database = await createTestDatabase({ empty: true });
  const { connection } = await openDatabaseSource(readConfig({ DATABASE_URL: database.url }), {
    role: 'tool',
    logger: silentLogger,
  });
  const orm = await MikroORM.init(ormConfig(connection));
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await orm.migrator.up({ to: version });
  await client.query('set session_replication_role = replica');
  return {
    client,
    update: () => orm.migrator.up(),
    async close() {
      await client.end();
      await orm.close();
      await database.drop();
    },
  };
}

test('a migration removes what transfers of content and former members left behind', async () => {
  const { client, update, close } = await openOlder('Migration20261121140716');
  try {
    const rules = JSON.stringify({
      type: 'rules',
      rules: [
        { rule: 'allow_bypass', users: ['gone'] },
        { rule: 'require_specific_reviewers', users: ['gone'] },
        { rule: 'allow_bypass', users: ['gone', 'here'] },
      ],
    });
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
    await update();
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
    await close();
  }
});

test('a migration turns comments of reviews into comments of their change requests', async () => {
  const { client, update, close } = await openOlder('Migration20261121212732');
  try {
    await client.query(
      `insert into "user" (id, display_name, email, created_at) values ('user', 'User', 'user@example.com', now())`,
    );
    await client.query(
      `insert into organization (id, title, merge_rules, created_at)
       values ('organization', 'Organization', '{"type": "none"}', now())`,
    );
    await client.query(
      `insert into space (id, organization_id, title, emoji, visibility, merge_rules, position, revision_id, created_at, updated_at)
       values ('space', 'organization', 'Space', '', 'private', '{"type": "none"}', 'V', 'revision', now(), now())`,
    );
    await client.query(
      `insert into revision (id, space_id, root, type, created_at) values ('revision', 'space', '', 'edits', now())`,
    );
    await client.query(
      `insert into change_request (id, space_id, number, status, subject, revision_id, revision_initial_id, created_at, updated_at)
       values ('request', 'space', 1, 'open', '', 'revision', 'revision', now(), now())`,
    );
    const document = parseMarkdown('Not **yet**.\n\n* One\n* Two\n');
    await client.query(
      `insert into review (id, change_request_id, reviewer_id, status, comment, revision_id, created_at)
       values ('review', 'request', 'user', 'approved', $1, 'revision', '2026-01-01'),
         ('silent', 'request', 'user', 'approved', null, 'revision', now())`,
      [JSON.stringify(document)],
    );
    await update();
    const { rows } = await client.query('select * from comment');
    expect(rows).toMatchObject([
      {
        id: 'review',
        space_id: 'space',
        change_request_id: 'request',
        status: 'open',
        posted_by_id: 'user',
        document,
        markdown: 'Not yet.\n\nOneTwo',
        revision_id: 'revision',
        review_id: 'review',
        created_at: new Date('2026-01-01T00:00:00Z'),
      },
    ]);
    const counted = await client.query('select comments from change_request');
    expect(counted.rows).toEqual([{ comments: 1 }]);
  } finally {
    await close();
  }
});

test('a migration keeps the links of invites that were mailed, and sends those that wait', async () => {
  const { client, update, close } = await openOlder('Migration20261123053208');
  try {
    await client.query(
      `insert into one_time_token (hash, purpose, data, created_at, expires_at)
       values ('mailed', 'invitation', '{"invite": "one"}', now(), now() + interval '1 day')`,
    );
    await client.query(`create schema pgboss`);
    await client.query(`create type pgboss.job_state as enum ('created', 'retry', 'active', 'completed')`);
    await client.query(`create table pgboss.job (name text, state pgboss.job_state, data jsonb)`);
    await client.query(
      `insert into pgboss.job values
         ('send-mail', 'retry', '{"kind": "invitation", "invite": "two"}'),
         ('send-mail', 'created', '{"kind": "email-verification", "user": "user"}')`,
    );
    await update();
    expect((await client.query('select purpose, data from one_time_token')).rows).toEqual([
      { purpose: 'invite', data: { invite: 'one' } },
    ]);
    expect((await client.query('select data from pgboss.job')).rows.map(({ data }) => data)).toEqual(
      expect.arrayContaining([
        { kind: 'invite', invite: 'two' },
        { kind: 'email-verification', user: 'user' },
      ]),
    );
  } finally {
    await close();
  }
});
