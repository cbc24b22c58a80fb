import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../../routers/base/context.ts';
import { EVENT_CHANNEL } from '../../routers/events/record.operation.ts';
import type { Connection } from '../../schema/orm.config.ts';
import { openRepeatedErrors } from '../repeated-errors.ts';

/** How long to wait before connecting again, in milliseconds. */
const RECONNECT_DELAY = 1000;

/** How often to check that the connection still responds, and how long that may take, in milliseconds. */
const PROBE_INTERVAL = 15_000;
const RESPONSE_LIMIT = 5000;

export interface EventListener {
  /** Starts listening; later calls do nothing. */
  start(): void;
  close(): Promise<void>;
}

/**
 * Listens for new events of organizations, on a connection of its own.
 * @param wake called with an organization that has new events, and without one if notifications may have been missed
 */
export function eventListener(
  connection: Connection,
  wake: (organization?: string) => void,
  logger: Logger,
): EventListener {
  const closing = new AbortController();
  const { signal } = closing;
  const errors = openRepeatedErrors(logger, 'warn');
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await listen().catch((error: unknown) => {
        if (!signal.aborted) errors.log(error, 'not listening for events: connecting again');
      });
      await pause(RECONNECT_DELAY);
    }
  }

  const pause = (milliseconds: number) =>
    sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);

  /** Listens until the connection fails or the listener is closed. */
  async function listen(): Promise<void> {
    const client = new pg.Client({
      ...(connection as pg.ClientConfig),
      application_name: 'colophon events',
      connectionTimeoutMillis: RESPONSE_LIMIT,
      query_timeout: RESPONSE_LIMIT,
      keepAlive: true,
    });
    const lost = new AbortController();
    // Without a handler, the loss of an idle connection would end the process.
    client.on('error', (error) => lost.abort(error));
    client.on('end', () => lost.abort());
    client.on('notification', ({ payload }) => wake(payload));
    try {
      await client.connect();
      await client.query(`listen ${EVENT_CHANNEL}`);
      wake();
      const stop = AbortSignal.any([signal, lost.signal]);
      while (!stop.aborted) {
        await sleep(PROBE_INTERVAL, undefined, { signal: stop, ref: false }).catch(() => undefined);
        if (!stop.aborted) await client.query('select');
      }
      if (!signal.aborted) throw lost.signal.reason;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  return {
    start() {
      running ??= run();
    },
    async close() {
      closing.abort();
      errors.close();
      await running;
    },
  };
}
