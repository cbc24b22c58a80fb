import {
  type AnyProcedure,
  getErrorShape,
  getTRPCErrorFromUnknown,
  TRPCError,
  type TrackedEnvelope,
} from '@trpc/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { transformer } from '../../routers/base/transformer.ts';
import { asKnownError } from '../../routers/base/trpc-errors.ts';
import { outputText } from '../../routers/response/output.ts';
import { parseJson } from '../../schema/json/parse-json.ts';
import { lastEventId, type StreamFormat, type StreamSender } from '../http/event-streams.ts';
import { callProcedure } from './call-procedure.ts';
import { type CallOptions, queryOf } from './trpc-calls.ts';
import { configOf, definitionOf, proceduresOf } from './trpc-internals.ts';

/**
 * Makes the function that serves a subscription, if a request is for one, with the messages of the library's own adapter.
 * That one is not used because it needs several generators and streams for each subscriber.
 */
export function subscriptionServer(
  options: CallOptions,
  sendStream: StreamSender,
): (request: FastifyRequest, reply: FastifyReply, path: string) => Promise<FastifyReply> | undefined {
  const subscriptions = new Map(
    Object.entries(proceduresOf(options.router))
      .filter(([, procedure]) => definitionOf(procedure).type === 'subscription')
      .map(([path, procedure]) => [path, { procedure, format: formatOf(options, path) }]),
  );
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { path, procedure, format }: { path: string; procedure: AnyProcedure; format: StreamFormat },
  ) => {
    const getRawInput = async () => readInput(request);
    const events = callProcedure(procedure, { path, ctx: request.ctx, getRawInput }).catch(failing);
    return sendStream(request, reply, (await events) as AsyncIterable<TrackedEnvelope<object>>, format);
  };
  return (request, reply, path) => {
    const subscription = request.method === 'GET' ? subscriptions.get(path) : undefined;
    if (!subscription) return undefined;
    request.procedures = [path];
    return send(request, reply, { path, ...subscription });
  };
}

/** A stream that fails at once: an error at the start of a stream is sent in the stream, like any other. */
const failing = (error: unknown): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
});

/** The input from the query string; a client that reconnects sends the id of the last event it received in a header. */
function readInput(request: FastifyRequest): unknown {
  const search = new URLSearchParams(queryOf(request.url));
  const input = deserialized(search.get('input'));
  const last = lastEventId(request) ?? search.get('lastEventId');
  if (!last || (input !== undefined && (typeof input !== 'object' || input === null))) return input;
  return { ...input, lastEventId: last };
}

function deserialized(text: string | null): unknown {
  try {
    return text ? transformer.input.deserialize(parseJson(text)) : undefined;
  } catch (cause) {
    throw new TRPCError({ code: 'BAD_REQUEST', cause });
  }
}

function formatOf({ router, onError }: CallOptions, path: string): StreamFormat {
  const config = configOf(router);
  return {
    opening: 'event: connected\ndata: {}\n\n',
    ping: 'event: ping\ndata: \n\n',
    dataOf: outputText,
    closing: 'event: return\ndata: \n\n',
    failure(thrown, request) {
      const error = asKnownError(thrown) ?? getTRPCErrorFromUnknown(thrown);
      onError(request, error, path);
      const shape = getErrorShape({
        config,
        error,
        type: 'subscription',
        path,
        input: undefined,
        ctx: undefined,
      });
      return `event: serialized-error\ndata: ${outputText(shape)}\n\n`;
    },
  };
}
