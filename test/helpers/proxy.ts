import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The address of a PostgreSQL server: a host and port, or the path of a Unix socket. */
export type Target = { host: string; port: number } | { path: string };

/** A network fault: the connection breaks, or it stays open without transferring anything. */
export type Fault = 'cut' | 'stall';

/** A TCP proxy in front of PostgreSQL, to simulate network faults. */
export interface DatabaseProxy {
  port: number;
  /** Called with each statement (and whatever else the client sends) before it is forwarded; may return a fault. */
  onClientData: (text: string) => Fault | undefined;
  /** Stalls all open connections without closing them. New ones stall while `target` is undefined. */
  stall(): void;
  /** The server to which new connections are forwarded. */
  target: Target | undefined;
  close(): Promise<void>;
}

/** The server in a database URL, whose `host` parameter may be the folder of a Unix socket. */
export function targetOf(url: string): Target {
  const { searchParams, hostname, port } = new URL(url);
  const folder = searchParams.get('host');
  return folder
    ? { path: `${folder}/.s.PGSQL.${port || 5432}` }
    : { host: hostname, port: Number(port || 5432) };
}

/** The URL of the same database through a proxy. */
export function proxiedUrl(proxy: DatabaseProxy, url: string): string {
  const changed = new URL(url);
  changed.hostname = '127.0.0.1';
  changed.port = String(proxy.port);
  changed.search = '';
  return changed.href;
}

export async function startProxy(target?: Target): Promise<DatabaseProxy> {
  const open = new Set<Socket>();
  const stalled = new WeakSet<Socket>();
  const server = createServer((client) => {
    track(client);
    if (!proxy.target) return;
    const upstream = connect(proxy.target);
    track(upstream);
    const cut = () => {
      // A stalled connection must look alive, whatever the other side does.
      if (stalled.has(client)) return;
      client.destroy();
      upstream.destroy();
    };
    client.on('data', (bytes) => {
      const fault = proxy.onClientData(bytes.toString('latin1'));
      if (fault === 'stall') stalled.add(client);
      if (fault === 'cut') cut();
      else if (!stalled.has(client)) upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (!stalled.has(client)) client.write(bytes);
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', cut);
  });
  const track = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
  };
  const proxy: DatabaseProxy = {
    port: 0,
    target,
    onClientData: () => undefined,
    stall() {
      for (const socket of open) stalled.add(socket);
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.port = (server.address() as AddressInfo).port;
  return proxy;
}
