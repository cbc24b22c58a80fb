import { type AnyProcedure, callTRPCProcedure } from '@trpc/server';
import { incomingMessageToRequest, type NodeHTTPRequest } from '@trpc/server/adapters/node-http';
import { getHTTPStatusCodeFromError, resolveResponse } from '@trpc/server/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger, Services } from '../routers/context.ts';
import type { AppRouter } from '../routers/index.ts';
import { transformer, withPlaceholders } from '../routers/transformer.ts';
import type { Meta } from '../routers/trpc.ts';
import { jsonReader, ParsedBody } from './bodies.ts';
import { logFailure } from './http-errors.ts';

/** Calls in one batch. */
const MAX_BATCH = 50;

interface DoorOptions {
  appRouter: AppRouter;
  services: Services;
  logger: Logger;
}

/**
 * Serves the procedures to tRPC clients. The library's own plugin is not used: it lets other bodies than JSON through
 * to where they fail.
 */
export function mountTrpc(app: FastifyInstance, { appRouter, services, logger }: DoorOptions): void {
  // The library parses the JSON itself, except for large bodies.
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', jsonReader(services.engines));

  const answer = async (request: FastifyRequest, reply: FastifyReply, path: string) => {
    const message: NodeHTTPRequest = request.raw;
    message.body = request.body;
    const respond = () =>
      resolveResponse({
        router: appRouter,
        req: incomingMessageToRequest(message, reply.raw, { maxBodySize: null }),
        path,
        error: null,
        createContext: async () => request.ctx,
        maxBatchSize: MAX_BATCH,
        onError({ error, path: procedure }) {
          logFailure(logger, request, getHTTPStatusCodeFromError(error), error, procedure);
        },
        responseMeta: ({ errors }) =>
          errors.some(({ code }) => code === 'SERVICE_UNAVAILABLE')
            ? { headers: { 'retry-after': '1' } }
            : {},
      });
    // A streamed response is never available as one text.
    if (request.headers['trpc-accept'] !== undefined) return reply.send(await respond());
    const [response, fill] = await withPlaceholders(respond);
    reply.code(response.status).headers(Object.fromEntries(response.headers));
    return reply.send(fill(await response.text()));
  };

  app.route<{ Params: { path: string } }>({
    method: ['GET', 'POST'],
    url: '/:path',
    handler: (request, reply) => answer(request, reply, request.params.path),
  });

  // Procedures with large bodies have routes of their own, without batching.
  for (const [path, procedure] of Object.entries(
    appRouter._def.procedures as unknown as Record<string, AnyProcedure>,
  )) {
    const { bodyLimit } = (procedure._def.meta ?? {}) as Meta;
    if (bodyLimit === undefined) continue;
    app.post<{ Querystring: { batch?: string } }>(`/${path}`, { bodyLimit }, async (request, reply) => {
      const { body } = request;
      if (!(body instanceof ParsedBody)) return answer(request, reply, path);
      // Batching clients send even a single call as a batch.
      const isBatch = request.query.batch === '1';
      const input = isBatch ? (body.value as { 0?: unknown } | null)?.[0] : body.value;
      const output: unknown = await callTRPCProcedure({
        router: appRouter,
        path,
        type: procedure._def.type,
        ctx: request.ctx,
        getRawInput: async () => transformer.input.deserialize(input),
        signal: undefined,
        batchIndex: 0,
      });
      const result = { result: { data: transformer.output.serialize(output) } };
      return reply.type('application/json').send(JSON.stringify(isBatch ? [result] : result));
    });
  }
}
