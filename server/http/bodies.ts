import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../routers/base/caller.ts';
import { requireReader, requireWriter } from '../../routers/base/trpc.ts';
import type { ObjectReader } from '../../routers/engine/store/objects.ts';
import { assembleBody, parseJsonBody } from '../../routers/engine/tasks/body.ts';
import type { Engines } from '../../routers/engine/tasks/engines.ts';
import { budgetBodies } from '../hardening/body-budget.ts';
import {
  createJsonBounds,
  type JsonBounds,
  MAX_DEPTH,
  MAX_DOCUMENT_VALUES,
  MAX_NAMES,
  MAX_VALUES,
} from '../hardening/json-bounds.ts';
import { httpError } from './http-errors.ts';
import { declaredLength, hasBody, readBody } from './read-body.ts';
import { countHosts } from './request-target.ts';

/** The default limit, enough for most JSON bodies; operations that accept documents and files set their own. */
export const BODY_LIMIT = 1024 * 1024;

/** Size from which JSON takes too long in the main process: some 30 ms with all checks. */
const LARGE_BODY = 512 * 1024;

const NO_OBJECTS: ObjectReader = { read: async () => new Map() };

/** How long a body may take to arrive before its sender is authenticated again, in milliseconds. */
const AUTHENTICATION_LIFETIME = 1000;

/** Bytes of memory for each value of a JSON body, in addition to its text. */
const VALUE_SIZE = 64;

const LIMIT_ERRORS = {
  values: (maxValues: number) => httpError(413, `The request body contains more than ${maxValues} values.`),
  names: () =>
    httpError(
      413,
      `The request body contains more than ${MAX_NAMES} different property names, or too many with escapes.`,
    ),
  depth: () => httpError(400, `The request body is nested more than ${MAX_DEPTH} levels deep.`),
};

/**
 * Reads JSON bodies. An empty body counts as none, whatever its type; other types are rejected. Keys such as `__proto__` are
 * dropped, like all unknown keys.
 */
export function parseBodies(app: FastifyInstance, engines: Engines): void {
  const budget = budgetBodies(app);
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (!hasBody(request.raw)) return done();
    try {
      request.bodyReservation = budget.open(callerOf(request), reply.raw);
      request.bodyReservation.growTo(declaredLength(request.raw) ?? 0);
    } catch (error) {
      return done(error as Error);
    }
    // A client that sends Expect waits for 100 Continue.
    if (request.headers.expect !== undefined) reply.raw.writeContinue?.();
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request, payload, done) => {
    readBytes(request, payload)
      .then(async ({ bytes, bounds }) => {
        if (isLarge(bytes, bounds)) done(null, await parseLarge(engines, request, bytes));
        else done(null, bytes.length > 0 ? parseJsonBody(bytes) : undefined);
      })
      .catch(done);
  });
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: FastifyRequest['raw']) => {
    // Only an empty body is accepted.
    const onBytes = () => {
      throw httpError(415);
    };
    await readBody(request, payload, { limit: request.routeOptions.bodyLimit ?? 0, onBytes });
  });
}

/** The caller whose share the body of a request uses: by now, they are authenticated or have a signed URL. */
const callerOf = ({ ctx, ip, routeOptions, params }: FastifyRequest): Caller => {
  const caller = ctx?.caller;
  if (caller) return { user: caller.kind === 'user' ? caller.user.id : caller.site };
  return { user: routeOptions.config.callerFrom?.(params) ?? ip };
};

