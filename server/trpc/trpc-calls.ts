import {
  type AnyProcedure,
  type AnyRouter,
  getErrorShape,
  getTRPCErrorFromUnknown,
  TRPCError,
} from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { transformer } from '../../routers/base/transformer.ts';
import { outputText, trpcText } from '../../routers/response/output.ts';
import { parseJson } from '../../schema/json/parse-json.ts';
import { inOneRequest } from '../hardening/connection-shares.ts';
import { ParsedBody } from '../http/bodies.ts';
import { retryAfterOf } from '../http/http-errors.ts';
import { callProcedure } from './call-procedure.ts';
import { configOf, definitionOf, proceduresOf } from './trpc-internals.ts';

/** Maximum number of calls in one batch. */
export const MAX_BATCH = 50;

/** The calls of one request, as nearly all clients send them: queries with GET or mutations with POST, in JSON. */
interface Calls {
  type: 'query' | 'mutation';
  calls: { path: string; procedure: AnyProcedure }[];
  isBatch: boolean;
  /** The inputs, as JSON text or already parsed; null or undefined if there are none. */
  inputs: string | ParsedBody | null | undefined;
}

/** The query string of a URL, without its question mark. */
export const queryOf = (url: string): string => /^[^?#]*\?([^#]*)/.exec(url)?.[1] ?? '';

/** Makes the function that reads the calls of a request to `path`; undefined for any other kind of request. */
export function callReader(router: AnyRouter) {
  const procedures = new Map(Object.entries(proceduresOf(router)));
  return (request: FastifyRequest, path: string): Calls | undefined => {
    const { method, headers, body } = request;
    const isGet = method === 'GET';
    // guard: trpc-head
    if (!isGet && method !== 'POST') return undefined;
    const contentType = headers['content-type'];
    if (contentType === undefined ? !isGet : !IS_JSON.test(contentType)) return undefined;
    if (mayBeStreamed(headers)) return undefined;
    const { batch, input, connectionParams } = parametersOf(request);
    if (connectionParams !== undefined) return undefined;
    const isBatch = batch === '1';
    const paths = isBatch ? path.split(',') : [path];
    // guard: trpc-batch-limit
    if (paths.length > MAX_BATCH) return undefined;
    const type = isGet ? 'query' : 'mutation';
    const calls: Calls['calls'] = [];
    for (const name of paths) {
      const procedure = procedures.get(name);
      if (!procedure || definitionOf(procedure).type !== type) return undefined;
      calls.push({ path: name, procedure });
    }
    return { type, calls, isBatch, inputs: isGet ? input : (body as Calls['inputs']) };
  };
}

/** Whether the library may stream the response to a request with these headers: it decides that itself. */
const mayBeStreamed = (headers: FastifyRequest['headers']): boolean =>
  headers['trpc-accept'] !== undefined || headers.accept?.includes('application/jsonl') === true;

type Parameters = Record<'batch' | 'input' | 'connectionParams', string | undefined>;

/**
 * The parameters of a query string, as the library's own adapter reads them. Fastify has parsed it, but returns repeated
 * values as lists, leaves values that it cannot decode as they are, and includes a fragment.
 */
function parametersOf({ url, query }: FastifyRequest): Parameters {
  const parsed = query as Record<keyof Parameters, unknown>;
  const { batch, input, connectionParams } = parsed;
  const isUnambiguous = [batch, input, connectionParams].every(
    (value) => value === undefined || (typeof value === 'string' && !value.includes('%')),
  );
  if (isUnambiguous && !url.includes('#')) return parsed as Parameters;
  const search = new URLSearchParams(queryOf(url));
  const read = (name: string) => search.get(name) ?? undefined;
  return { batch: read('batch'), input: read('input'), connectionParams: read('connectionParams') };
}

const IS_JSON = /^application\/json *(?:;|$)/i;

export interface CallOptions {
  router: AnyRouter;
  onError: (request: FastifyRequest, error: TRPCError, path: string | undefined) => void;
}

/** Makes the function that runs the calls of a request concurrently, and sends what the library's adapter would send. */
export function callServer({ router, onError }: CallOptions) {
  const config = configOf(router);

  return async (request: FastifyRequest, reply: FastifyReply, batch: Calls): Promise<FastifyReply> => {
    const { ctx } = request;
    const { type, calls, isBatch } = batch;
    const failures: TRPCError[] = [];
    let reading: Promise<unknown[]> | undefined;
    const inputOf = async (index: number) => {
      reading ??= readInputs(batch);
      return (await reading)[index];
    };
    const run = async ({ path, procedure }: Calls['calls'][number], batchIndex: number) => {
      try {
        const getRawInput = () => inputOf(batchIndex);
        const output = await callProcedure(procedure, { path, ctx, getRawInput, batchIndex });
        return { status: 200, text: `{"result":{"data":${await trpcText(output)}}}` };
      } catch (thrown) {
        const error = getTRPCErrorFromUnknown(thrown);
        failures.push(error);
        onError(request, error, path);
        const shape = getErrorShape({ config, error, type, path, input: undefined, ctx });
        return { status: getHTTPStatusCodeFromError(error), text: `{"error":${outputText(shape)}}` };
      }
    };
    const runAll = () => Promise.all(calls.map(run));
    const results = await (isBatch ? inOneRequest(runAll) : runAll());
    const [status = 200, ...others] = new Set(results.map((result) => result.status));
    const texts = results.map(({ text }) => text).join();
    reply.code(others.length === 0 ? status : 207);
    reply.headers({ vary: 'trpc-accept, accept', 'content-type': 'application/json; charset=utf-8' });
    const retryAfter = retryAfterOf(failures);
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
    return reply.send(isBatch ? `[${texts}]` : texts);
  };
}

/** The input of each call. If one is invalid, all are. */
async function readInputs({ calls, isBatch, inputs }: Calls): Promise<unknown[]> {
  if (!inputs) return [];
  try {
    const value: unknown = inputs instanceof ParsedBody ? inputs.value : parseJson(inputs);
    if (!isBatch) return [transformer.input.deserialize(value)];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TRPCError(NOT_A_BATCH);
    const byIndex = value as Record<number, unknown>;
    return calls.map((_, index) => transformer.input.deserialize(byIndex[index]));
  } catch (cause) {
    throw cause instanceof TRPCError ? cause : new TRPCError({ code: 'BAD_REQUEST', cause });
  }
}

const NOT_A_BATCH = {
  code: 'BAD_REQUEST',
  message: '"input" needs to be an object when doing a batch call',
} as const;
