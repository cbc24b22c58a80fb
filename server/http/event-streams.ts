import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { isTrackedEnvelope, type TrackedEnvelope } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** How often each stream is sent something, in milliseconds: less than proxies wait before they close a connection. */
const PING_INTERVAL = 15_000;

/** How one kind of client expects its stream, as server-sent events. */
export interface StreamFormat {
  /** The first text. */
  opening: string;
  ping: string;
  /** The data of an event, in one line. */
  dataOf(event: object): string;
  /** The last text of a stream that failed, and of one that is complete. */
  failure(error: unknown, request: FastifyRequest): string;
  closing: string;
}

type Events = AsyncIterable<TrackedEnvelope<object>>;

/** Sends tracked events to a client for as long as it reads them. */
export type StreamSender = (
  request: FastifyRequest,
  reply: FastifyReply,
  events: Events,
  format: StreamFormat,
) => FastifyReply;

/** Whether a client wants a stream instead of one response. */
export const acceptsStream = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && headers.accept !== undefined && ACCEPTS_STREAM.test(headers.accept);

const ACCEPTS_STREAM = /^text\/event-stream(?:[;, ]|$)/i;

/** Whether a response is a stream. */
export const isStream = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type')).startsWith('text/event-stream');

/** The id of the event that a client resumes after, as browsers send it when they connect again. */
export const lastEventId = ({ headers }: FastifyRequest): string | undefined => {
  const given = headers['last-event-id'];
  return typeof given === 'string' ? given : undefined;
};

/** A response that is a stream; `written` is what its connection had taken at the last ping, if it was behind then. */
interface Stream {
  format: StreamFormat;
  written: number | undefined;
}

/**
 * Makes the sender of streams. All of them are pinged together; one that takes nothing of what it is sent from one ping to
 * the next is cut, and so are all when the application closes: clients connect again and resume.
 */
export function streamSender(app: FastifyInstance, interval = PING_INTERVAL): StreamSender {
  const streams = new Map<ServerResponse, Stream>();
  const timer = setInterval(() => {
    for (const [response, stream] of streams) {
      // More is written only once all before was taken.
      const written = response.writableNeedDrain ? response.socket?.bytesWritten : undefined;
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
    // The connection carries nothing after the stream.
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

/** Waits until a response takes more; false if it was closed instead. */
const drained = (response: ServerResponse): Promise<boolean> =>
  new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle);
      resolve(!response.destroyed);
    };
    response.on('drain', settle).on('close', settle);
  });

const texts = new WeakMap<StreamFormat, WeakMap<object, string>>();

/** One event on the wire; many streams send the same. */
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