/** The value of a large body, already parsed in a worker. */
export class ParsedBody {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/**
 * Makes the reader of JSON bodies that are parsed later. It returns the text, whose number of values is limited, or the
 * parsed value of a large body if the operation accepts one; undefined for an empty body.
 */
export const jsonReader =
  (engines: Engines) =>
  async (
    request: FastifyRequest,
    payload: FastifyRequest['raw'],
  ): Promise<string | ParsedBody | undefined> => {
    const { bytes, bounds } = await readBytes(request, payload);
    const acceptsLarge = (request.routeOptions.bodyLimit ?? 0) > BODY_LIMIT;
    if (acceptsLarge && isLarge(bytes, bounds))
      return new ParsedBody(await parseLarge(engines, request, bytes));
    return bytes.length === 0 ? undefined : textOf(bytes);
  };

const isLarge = (bytes: Buffer, { values, hasManyNames }: JsonBounds) =>
  bytes.length > LARGE_BODY || values > MAX_VALUES || hasManyNames;

async function readBytes(
  request: FastifyRequest,
  payload: FastifyRequest['raw'],
): Promise<{ bytes: Buffer; bounds: JsonBounds }> {
  const limit = request.routeOptions.bodyLimit ?? 0;
  const anyNames = limit > BODY_LIMIT;
  const maxValues = anyNames ? MAX_DOCUMENT_VALUES : MAX_VALUES;
  const bounds = createJsonBounds({ maxValues, anyNames });
  let length = 0;
  const onBytes = (bytes: Buffer) => {
    const exceeded = bounds.check(bytes);
    if (exceeded) throw LIMIT_ERRORS[exceeded](maxValues);
    length += bytes.length;
    request.bodyReservation?.growTo(length + bounds.values * VALUE_SIZE);
  };
  const begun = performance.now();
  const bytes = await readBody(request, payload, { limit, onBytes });
  // guard: slow-body-caller
  if (performance.now() - begun > AUTHENTICATION_LIFETIME) await authenticateAgain(request);
  return { bytes, bounds };
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw httpError(400, 'The request body is not valid UTF-8.');
  return bytes.toString();
}

/** Parses a large body in a worker. */
async function parseLarge(engines: Engines, request: FastifyRequest, bytes: Uint8Array): Promise<unknown> {
  const sender = await request.ctx.authenticate();
  const engine = engines.for({
    user: sender?.kind === 'user' ? sender.user.id : request.ctx.browser.address,
  });
  const read = await engine.run('body', { bytes, maxValues: MAX_VALUES, maxNames: MAX_NAMES }, NO_OBJECTS);
  if (read === 'too many values') throw LIMIT_ERRORS.values(MAX_VALUES);
  if (read === 'too many names') throw LIMIT_ERRORS.names();
  return assembleBody(read);
}

/** Rejects requests that no operation could accept, before their body is read. */
export function rejectEarly(app: FastifyInstance, maxUrlLength: number): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, raw, routeOptions } = request;
    if (request.url.length > maxUrlLength) return done(httpError(414));
    if (headers.host === undefined && raw.httpVersion === '1.1') {
      return done(httpError(400, 'The request has no Host header.'));
    }
    // guard: one-host
    if (countHosts(raw) > 1) return done(httpError(400, 'The request has more than one Host header.'));
    if (request.url.includes('%00')) {
      return done(httpError(400, 'The URL contains a NUL character.'));
    }
    if (!hasBody(raw)) return done();
    if (method === 'GET' || method === 'HEAD') {
      return done(httpError(400, `A ${method} request must not have a body.`));
    }
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      reply.header('accept-encoding', 'identity');
      return done(httpError(415, 'The request body must not be compressed.'));
    }
    const { bodyLimit } = routeOptions;
    if (bodyLimit !== undefined && (declaredLength(raw) ?? 0) > bodyLimit) return done(httpError(413));
    done();
  });
}

/**
 * Authenticates the sender before a body is read, unless anyone may send it: bodies are not read without a valid token, nor,
 * for operations that change something, with a read-only one.
 */
export function authenticateSenders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!hasBody(request.raw) || request.routeOptions.config.isPublic) done();
    else authenticateSender(request).then(() => done(), done);
  });
}

const authenticateSender = ({ ctx, routeOptions }: FastifyRequest): Promise<unknown> =>
  (routeOptions.config.isQuery ? requireReader : requireWriter)(ctx);

/** Authenticates the sender again whose body took long to arrive. */
async function authenticateAgain(request: FastifyRequest): Promise<void> {
  if (request.routeOptions.config.isPublic) return;
  request.ctx.forgetCaller();
  await authenticateSender(request);
}
