import type { FastifyInstance } from 'fastify';
import pg from 'pg';

export interface Statement {
  sql: string;
  parameters: unknown[];
}

/** Answers one request in this process and gives every statement that it sent to the database. */
export async function statementsOf(app: FastifyInstance, url: string, token: string): Promise<Statement[]> {
  const sent: Statement[] = [];
  const original = pg.Client.prototype.query;
  // biome-ignore lint/suspicious/noExplicitAny: the driver's method has a dozen signatures; all are passed on
  pg.Client.prototype.query = function (this: pg.Client, ...args: any[]): any {
    const [query, parameters] = args;
    if (typeof query === 'string') sent.push({ sql: query, parameters: parameters ?? [] });
    else sent.push({ sql: query.text, parameters: query.values ?? parameters ?? [] });
    return (original as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof original;
  try {
    const answer = await app.inject({ url, headers: { authorization: `Bearer ${token}` } });
    if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${answer.body}`);
  } finally {
    pg.Client.prototype.query = original;
  }
  return sent;
}
