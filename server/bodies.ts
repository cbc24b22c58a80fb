import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { TRPCError } from '@trpc/server';
import type { FastifyInstance } from 'fastify';
import { bodyOf } from '../routers/content/engine/body.ts';
import type { Engine } from '../routers/content/engine/engine.ts';
import type { Engines } from '../routers/content/engine/engines.ts';
import type { ObjectReader } from '../routers/content/store/objects.ts';
import { DomainError } from '../routers/errors.ts';

const refused = (message: string) => new TRPCError({ code: 'BAD_REQUEST', message });

/**
 * Reads JSON bodies. An empty body is no body, whatever type it is said to have; any other type is refused. Keys that
 * would reach prototypes are dropped, like all keys that nothing knows.
 */
export function parseBodies(app: FastifyInstance, engines: Engines): void {
  const parseJson = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length > LARGE_BODY) {
      readLarge(engines.for(request.ip), body as Buffer).then((value) => done(null, value), done);
      return;
    }
    const [error, text] = utf8(body as Buffer);
    if (text) parseJson(request, text, done);
    else done(error);
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else done(Object.assign(new Error('unsupported media type'), { statusCode: 415 }));
  });
}

/** Bytes of JSON that take the process too long which answers everybody: some 30 ms with all its checks. */
const LARGE_BODY = 512 * 1024;

const NO_OBJECTS: ObjectReader = { read: async () => new Map() };

async function readLarge(engine: Engine, bytes: Uint8Array): Promise<unknown> {
  try {
    return bodyOf(await engine.run('body', { bytes }, NO_OBJECTS));
  } catch (cause) {
    if (!(cause instanceof DomainError)) throw cause;
    const code = cause.code === 'unavailable' ? 'SERVICE_UNAVAILABLE' : 'BAD_REQUEST';
    throw new TRPCError({ code, message: cause.message, cause });
  }
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
