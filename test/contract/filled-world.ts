import type pg from 'pg';
import type { World } from './world.ts';

/** Number of rows that each table with lists is filled with. */
export const ROWS = 20_000;

/** A string literal in SQL. */
const literal = (value: string | undefined): string => `'${String(value).replaceAll("'", "''")}'`;

/** The SQL of a row's id, from its number and a letter for its table; greater than all ids in the world. */
const id = (letter: string, number = 'i'): string => `'z${letter}' || lpad((${number})::text, 18, '0')`;

/** The SQL of a parent id: one row in ten belongs to the world, the others to many other objects. */
const own = (ours: string, theirs: string, rest = 0): string =>
  `case when i % 10 = ${rest} then ${ours} else ${theirs} end`;

/** Selects the indexes that do not belong to constraints. */
const DROPPABLE = `
  select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
  from pg_index join pg_class on pg_class.oid = indrelid
  where relnamespace = 'public'::regnamespace
    and not exists (select from pg_constraint where conindid = indexrelid)`;

type Columns = Record<string, string>;

/**
 * Fills each table that lists read, so that every list of the world is long, but only a small part of its table. Foreign keys
 * are not checked: some rows refer to objects that do not exist.
 */
export async function fillWorld(connection: pg.Client, { ids, owner }: World): Promise<void> {
  const organization = literal(ids.organizationId);
  const inOrganization = own(organization, id('o', 'i % 1000'));
  const [space, user, caller] = [literal(ids.spaceId), literal(ids.userId), literal(owner.id)];
  const [site, team, collection] = [literal(ids.siteId), literal(ids.teamId), literal(ids.collectionId)];
  const revision = literal(ids.revisionId);
  const request = literal(ids.changeRequestId);
  const anyUser = id('u');
  const rareUser = (every: number) => `case when i % ${every} in (0, 1) then ${user} else ${anyUser} end`;
  const at = "now() - interval '1 day' - i * interval '1 second'";
  const created = { created_at: at };
  const changed = { ...created, updated_at: at };
  // In the collection of the world, with values of maximum length.
  const position = "rpad('V' || lpad(i::text, 8, '0'), case when i % 100 = 0 then 200 else 10 end, '1')";
  const place = { organization_id: inOrganization, title: "'Number ' || i", position, ...changed };

  const tables: [table: string, columns: Columns, rows?: number][] = [
    ['organization', { id: id('o'), title: "'Organization'", merge_rules: `'{"type":"none"}'`, ...created }],
    ['user', { id: anyUser, display_name: "'Person'", email: "'filled' || i || '@example.org'", ...created }],
    [
      'member',
      {
        organization_id: inOrganization,
        user_id: anyUser,
        role: "case i % 1000 when 0 then 'admin' when 10 then null else 'read' end",
        joined_at: at,
        last_seen_at: `case when i % 20 = 0 then ${at} end`,
      },
    ],
    ['member', { organization_id: id('o'), user_id: caller, role: "'read'", joined_at: at }, 3000],
    [
      'collection',
      {
        ...place,
        id: id('c'),
        effective_default: "'inherit'",
        parent_id: `case when i % 100 = 0 then ${collection} end`,
        ancestors: `case when i % 100 = 0 then array[${collection}] else '{}' end`,
      },
    ],
    [
      'space',
      {
        ...place,
        id: id('s'),
        emoji: "''",
        visibility: "'private'",
        merge_rules: `'{"type":"none"}'`,
        revision_id: revision,
        effective_default: "'inherit'",
        parent_id: `case when i % 100 = 0 then ${collection} end`,
        ancestors: `case when i % 100 = 0 then array[${collection}] else '{}' end`,
      },
    ],
    ['team', { id: id('t'), organization_id: inOrganization, title: "'Team'", ...created }],
    [
      'team_member',
      { team_id: own(team, id('t', 'i % 1000')), user_id: anyUser, role: "'member'", ...created },
    ],
    // One in ten of these belongs to the organization.
    ['team_member', { team_id: id('t'), user_id: user, role: "'owner'", ...created }, 2000],
    [
      'permission',
      {
        id: id('g'),
        organization_id: inOrganization,
        user_id: anyUser,
        role: "'read'",
        collection_id: `case when i % 30 = 0 then ${collection} end`,
        space_id: `case when i % 30 = 10 then ${space} when i % 10 > 0 then ${id('s')} end`,
        site_id: `case when i % 30 = 20 then ${site} end`,
        ...created,
      },
    ],
    [
      'permission',
      {
        id: id('h'),
        organization_id: organization,
        team_id: id('t'),
        role: "'read'",
        collection_id: `case i % 3 when 0 then ${collection} end`,
        space_id: `case i % 3 when 1 then ${space} end`,
        site_id: `case i % 3 when 2 then ${site} end`,
        ...created,
      },
      300,
    ],
    [
      'site',
      {
        id: id('i'),
        organization_id: inOrganization,
        title: "'Site'",
        default_level: "'inherit'",
        published: 'i % 1000 = 0',
        type: "case when i % 1000 = 0 then 'premium' else 'basic' end",
        ...changed,
      },
    ],
    [
      'site_space',
      {
        id: id('j'),
        site_id: id('i'),
        space_id: `case when i % 1000 = 0 then ${space} else ${id('s')} end`,
        path: "'path'",
        position,
        ...created,
      },
    ],
    [
      'site_redirect',
      {
        id: id('k'),
        site_id: own(site, id('i')),
        source: "'/old/' || i",
        destination: `jsonb_build_object('kind', 'site-space', 'siteSpaceId', ${literal(ids.siteSpaceId)})`,
        ...created,
      },
    ],
    ['share_link', { id: id('l'), site_id: own(site, id('i')), key: 'md5(i::text)', ...created }],
    [
      'custom_hostname',
      {
        // The first ones have maximum length.
        hostname: `case when i % 100 = 0
          then rpad('0' || i || '.' || repeat(repeat('a', 62) || '.', 4), 249, 'a') || '.org'
          else 'h' || i || '.example.org' end`,
        organization_id: inOrganization,
        ...created,
      },
    ],
    [
      'webhook',
      {
        id: id('w'),
        organization_id: inOrganization,
        url: "'https://example.com'",
        types: "'{}'",
        secret: "''",
        ...changed,
      },
    ],
    [
      'webhook_delivery',
      {
        id: id('d'),
        webhook_id: own(literal(ids.webhookId), id('w')),
        type: "'webhook.test'",
        payload: "'{}'",
        status: "'delivered'",
        retry_until: at,
        ...created,
      },
    ],
    [
      'openapi_spec',
      {
        id: id('p'),
        organization_id: inOrganization,
        slug: "'spec-' || i",
        source_url: "'https://example.com'",
        last_processed_errors: "'[]'",
        ...changed,
      },
    ],
    [
      'openapi_spec_version',
      {
        id: id('v'),
        spec_id: own(
          `(select id from openapi_spec where organization_id = ${organization} and slug = ${literal(ids.specSlug)})`,
          id('p'),
        ),
        hash: 'md5(i::text)',
        source: "''",
        format: "'json'",
        document: "''",
        operations: '1',
        ...created,
      },
    ],
    [
      'conversation',
      {
        id: id('z'),
        organization_id: inOrganization,
        source: "case when i % 1000 = 0 then 'some' else 'email' end",
        external_id: 'i::text',
        parts: "'[]'",
        hash: "''",
        batch: "''",
        processing_state: "'complete'",
        ...created,
      },
    ],
    [
      'issues_cluster',
      {
        id: id('q'),
        organization_id: inOrganization,
        representative_id: id('b'),
        label: "'Cluster'",
        summary: "''",
        icon: "'bug'",
        issues: 'i % 50',
        conversations: 'i % 50',
        sources: "'{}'",
        weeks: "'{}'",
        ...changed,
      },
    ],
    [
      'conversation_issue',
      {
        id: id('b'),
        organization_id: inOrganization,
        conversation_id: `case when i % 1000 = 0 then ${literal(ids.conversationId)} else ${id('z')} end`,
        cluster_id: `case when i % 1000 = 0 then ${literal(ids.clusterId)} else ${id('q')} end`,
        title: "'Issue'",
        summary: "''",
        terms: "'{}'",
        week: '0',
        created_at: at,
        ingested_at: at,
      },
    ],
    [
      'translation',
      {
        id: id('t'),
        organization_id: inOrganization,
        source_id: id('s'),
        source_language: "'en'",
        result_id: id('s', 'case when i > 10 then i - 10 else i end'),
        language: "'de'",
        instructions: `'{"object":"document","data":{"schemaVersion":1},"nodes":[]}'`,
        conflicts: "'[]'",
        status: "'completed'",
        ...changed,
      },
    ],
    ['glossary_entry', { id: id('l'), organization_id: inOrganization, translations: "'{}'", ...changed }],
    [
      'api_token',
      {
        id: id('a'),
        user_id: own(caller, anyUser),
        name: "'Token'",
        hash: 'md5(i::text)',
        scope: "'read'",
        ...created,
      },
    ],
    [
      'session',
      {
        id: id('n'),
        user_id: own(caller, anyUser),
        hash: 'md5(i::text)',
        method: "'password'",
        second_factor: 'false',
        address: "'192.0.2.1'",
        last_seen_at: at,
        // Some have ended.
        idle_expires_at: "now() + interval '1 day' * (i % 100 - 5)",
        expires_at: "now() + interval '30 days'",
        ...created,
      },
    ],
    [
      'passkey',
      {
        id: id('y'),
        user_id: own(caller, anyUser),
        name: "'Laptop'",
        credential: 'md5(i::text)',
        public_key: "'AAAA'",
        counter: '0',
        transports: "'[]'",
        is_synced: 'false',
        ...created,
      },
    ],
    [
      'user_identity',
      {
        id: id('z'),
        user_id: own(caller, anyUser),
        issuer: "'https://issuer.example'",
        subject: 'md5(i::text)',
        email: "'someone@example.com'",
        last_used_at: at,
        ...created,
      },
    ],
    [
      'invite',
      {
        id: id('x'),
        organization_id: inOrganization,
        email: "case when i % 20 < 10 then 'invited' || i || '@example.org' end",
        hash: 'case when i % 20 >= 10 then md5(i::text) end',
        ...created,
      },
    ],
    ['saml_provider', { id: id('y'), organization_id: inOrganization, label: "'Login'", ...created }],
    [
      'change_request',
      {
        id: id('r'),
        organization_id: `case when i % 10 < 2 then ${organization} else ${id('o', 'i % 1000')} end`,
        space_id: own(space, id('s'), 1),
        number: '1000 + i',
        status: "case when i % 500 in (0, 1) then 'archived' else 'merged' end",
        subject: "'Change'",
        created_by_id: rareUser(1000),
        revision_id: revision,
        revision_initial_id: revision,
        conversations_issues_cluster_id: `case when i % 1000 in (0, 1) then ${literal(ids.clusterId)} end`,
        ...changed,
      },
    ],
    ['change_request_contributor', { change_request_id: id('r'), user_id: rareUser(1000), ...created }],
    ['change_request_contributor', { change_request_id: request, user_id: anyUser, ...created }, 10_000],
    [
      'requested_reviewer',
      { change_request_id: id('r'), user_id: rareUser(1000), revision_id: revision, ...created },
    ],
    [
      'requested_reviewer',
      { change_request_id: request, user_id: anyUser, revision_id: revision, ...created },
      10_000,
    ],
    [
      'review',
      {
        id: id('e'),
        change_request_id: own(request, id('r')),
        reviewer_id: anyUser,
        status: "'approved'",
        revision_id: revision,
        ...created,
      },
    ],
    [
      'comment',
      {
        id: id('m'),
        space_id: `case when i % 10 < 4 then ${space} else ${id('s')} end`,
        change_request_id: `case when i % 10 in (1, 3) then ${request} end`,
        parent_id: `case i % 10 when 2 then ${literal(ids.commentId)} when 3 then ${literal(ids.requestCommentId)} end`,
        status:
          "case when i % 10 in (2, 3) then null when i % 1000 in (0, 1) then 'resolved' else 'open' end",
        resolved_at: `case when i % 1000 in (0, 1) then ${at} end`,
        resolved_by_id: `case when i % 1000 in (0, 1) then ${user} end`,
        page: `case when i % 1000 in (0, 1) then ${literal(ids.pageId)} end`,
        // Members of the organization.
        posted_by_id: `case when i % 1000 in (0, 1) then ${user} else ${id('u', 'greatest(10, i - i % 10)')} end`,
        document: `'{"object":"document","data":{"schemaVersion":1},"nodes":[]}'`,
        markdown: "''",
        revision_id: revision,
        ...created,
      },
    ],
    [
      'event',
      {
        id: id('n'),
        organization_id: inOrganization,
        number: '1000000 + i',
        type: "case when i % 1000 = 0 then 'space.deleted' else 'space.updated' end",
        space_id: `case when i % 1000 = 0 then ${space} else ${id('s')} end`,
        change_request_id: `case when i % 1000 = 0 then ${request} end`,
        details: "'{}'",
        ...created,
      },
    ],
    [
      'audit_event',
      {
        log: inOrganization,
        id: id('a'),
        action: "case when i % 1000 = 0 then 'space.deleted' else 'space.updated' end",
        actor_type: "'user'",
        actor_id: rareUser(1000),
        source: "'api'",
        target_type: "case when i % 1000 = 0 then 'site' else 'space' end",
        target_id: `case when i % 1000 = 0 then ${space} else ${id('s')} end`,
        payload: "'{}'",
        number: 'i + 1000000',
        hash: "'hash'",
        ...created,
      },
    ],
  ];
  await connection.query('set session_replication_role = replica');
  await connection.query('set maintenance_work_mem = $$256MB$$');
  const { rows: indexes } = await connection.query<{ name: string; definition: string }>(DROPPABLE);
  for (const { name } of indexes) await connection.query(`drop index ${name}`);
  for (const [table, columns, rows = ROWS] of tables) {
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
