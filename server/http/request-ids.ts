import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** The form of an id that a proxy may give to a request. */
const REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;

/** Makes the generator of request ids: the proxy's id is used, if there is one. */
export const requestIdGenerator =
  (isBehindProxy: boolean) =>
  ({ headers }: IncomingMessage): string => {
    const given = isBehindProxy ? headers['x-request-id'] : undefined;
    return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  };

/** Adds the request id, which the log uses, to each response. */
export function sendRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
}
