import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import { chunkLimitedRequests, hasTinyChunks } from '../hardening/tiny-chunks.ts';
import { type ErrorBody, type HttpErrorStatus, httpError } from './http-errors.ts';
import { handleInTurn } from './pipelining.ts';
import { hasBody } from './read-body.ts';
import { readRequestTarget } from './request-target.ts';

/** Maximum size of the URL and headers of a request together, in bytes. */
const MAX_HEADER_SIZE = 32 * 1024;

/** Time limit for the URL and headers to arrive, in milliseconds; bodies have their own limits. */
const HEADERS_TIMEOUT = 10_000;

/** Time limit for any request; longer than the largest upload may take. */
const REQUEST_TIMEOUT = 15 * 60_000;

/** Idle connections are closed after this time. */
const IDLE_TIMEOUT = 5 * 60_000;

/** Maximum number of connections; further ones are closed at once. */
const MAX_CONNECTIONS = 4096;

/**
 * How long further data of a rejected request is read and dropped: the client may read the response only after it has sent
 * everything.
 */
const LINGER_TIME = 5000;

/** Server options that limit the resources of a connection. */
export const connectionOptions = {
  http: {
    ...chunkLimitedRequests,
    maxHeaderSize: MAX_HEADER_SIZE,
    headersTimeout: HEADERS_TIMEOUT,
    connectionsCheckingInterval: 1000,
    // Our own handler rejects such requests, with an error in the format of the API.
    requireHostHeader: false,
  },
  requestTimeout: REQUEST_TIMEOUT,
  connectionTimeout: IDLE_TIMEOUT,
  clientErrorHandler: handleClientError,
} satisfies FastifyHttpOptions<Server>;

/**
 * Handles errors to which Node itself would respond with an empty body, and closes connections that keep sending after the
 * response.
 */
export function watchConnections(app: FastifyInstance): void {
  const { server } = app;
  server.maxConnections = MAX_CONNECTIONS;
  // 100 Continue is sent when the body is read, so never if the request is rejected.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.on('checkExpectation', ({ method, socket }: IncomingMessage, response: ServerResponse) => {
    const body = errorText(417);
    const headers = {
      'content-type': JSON_TYPE,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
      'x-request-id': logEarlyRejection(app, { status: 417, method }, socket.bytesRead),
    };
    response.writeHead(417, headers).end(body);
  });
  // CONNECT is only for proxies: what follows it is not HTTP.
  server.on('connect', ({ method }: IncomingMessage, socket: Socket) => {
    const message = 'CONNECT is not supported: this is not a proxy.';
    respondOnSocket(app, socket, { status: 405, method, message });
  });

  const isStillSending = (raw: IncomingMessage) =>
    hasBody(raw) && raw.complete === false && !raw.isPaused() && !raw.destroyed && !hasTinyChunks(raw);
  const dropRest = (raw: IncomingMessage) => {
    if (!isStillSending(raw)) return;
    // guard: tiny-chunks-after-response
    raw.once('tinyChunks', () => raw.socket.destroy()).resume();
    setTimeout(() => raw.complete || raw.socket.destroy(), LINGER_TIME).unref();
  };
  // Not as hooks of Fastify, which does not run them for a URL that it cannot decode.
  server.prependListener('request', (request, response) => {
    readRequestTarget(request);
    if (!hasBody(request)) return;
    // Start reading, since chunks of a body that is never read would be dropped without being counted.
    // guard: unread-chunks-counted
    request.read(0);
    // guard: unread-bodies-dropped
    response.once('finish', () => dropRest(request));
  });
  // guard: pipelined-requests
  handleInTurn(server);
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    // Closing at once would reset a connection that is still sending, so that the response would be lost.
    if (isStillSending(raw)) reply.removeHeader('connection');
    else if (hasTinyChunks(raw)) reply.header('connection', 'close');
    done();
  });
}

/** Lets each response end its connection while the service closes: keep-alive clients would keep the process running. */
export function endConnectionsWhileClosing(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close');
    done();
  });
}

const JSON_TYPE = 'application/json; charset=utf-8';

const errorText = (code: HttpErrorStatus, message = httpError(code).message) =>
  JSON.stringify({ error: { code, message } } satisfies ErrorBody);

interface EarlyRejection {
  status: HttpErrorStatus;
  /** Undefined if the request could not be parsed. */
  method?: string | undefined;
}

/** Logs a request that is rejected before there are hooks to log it, and returns its new id. */
function logEarlyRejection({ log }: FastifyInstance, { status, method }: EarlyRejection, bytes: number) {
  const requestId = randomUUID();
  // Browsers and load balancers open connections ahead, and may never send anything.
  log[bytes > 0 ? 'info' : 'debug']({ requestId, ...(method && { method }), status }, 'request');
  return requestId;
}

/** Responds on the raw socket, and closes it. */
function respondOnSocket(
  app: FastifyInstance,
  socket: Socket,
  { message, ...rejection }: EarlyRejection & { message?: string | undefined },
): void {
  const { status } = rejection;
  const requestId = logEarlyRejection(app, rejection, socket.bytesRead);
  const body = errorText(status, message);
  const allow = status === 405 ? 'allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n' : '';
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${allow}x-request-id: ${requestId}\r\ncontent-type: ${JSON_TYPE}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** The statuses of errors of Node's parser, which occur before there is a request. */
const PARSER_ERRORS: Record<string, HttpErrorStatus> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The first line of a request, with any method. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~\w-]{1,64} \S+ HTTP\/1\.[01]\r?\n/;

const isRequestLine = (packet: unknown): boolean =>
  Buffer.isBuffer(packet) && REQUEST_LINE.test(packet.toString('latin1'));

/** Responds to input that could not be parsed as a request. */
function handleClientError(
  this: FastifyInstance,
  error: { code?: string; rawPacket?: unknown },
  socket: Socket,
): void {
  // If a response is in progress on the socket, nothing may be written into it.
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: { headersSent: boolean } };
  if (error.code === 'ECONNRESET' || !socket.writable || response?.headersSent) {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_INVALID_METHOD' && isRequestLine(error.rawPacket)) {
    respondOnSocket(this, socket, { status: 405, message: 'This method is not supported.' });
    return;
  }
  const status = PARSER_ERRORS[error.code ?? ''];
  respondOnSocket(
    this,
    socket,
    status ? { status } : { status: 400, message: 'The request is not valid HTTP.' },
  );
}
