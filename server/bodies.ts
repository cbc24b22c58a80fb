import { TRPCError } from '@trpc/server';
import type { FastifyInstance } from 'fastify';

/** Reads JSON bodies. An empty body is no body, whatever type it is said to have; any other type is refused. */
export function parseBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else parseJson(request, body as string, done);
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else done(Object.assign(new Error('unsupported media type'), { statusCode: 415 }));
  });
  app.addHook('onRequest', async (request) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
    if (hasBody && (request.method === 'GET' || request.method === 'HEAD')) {
      throw new TRPCError({ code: 'BAD_REQUEST', message: `A ${request.method} request takes no body.` });
    }
  });
}
