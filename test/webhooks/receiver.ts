import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The response of a receiver; undefined for none at all. */
type Respond = (received: Received) => { status: number; body?: string; location?: string } | undefined;

export interface Receiver {
  url: string;
  received: Received[];
  /** Resolves once this many requests have arrived. */
  until(count: number): Promise<Received[]>;
  /** Changes the responses from now on. */
  respond(respond: Respond): void;
  close(): void;
}

/** A local server that records what is posted to it. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let respond: Respond = () => ({ status: 204 });
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const one = { path: request.url ?? '', headers: request.headers, body };
    received.push(one);
    for (const look of waiting) look();
    const planned = respond(one);
    if (!planned) return;
    const { status, location } = planned;
    response.writeHead(status, location === undefined ? {} : { location }).end(planned.body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    until: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length < count) return;
          waiting.delete(look);
          resolve(received);
        };
        waiting.add(look);
        look();
      }),
    respond(next) {
      respond = next;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
