import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { TRPCError } from '@trpc/server';
import type { FastifyInstance } from 'fastify';

const refused = (message: string) => new TRPCError({ code: 'BAD_REQUEST', message });

/**
 * Reads JSON bodies. An empty body is no body, whatever type it is said to have; any other type is refused. Keys that
 * would reach prototypes are dropped, like all keys that nothing knows.
 */
export function parseBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const [error, text] = utf8(body as Buffer);
    if (text) parseJson(request, text, done);
    else done(error);
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else done(Object.assign(new Error('unsupported media type'), { statusCode: 415 }));
  });
}

/** The text of a body, or an error; undefined where there is none. */
export const utf8 = (body: Buffer): [error: Error | null, text?: string] => {
  if (body.length === 0) return [null];
  return isUtf8(body) ? [null, body.toString()] : [refused('The body of the request is not valid UTF-8.')];
};

/** Refuses what no operation could take, before its body is read: unknown addresses first of all. */
export function refuseEarly(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) done(Object.assign(new Error('not found'), { statusCode: 404 }));
    else if (request.url.includes('%00')) done(refused('The address holds a NUL, which no text here may.'));
    else if ((request.method === 'GET' || request.method === 'HEAD') && bringsBody(request.raw)) {
      done(refused(`A ${request.method} request takes no body.`));
    } else done();
  });
}

/** Whether a request brings a body, said by its headers alone. */
function bringsBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
