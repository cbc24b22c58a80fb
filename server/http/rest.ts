import type { AnyProcedure, TrackedEnvelope } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CACHE_TAG_HEADER } from '../../routers/base/cache-tags.ts';
import type { Meta } from '../../routers/base/trpc.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import type { AppRouter } from '../../routers/index.ts';
import { isCachedOutput, oncePerCachedOutput, plainText } from '../../routers/response/output.ts';
import { StreamedResponse } from '../../routers/response/streamed-response.ts';
import { callProcedure } from '../trpc/call-procedure.ts';
import { definitionOf, proceduresOf } from '../trpc/trpc-internals.ts';
import { entityTag } from './conditional.ts';
import { acceptsStream, lastEventId, type StreamFormat, type StreamSender } from './event-streams.ts';
import { type ErrorSender, errorBody } from './http-errors.ts';
import { IGNORED_HEADER, ignoredHeader, isStrict } from './ignored-input.ts';
import { errorInBody, inputReader } from './rest-input.ts';
import { sendStreamed } from './streamed-responses.ts';

interface FacadeOptions {
  appRouter: AppRouter;
  sendStream: StreamSender;
  sendError: ErrorSender;
}

/**
 * Registers a route for each procedure with a path. The procedures define the contract; this only reads the input, calls
 * the procedure, and maps the success status and errors.
 */
export function mountRest(app: FastifyInstance, { appRouter, sendStream, sendError }: FacadeOptions): void {
  const procedures = proceduresOf(appRouter);
  const readable = readableCollections(procedures);
  for (const [path, procedure] of Object.entries(procedures)) {
    const { type, meta } = definitionOf(procedure);
    if (!meta?.openapi) continue;
    const { openapi, success = 200, body: whole, bodyLimit, stream } = meta;
    const rest = WILDCARD.exec(openapi.path)?.[1];
    const readInput = inputReader(procedure, openapi.method, { rest, whole });
    const url = `/v1${openapi.path.replace(WILDCARD, '*').replace(/\{(\w+)\}/g, ':$1')}`;
    app.route({
      method: openapi.method,
      url,
      ...(bodyLimit !== undefined && { bodyLimit }),
      config: { isPublic: openapi.protect === false, isQuery: type === 'query', procedure: path },
      handler: async (request, reply) => {
        if (openapi.deprecated) reply.header('deprecation', 'true');
        try {
          if (stream !== undefined && acceptsStream(request)) {
            const events = await subscribe(procedures, stream, request);
            return sendStream(request, reply, events, REST_STREAM);
          }
          // Each step of a procedure that has an input asks for it.
          let input: Promise<unknown> | undefined;
          const read = async () => readReportingIgnored(request, reply, readInput);
          const getRawInput = () => (input ??= read());
          const output = await callProcedure(procedure, { path, ctx: request.ctx, getRawInput });
          setCacheTags(reply, request.ctx.dependencies);
          if (output instanceof StreamedResponse) return sendStreamed(request, reply, output);
          if (success === 201) setLocation(request, reply, output, readable.has(openapi.path));
          return sendSuccess(reply, success, output);
        } catch (error) {
          return sendError(request, reply, whole === undefined ? error : errorInBody(error, whole));
        }
      },
    });
  }
}

/** Reads the input, and lists unknown properties in a header, or rejects them if the client prefers that. */
function readReportingIgnored(
  request: FastifyRequest,
  reply: FastifyReply,
  read: ReturnType<typeof inputReader>,
): unknown {
  const ignored: string[] = [];
  const input = read(request, ignored);
  // guard: strict-input
  const strict = isStrict(request.headers.prefer);
  if (strict) reply.header('preference-applied', 'handling=strict');
  if (ignored.length === 0) return input;
  if (strict) {
    const details = ignored
      .slice(0, 100)
      .map((path) => ({ path: path.slice(0, 256), message: 'is unknown' }));
    throw new DomainError('invalid', 'The request has unknown properties or parameters.', details);
  }
  reply.header(IGNORED_HEADER, ignoredHeader(ignored));
  return input;
}

/** The paths below which `GET` reads an object by its id. */
const readableCollections = (procedures: Record<string, AnyProcedure>): ReadonlySet<string> =>
  new Set(
    Object.values(procedures).flatMap((procedure) => {
      const { openapi } = definitionOf(procedure).meta ?? {};
      return openapi?.method === 'GET' ? (/^(.*)\/\{\w+\}$/.exec(openapi.path)?.[1] ?? []) : [];
    }),
  );

/** Sets the `Location` of a created object: its own URL, or its id below the path of the request. */
function setLocation(
  { url }: FastifyRequest,
  reply: FastifyReply,
  output: unknown,
  isReadable: boolean,
): void {
  const { id, urls } = (output ?? {}) as { id?: unknown; urls?: { location?: unknown } };
  const [path = ''] = url.split('?', 1);
  const collection = path.endsWith('/') ? path.slice(0, -1) : path;
  const below = isReadable && typeof id === 'string' ? `${collection}/${encodeURIComponent(id)}` : '';
  const location = typeof urls?.location === 'string' ? urls.location : below;
  if (/^[\x21-\x7e]+$/.test(location)) reply.header('location', location);
}

/** Maximum number of cache tags in a response. */
const MAX_TAGS = 100;

/** Lists what a response depends on in its header of cache tags. */
function setCacheTags(reply: FastifyReply, tags: ReadonlySet<string> = new Set()): void {
  if (tags.size > 0) reply.header(CACHE_TAG_HEADER, [...tags].slice(0, MAX_TAGS).join(','));
}

/** Calls the subscription that a route streams, with the input from the query string. */
async function subscribe(
  procedures: Record<string, AnyProcedure>,
  path: string,
  request: FastifyRequest,
): Promise<AsyncIterable<TrackedEnvelope<object>>> {
  const procedure = procedures[path] as AnyProcedure;
  const input = inputReader(procedure, 'GET')(request) as object;
  const last = lastEventId(request);
  const getRawInput = async () => (last === undefined ? input : { ...input, lastEventId: last });
  const events: unknown = await callProcedure(procedure, { path, ctx: request.ctx, getRawInput });
  return events as AsyncIterable<TrackedEnvelope<object>>;
}

const REST_STREAM: StreamFormat = {
  opening: ': connected\n\n',
  ping: ': ping\n\n',
  dataOf: (event) => JSON.stringify(event),
  failure: (error) => `event: error\ndata: ${JSON.stringify(errorBody(error).body)}\n\n`,
  closing: '',
};

/** The path of a page is the rest of the URL, whether or not its slashes are encoded: clients do both. */
const WILDCARD = /\{(pagePath)\}$/;

function sendSuccess(
  reply: FastifyReply,
  success: NonNullable<Meta['success']>,
  output: unknown,
): FastifyReply {
  if (success === 'removal') {
    return reply.code((output as { removed: boolean }).removed ? 205 : 204).send();
  }
  if (success === 204) return reply.code(204).send();
  if (success === 200 && isCachedOutput(output)) reply.header('etag', cachedEntityTag(output));
  return reply.code(success).type('application/json; charset=utf-8').send(plainText(output));
}

const cachedEntityTag = oncePerCachedOutput((output) => entityTag(plainText(output)));
