import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { isTrackedEnvelope, type TrackedEnvelope } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** How often to ping streams, in milliseconds: more often than the idle timeouts of proxies. */
const PING_INTERVAL = 15_000;

/** The format of a stream of server-sent events, which differs between the REST API and tRPC. */
export interface StreamFormat {
  /** Sent first. */
  opening: string;
  ping: string;
  /** The data of an event, on one line. */
  dataOf(event: object): string;
  /** Sent last by a stream that has failed, and by one that is complete. */
  failure(error: unknown, request: FastifyRequest): string;
  closing: string;
}

type Events = AsyncIterable<TrackedEnvelope<object>>;

/** Sends tracked events to a client until it disconnects. */
export type StreamSender = (
  request: FastifyRequest,
  reply: FastifyReply,
  events: Events,
  format: StreamFormat,
) => FastifyReply;

/** Whether a client requests a stream instead of a single response. */
export const acceptsStream = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && headers.accept !== undefined && ACCEPTS_STREAM.test(headers.accept);

const ACCEPTS_STREAM = /^text\/event-stream(?:[;, ]|$)/i;

/** Whether a response is a stream. */
export const isStream = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type')).startsWith('text/event-stream');

/** The id of the event after which a client resumes, as browsers send it when they reconnect. */
export const lastEventId = ({ headers }: FastifyRequest): string | undefined => {
  const given = headers['last-event-id'];
  return typeof given === 'string' ? given : undefined;
};

/** An open stream; `written` is the number of bytes its connection had sent at the last ping, if it was behind then. */
interface Stream {
  format: StreamFormat;
  written: number | undefined;
}

/**
 * Makes the sender of streams. All streams are pinged together. One that is behind and sends nothing between two pings is
 * closed, and so are all when the application closes: clients reconnect and resume.
 */
export function streamSender(app: FastifyInstance, interval = PING_INTERVAL): StreamSender {
  const streams = new Map<ServerResponse, Stream>();
  const timer = setInterval(() => {
    for (const [response, stream] of streams) {
      // Nothing more is written until the buffered data has been sent.
      const written = response.writableNeedDrain ? response.socket?.bytesWritten : undefined;
      // guard: event-stream-unread
      if (written === undefined) response.write(stream.format.ping);
      else if (written === stream.written) response.destroy();
      stream.written = written;
    }
  }, interval).unref();
  app.addHook('preClose', async () => {
    clearInterval(timer);
    for (const response of streams.keys()) response.end();
  });

  return (request, reply, events, format) => {
    reply.hijack();
    const response = reply.raw;
    // The connection is not reused after the stream.
    response.shouldKeepAlive = false;
    reply.headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    response.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
    response.write(format.opening);
    streams.set(response, { format, written: undefined });
    const reading = events[Symbol.asyncIterator]();
    const stop = () => {
      streams.delete(response);
      void reading.return?.();
    };
    if (response.destroyed) stop();
    else response.once('close', stop);
    void pump(request, response, reading, format);
    return reply;
  };
}

async function pump(
  request: FastifyRequest,
  response: ServerResponse,
  events: AsyncIterator<TrackedEnvelope<object>>,
  format: StreamFormat,
): Promise<void> {
  try {
    for (;;) {
      const next = await events.next();
      if (next.done) break;
      if (!response.write(textOf(next.value, format)) && !(await drained(response))) return;
    }
    response.end(format.closing);
  } catch (error) {
    response.end(format.failure(error, request));
  }
}

/** Waits until more may be written to a response; false if it was closed instead. */
const drained = (response: ServerResponse): Promise<boolean> =>
  new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle);
      resolve(!response.destroyed);
    };
    response.on('drain', settle).on('close', settle);
  });

const texts = new WeakMap<StreamFormat, WeakMap<object, string>>();

/** The text of an event, which is cached, since many streams send the same one. */
function textOf(envelope: TrackedEnvelope<object>, format: StreamFormat): string {
  if (!isTrackedEnvelope(envelope)) throw new Error('an event of a stream has no id');
  const [id, event] = envelope;
  let known = texts.get(format);
  if (!known) {
    known = new WeakMap();
    texts.set(format, known);
  }
  let text = known.get(event);
  if (text === undefined) {
    text = `id: ${id}\ndata: ${format.dataOf(event)}\n\n`;
    known.set(event, text);
  }
  return text;
}
