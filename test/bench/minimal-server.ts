/**
 * What the same reads cost with nothing around them: Fastify, pg, the statements of the service, and the answer put
 * together by hand without checks. The statements come from the bench, compiled by the service's own code.
 */
import fastify from 'fastify';
import pg from 'pg';
import { hashToken } from '../../routers/tokens.ts';

interface Statement {
  sql: string;
  parameters: unknown[];
}
const { token, space, list, connection } = JSON.parse(process.env.MINIMAL ?? '') as {
  connection: pg.PoolConfig;
  token: Statement;
  space: Statement[];
  list: Statement[];
};
const pool = new pg.Pool({ ...connection, max: 10 });
const names = new Map<string, string>();
const app = fastify();

/** Every statement is prepared by name. */
async function run({ sql: text, parameters: values }: Statement) {
  const name = names.get(text) ?? `s${names.size}`;
  names.set(text, name);
  return (await pool.query({ name, text, values })).rows;
}
const identify = (authorization = '') =>
  run({ sql: token.sql, parameters: [hashToken(authorization.slice(7))] });

const present = (row: Record<string, unknown>) => ({
  object: 'space',
  id: row.id,
  title: row.title,
  emoji: row.emoji,
  visibility: row.visibility,
  createdAt: new Date(row.createdAt as string).toISOString(),
  updatedAt: new Date(row.updatedAt as string).toISOString(),
  editMode: row.editMode,
  mergeRules: row.mergeRules,
  organization: row.organization,
  revision: row.revision,
  defaultLevel: row.defaultLevel,
  comments: row.comments,
  changeRequests: row.changeRequests,
  changeRequestsOpen: row.changeRequestsOpen,
  changeRequestsDraft: row.changeRequestsDraft,
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

app.get('/v1/space', async (request, reply) => {
  if ((await identify(request.headers.authorization)).length === 0) return reply.code(401).send();
  const [row] = await run(space[0] as Statement);
  return present(row);
});

app.get('/v1/list', async (request, reply) => {
  if ((await identify(request.headers.authorization)).length === 0) return reply.code(401).send();
  await run(list[0] as Statement);
  const [rows, total] = await Promise.all([run(list[1] as Statement), run(list[2] as Statement)]);
  return { count: Number(total[0].count), items: rows.slice(0, 50).map(present) };
});

await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`ready at http://localhost:${(app.server.address() as { port: number }).port}\n`);
process.on('SIGTERM', () => app.close().then(() => pool.end()));
