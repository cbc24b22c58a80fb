/**
 * A minimal server for the same reads: Fastify, pg, the simplest prepared statements that find the result for an admin,
 * and a response assembled by hand without checks. The text of a page is already in memory.
 */
import { readFile } from 'node:fs/promises';
import fastify from 'fastify';
import pg from 'pg';
import { hashSecret } from '../../routers/base/secrets.ts';

export interface MinimalOptions {
  connection: pg.PoolConfig;
  /** The response bodies of page reads, by page id. */
  pages: Record<string, object>;
}

const { connection, pages } = JSON.parse(await readFile(process.env.MINIMAL ?? '', 'utf8')) as MinimalOptions;
const pool = new pg.Pool({ ...connection, max: 10 });
const app = fastify();

const prepared = (name: string, text: string) => async (values: unknown[]) =>
  (await pool.query({ name, text, values })).rows;

const readToken = prepared('token', 'select user_id from api_token where hash = $1');
const readSpace = prepared(
  'space',
  `select space.*, member.role from space
   join member on member.organization_id = space.organization_id and member.user_id = $2 where space.id = $1`,
);
const readContent = prepared(
  'content',
  `select revision.*, member.role from space
   join member on member.organization_id = space.organization_id and member.user_id = $2
   join revision on revision.id = space.revision_id where space.id = $1`,
);
const readMember = prepared('member', 'select role from member where organization_id = $1 and user_id = $2');
const listSpaces = prepared(
  'list',
  'select * from space where organization_id = $1 and deleted_at is null order by id desc limit 51',
);
const countSpaces = prepared(
  'count',
  'select count(*) from space where organization_id = $1 and deleted_at is null',
);

const present = (row: Record<string, unknown>) => ({
  object: 'space',
  id: row.id,
  title: row.title,
  emoji: row.emoji,
  visibility: row.visibility,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  editMode: row.edit_mode,
  mergeRules: row.merge_rules,
  organization: row.organization_id,
  revision: row.revision_id,
  defaultLevel: row.default_level,
  comments: row.comments,
  changeRequests: row.change_requests,
  changeRequestsOpen: row.change_requests_open,
  changeRequestsDraft: row.change_requests_draft,
  urls: { location: `http://localhost/v1/spaces/${row.id}`, app: `http://localhost/app/spaces/${row.id}` },
  permissions: {
    view: true,
    access: true,
    admin: true,
    edit: true,
    comment: true,
    merge: true,
    review: true,
  },
});

const callerOf = async (authorization = ''): Promise<string> => {
  const [row] = await readToken([hashSecret(authorization.slice(7))]);
  if (!row) throw Object.assign(new Error('no such token'), { statusCode: 401 });
  return row.user_id;
};

app.get<{ Params: { space: string } }>('/v1/spaces/:space', async ({ headers, params }) => {
  const [row] = await readSpace([params.space, await callerOf(headers.authorization)]);
  return present(row);
});

app.get<{ Params: { organization: string } }>(
  '/v1/orgs/:organization/spaces',
  async ({ headers, params }) => {
    const { organization } = params;
    await readMember([organization, await callerOf(headers.authorization)]);
    const [rows, [total]] = await Promise.all([listSpaces([organization]), countSpaces([organization])]);
    return { count: Number(total.count), items: rows.slice(0, 50).map(present) };
  },
);

app.get<{ Params: { space: string; page: string } }>(
  '/v1/spaces/:space/content/page/:page',
  async ({ headers, params }) => {
    await readContent([params.space, await callerOf(headers.authorization)]);
    return pages[params.page];
  },
);

await app.listen({ port: 0, host: '127.0.0.1' });
process.stderr.write(`ready at http://localhost:${(app.server.address() as { port: number }).port}\n`);
process.on('SIGTERM', () => app.close().then(() => pool.end()));
