import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findOrCreateUser } from '../../routers/auth/oidc.operation.ts';
import { addPasskey } from '../../routers/auth/passkeys.operation.ts';
import { recordSpecPages } from '../../routers/content/spec-pages.operation.ts';
import { slugify } from '../../routers/engine/store/slug.ts';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { toolActorOf } from '../helpers/actor.ts';
import { processConversations } from '../helpers/conversations.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { buildWorld, type World } from './world.ts';

let service: TestService;
let world: World;
let database: pg.Client;
beforeAll(async () => {
  service = await startTestService();
  world = await buildWorld(service);
  database = new pg.Client({ connectionString: service.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await service.close();
});

/** Random text, because an index may compress repetitions, of four-byte characters, the longest in UTF-8. */
const letters = (count: number): string =>
  Array.from(randomBytes(count), (byte) => String.fromCodePoint(0x20000 + byte * 100)).join('');
const ascii = (count: number): string => randomBytes(count).toString('hex').slice(0, count);

const text = (words: string) => ({ object: 'text', leaves: [{ object: 'leaf', text: words, marks: [] }] });
const insertion = (title: string, key: string, nodes: object[] = [text('Text')]) => ({
  operation: 'insert_page',
  title,
  document: {
    document: {
      object: 'document',
      data: { schemaVersion: 1 },
      nodes: [{ object: 'block', type: 'paragraph', key, nodes }],
    },
  },
});
const link = (spec: string) => ({
  object: 'inline',
  type: 'link',
  data: { ref: { kind: 'openapi', spec } },
  nodes: [text('Link')],
});

const organization = () => `/orgs/${world.ids.organizationId}`;
const site = () => `${organization()}/sites/${world.ids.siteId}`;
const space = () => `/spaces/${world.ids.spaceId}`;
const insert = (...changes: object[]) =>
  expectOk(world.admin.post(`${space()}/content?compat=false`, { changes }));

/** An account at an identity provider with an issuer of maximum length. */
const linkAccount = () =>
  service.runtime.database.transaction((em) =>
    findOrCreateUser(
      em,
      { name: 'acme', label: 'Acme', signUp: 'anyone' },
      {
        issuer: `https://example.com/${ascii(480 + accounts++)}`,
        subject: ascii(250 + accounts),
        email: `${ascii(20)}@example.com`,
        name: 'Person',
      },
    ),
  );
let accounts = 0;
const ingest = async (body: string) => {
  const parts = [{ type: 'message', role: 'user', body }];
  await expectOk(world.admin.post(`${organization()}/conversations`, { id: body, parts }));
  await processConversations(service);
};

/** Gives a section or a site space the longest path, and then another one. */
async function renameTwice(at: string): Promise<void> {
  for (const length of [100, 99]) await expectOk(world.admin.patch(at, { path: letters(length) }));
}

/** Indexed columns with values from callers, and how to set each to the longest possible value. */
const CALLER_TEXTS: Readonly<Record<string, () => Promise<unknown>>> = {
  'comment.node': async () => {
    const node = letters(255);
    const { changes } = await insert(insertion('Commented', node));
    const body = { markdown: 'Comment' };
    await expectOk(world.admin.post(`${space()}/comments`, { page: changes.pages[0].id, node, body }));
  },
  'comment_reaction.emoji': () =>
    expectOk(
      world.admin.put(`${space()}/comments/${world.ids.commentId}`, {
        addedReactions: ['1f469-1f3fd-200d-2764-fe0f-200d-1f48b-200d-1f469-1f3ff'],
      }),
    ),
  'conversation.external_id': () =>
    expectOk(world.admin.post(`${organization()}/conversations`, { id: letters(255), parts: [] })),
  'custom_hostname.hostname': () => {
    const hostname = `${Array.from({ length: 3 }, () => `a${ascii(61)}`).join('.')}.a${ascii(59)}.com`;
    return expectOk(
      world.admin.put(`${organization()}/custom-hostnames/${hostname}`, { site: world.ids.siteId }),
    );
  },
  'document_link.target': () =>
    insert(insertion('Linking', 'key', [text(''), link(ascii(6000)), text(''), link(ascii(100)), text('')])),
  'embed.address': () => {
    const start = 'https://example.com/';
    const url = start + ascii(2048 - start.length);
    return insert({
      operation: 'insert_page',
      title: 'Embedding',
      document: { markdown: `{% embed url="${url}" %}\n` },
    });
  },
  'invite.email': () =>
    expectOk(
      world.admin.post(`${organization()}/invites`, {
        emails: [`${ascii(60)}@${Array.from({ length: 3 }, () => `a${ascii(60)}`).join('.')}.com`],
      }),
    ),
  'openapi_spec.slug': () =>
    expectOk(world.admin.post(`${organization()}/openapi`, { slug: ascii(100), source: { text: '{}' } })),
  'openapi_spec_page.path': () => {
    const page = (pages: object[]) => ({ key: 'key', title: 'Page', slug: slugify(letters(1000)), pages });
    const shown = { ...page([]), shows: { kind: 'info' } };
    return recordSpecPages(
      service.runtime.database.db,
      { organization: world.ids.organizationId as string, slug: ascii(100) },
      world.ids.versionId as string,
      { pages: [page([shown])] } as never,
    );
  },
  'issue_term.term': () => ingest(`a${ascii(37)}0`),
  'issues_cluster_term.term': () => ingest(`a${ascii(38)}0`),
  'organization.email_domains': () => {
    const domain = () => `${Array.from({ length: 3 }, () => `a${ascii(61)}`).join('.')}.a${ascii(59)}.com`;
    return expectOk(world.admin.patch(organization(), { emailDomains: Array.from({ length: 100 }, domain) }));
  },
  'passkey.credential': () =>
    service.runtime.database.transaction((em) =>
      addPasskey(em, toolActorOf(world.owner.id), 'Laptop', {
        credential: ascii(1364),
        publicKey: 'AAAA',
        counter: 0,
        transports: [],
        isSynced: false,
      }),
    ),
  'site.basename': () => expectOk(world.admin.patch(site(), { basename: letters(100) })),
  'site_proxy.hostname': () => {
    const hostname = `${Array.from({ length: 3 }, () => `a${ascii(60)}`).join('.')}.com`;
    return expectOk(world.admin.patch(site(), { proxy: `${hostname}/docs` }));
  },
  'site_proxy.origin': () => expectOk(world.admin.patch(site(), { proxy: `example.com/${ascii(500)}` })),
  'site_redirect.source': () => {
    const destination = { kind: 'site-space', siteSpaceId: world.ids.siteSpaceId };
    return expectOk(world.admin.post(`${site()}/redirects`, { source: `/${ascii(511)}`, destination }));
  },
  'site_section.earlier_paths': () => renameTwice(`${site()}/sections/${world.ids.siteSectionId}`),
  'site_section.path': () =>
    expectOk(world.admin.patch(`${site()}/sections/${world.ids.siteSectionId}`, { path: letters(100) })),
  'site_space.earlier_paths': () => renameTwice(`${site()}/site-spaces/${world.ids.siteSpaceId}`),
  'site_space.path': () =>
    expectOk(world.admin.patch(`${site()}/site-spaces/${world.ids.siteSpaceId}`, { path: letters(100) })),
  'subdomain.subdomain': () => expectOk(world.admin.patch(organization(), { hostname: `a${ascii(31)}` })),
  'user_identity.issuer': linkAccount,
  'user_identity.subject': linkAccount,
  'user.email': () =>
    createCaller(toolContext(service.runtime.database, service.runtime.services)).installation.users.create({
      email: `${ascii(60)}@${Array.from({ length: 3 }, () => `a${ascii(60)}`).join('.')}.com`,
      displayName: 'Person',
    }),
};

/**
 * Columns that only the service writes: ids, hashes, its own names, positions of at most 200 characters, and search words
 * of at most 64.
 */
const SERVICE_TEXTS =
  /^(.*[._](id|hash|sha256|position|ancestors|status|role|type|key|document|slug|page)|earlier_slug\.parent|pdf\.(source|state)|conversation\.(source|batch|processing_state)|audit_event\.(log|action|personal)|audit_log\.log|search_(leaf\.language|block\.kind))$/;

/** Text columns in indexes and in expressions of indexes, from the catalog. */
async function indexedTexts(): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(`
    select distinct tables.relname || '.' || attname as name
    from pg_index
      join pg_class tables on tables.oid = indrelid and relnamespace = 'public'::regnamespace
      join pg_depend on classid = 'pg_class'::regclass and objid = indexrelid
        and refclassid = 'pg_class'::regclass and refobjid = indrelid
      join pg_attribute on attrelid = indrelid and attnum = refobjsubid
    where atttypid in ('text'::regtype, 'varchar'::regtype, 'text[]'::regtype, 'json'::regtype, 'jsonb'::regtype)
      -- A digest is always short.
      and pg_get_indexdef(indexrelid) !~ ('md5\\(' || attname || '\\)')
    union
    select tables.relname || '.' || attname
    from pg_constraint
      join pg_class tables on tables.oid = conrelid and relnamespace = 'public'::regnamespace
      join pg_attribute on attrelid = conrelid and attnum = any(conkey)
    where contype in ('p', 'u')
      and atttypid in ('text'::regtype, 'varchar'::regtype, 'text[]'::regtype, 'json'::regtype, 'jsonb'::regtype)
    order by name`);
  return rows.map(({ name }) => name);
}

describe('a text in an index', () => {
  test('every text in an index is written by the service, or covered by a test below', async () => {
    const found = await indexedTexts();
    expect(found.length).toBeGreaterThan(40);
    const callers = found.filter((name) => name in CALLER_TEXTS);
    expect(callers).toEqual(Object.keys(CALLER_TEXTS).toSorted());
    expect(found.filter((name) => !(name in CALLER_TEXTS) && !SERVICE_TEXTS.test(name))).toEqual([]);
  });

  test.for(Object.entries(CALLER_TEXTS))('%s can be indexed at its maximum length', async ([name, write]) => {
    const [table, column] = name.split('.');
    const longest = async (): Promise<number> => {
      const { rows } = await database.query(
        `select max(octet_length(${column}::text)) as bytes from "${table}"`,
      );
      return rows[0].bytes ?? 0;
    };
    const before = await longest();
    await write();
    expect(await longest()).toBeGreaterThan(before);
  });
});
