import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { DatabaseClient } from '../../server/database/client.ts';

export interface Statement {
  sql: string;
  parameters: unknown[];
  /** The number of its round trip, from 1: statements sent while others are pending share theirs. */
  trip: number;
}

/** Handles one request in this process, and returns every statement that it sent to the database. */
export async function statementsOf(
  app: FastifyInstance,
  url: string,
  credentials: string | Record<string, string>,
  body?: object,
): Promise<Statement[]> {
  const headers = typeof credentials === 'string' ? { authorization: `Bearer ${credentials}` } : credentials;
  return recordStatements(async () => {
    const response = await app.inject({ url, headers, ...(body && { method: 'POST', payload: body }) });
    if (response.statusCode !== 200)
      throw new Error(`${url} returned ${response.statusCode}: ${response.body}`);
  });
}

/** Returns every statement that some work in this process sends to the database. */
export async function recordStatements(work: () => Promise<void>): Promise<Statement[]> {
  const sent: Statement[] = [];
  const original = pg.Client.prototype.query;
  let trip = 0;
  let awaited = 0;
  // biome-ignore lint/suspicious/noExplicitAny: the driver's method has a dozen signatures; all are passed on
  pg.Client.prototype.query = function (this: pg.Client, ...args: any[]): any {
    const pass = (...all: unknown[]) => (original as (...all: unknown[]) => unknown).apply(this, all);
    // The job queues have clients of their own; they are not part of the request.
    if (!(this instanceof DatabaseClient)) return pass(...args);
    const [{ text, values }, callback] = args;
    if (awaited++ === 0) trip++;
    sent.push({ sql: text, parameters: values ?? [], trip });
    return pass(args[0], (error: Error | null, result: pg.QueryResult) => {
      callback(error, result);
      queueMicrotask(() => awaited--);
    });
  } as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
  return sent;
}
