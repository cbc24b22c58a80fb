import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** The form of an id that a proxy may give to a request. */
const REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;

/** Makes the generator of request ids, which uses the id of the proxy, if there is one. */
export const requestIdGenerator =
  (isBehindProxy: boolean) =>
  ({ headers }: IncomingMessage): string => {
    // guard: request-id-proxy
    const given = isBehindProxy ? headers['x-request-id'] : undefined;
    // guard: request-id-valid
    return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  };

/** Adds the request id, which is also in the log, to each response. */
export function sendRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    // guard: request-id-header
    reply.header('x-request-id', request.id);
    done();
  });
}
