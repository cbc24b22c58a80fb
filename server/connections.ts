import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import { type ErrorBody, type RefusalStatus, refusal } from './http-errors.ts';

/** What the address and headers of a request may have together, in bytes. */
const MAX_HEAD = 32 * 1024;

/** Address and headers have so long to arrive, in milliseconds; bodies have limits of their own. */
const HEAD_TIME = 10_000;

/** A whole request has so long whatever it is; longer than the largest upload may take. */
const REQUEST_TIME = 15 * 60_000;

/** A connection on which nothing moves is ended after this time. */
const IDLE_TIME = 5 * 60_000;

/** Connections at a time; more are closed as they come. */
const MAX_CONNECTIONS = 4096;

/** What a refused request still sends is dropped for so long, because it may read the answer only when it has sent all. */
const LINGER_TIME = 5000;

/** Options of the server that bound what a connection can take. */
export const connectionOptions = {
  http: {
    maxHeaderSize: MAX_HEAD,
    headersTimeout: HEAD_TIME,
    connectionsCheckingInterval: 1000,
    // Refused in the one shape instead.
    requireHostHeader: false,
  },
  requestTimeout: REQUEST_TIME,
  connectionTimeout: IDLE_TIME,
  clientErrorHandler: answerUnreadable,
} satisfies FastifyHttpOptions<Server>;

/** Answers what Node itself would answer without a word, and ends connections that go on sending after an answer. */
export function watchConnections(app: FastifyInstance): void {
  const { server } = app;
  server.maxConnections = MAX_CONNECTIONS;
  // Whoever sends a body only when told to is told when it is read: not at all, if the request is refused.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const body = errorText(417);
    const headers = { 'content-type': TYPE, 'content-length': Buffer.byteLength(body), connection: 'close' };
    response.writeHead(417, headers).end(body);
  });
  // Only proxies connect; the rest of what comes is no HTTP.
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    answerBare(socket, 405, 'CONNECT is not supported: this is not a proxy.');
  });

  const goesOn = (raw: IncomingMessage) => raw.complete === false && !raw.isPaused() && !raw.destroyed;
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    // Closing at once would reset the connection of one who is still sending, and take the answer away with it.
    if (goesOn(raw)) reply.removeHeader('connection');
    done();
  });
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (goesOn(raw)) {
      raw.resume();
      setTimeout(() => raw.complete || raw.socket.destroy(), LINGER_TIME).unref();
    }
    done();
  });
}

const TYPE = 'application/json; charset=utf-8';

const errorText = (code: RefusalStatus, message = refusal(code).message) =>
  JSON.stringify({ error: { code, message } } satisfies ErrorBody);

/** Answers on the bare connection, and ends it. */
function answerBare(socket: Socket, code: RefusalStatus, message?: string): void {
  const body = errorText(code, message);
  const allow = code === 405 ? 'allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n' : '';
  socket.end(
    `HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\n${allow}content-type: ${TYPE}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** What Node's parser refuses before there is a request. */
const UNREADABLE: Record<string, RefusalStatus> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** A line that begins a request, with whatever method. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~\w-]{1,64} \S+ HTTP\/1\.[01]\r?\n/;

const isRequestLine = (packet: unknown): boolean =>
  Buffer.isBuffer(packet) && REQUEST_LINE.test(packet.toString('latin1'));

/** Answers what never became a request. */
function answerUnreadable(error: { code?: string; rawPacket?: unknown }, socket: Socket): void {
  // The socket still knows the answer under way, if there is one: nothing may be written into it.
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: { headersSent: boolean } };
  if (error.code === 'ECONNRESET' || !socket.writable || answer?.headersSent) {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_INVALID_METHOD' && isRequestLine(error.rawPacket)) {
    answerBare(socket, 405, 'This method is not supported.');
    return;
  }
  const status = UNREADABLE[error.code ?? ''];
  answerBare(socket, status ?? 400, status ? undefined : 'The request is not valid HTTP.');
}
