import { type AnyProcedure, callTRPCProcedure, TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Context, Logger } from '../routers/context.ts';
import type { AppRouter } from '../routers/index.ts';
import { errorDetails, type Meta, publicMessage } from '../routers/trpc.ts';
import { inputReader } from './rest-input.ts';

/** The one shape of every answer that is not a success. */
export interface ErrorBody {
  error: { code: number; message: string; details?: { path: string; message: string }[] };
}

export const errorBody = (
  code: number,
  message: string,
  details?: ErrorBody['error']['details'],
): ErrorBody => ({
  error: { code, message, ...(details && { details }) },
});

interface FacadeOptions {
  appRouter: AppRouter;
  createContext: (authorization: string | undefined) => Context;
  logger: Logger;
}

/**
 * Binds each procedure that is annotated with a path as a route. The procedures own the contract; this only reads the
 * input, calls, and maps the success status and the error.
 */
export function mountRest(app: FastifyInstance, { appRouter, createContext, logger }: FacadeOptions): void {
  const methods = new Map<string, Set<HTTPMethods>>();
  for (const [path, procedure] of Object.entries(
    appRouter._def.procedures as unknown as Record<string, AnyProcedure>,
  )) {
    const meta = procedure._def.meta as Meta | undefined;
    if (!meta?.openapi) continue;
    const { openapi, success = 200, bodyLimit } = meta;
    const readInput = inputReader(procedure, openapi.method);
    const url = `/v1${openapi.path.replace(/\{(\w+)\}/g, ':$1')}`;
    methods.set(url, (methods.get(url) ?? new Set()).add(openapi.method));
    app.route({
      method: openapi.method,
      url,
      ...(bodyLimit !== undefined && { bodyLimit }),
      handler: async (request, reply) => {
        if (openapi.deprecated) reply.header('deprecation', 'true');
        try {
          const output: unknown = await callTRPCProcedure({
            router: appRouter,
            path,
            type: procedure._def.type,
            ctx: createContext(request.headers.authorization),
            getRawInput: async () => readInput(request),
            signal: undefined,
            batchIndex: 0,
          });
          return sendSuccess(reply, success, output);
        } catch (error) {
          return sendError(request, reply, error, logger);
        }
      },
    });
  }
  for (const [url, allowed] of methods) refuseOtherMethods(app, url, allowed, logger);
}

const METHODS: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Answers 405 where the path is known and the method is not. */
function refuseOtherMethods(
  app: FastifyInstance,
  url: string,
  allowed: Set<HTTPMethods>,
  logger: Logger,
): void {
  const others = METHODS.filter((method) => !allowed.has(method));
  if (others.length === 0) return;
  const message = `This address takes ${[...allowed].join(', ')} only.`;
  app.route({
    method: others,
    url,
    exposeHeadRoute: false,
    handler: (request, reply) => {
      reply.header('allow', [...allowed].join(', '));
      return sendError(request, reply, new TRPCError({ code: 'METHOD_NOT_SUPPORTED', message }), logger);
    },
  });
}

function sendSuccess(
  reply: FastifyReply,
  success: NonNullable<Meta['success']>,
  output: unknown,
): FastifyReply {
  if (success === 'removal') {
    return reply.code((output as { removed: boolean }).removed ? 205 : 204).send();
  }
  return success === 204 ? reply.code(204).send() : reply.code(success).send(output);
}

/** Answers an error in the one shape. What was not foreseen is logged whole and told to nobody. */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
  logger: Logger,
): FastifyReply {
  const error =
    thrown instanceof TRPCError
      ? thrown
      : new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: 'unexpected', cause: thrown });
  const status = getHTTPStatusCodeFromError(error);
  if (status >= 500) logger.error({ err: error.cause ?? error, requestId: request.id }, 'request failed');
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return reply.code(status).send(errorBody(status, publicMessage(error), errorDetails(error)));
}
