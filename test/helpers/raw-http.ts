import { connect, type Socket } from 'node:net';

/** Everything received over a raw connection until it ended. */
export interface RawResponse {
  /** The status of the first response; 0 if there was none. */
  status: number;
  /** The headers of the first response, with names in lower case. */
  headers: Record<string, string>;
  /** Everything after the headers of the first response. */
  text: string;
}

/** Opens a connection to a service on this machine. */
export const openSocket = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });

/** Reads until the connection ends, or until `enough` accepts the text received so far. */
export const readResponse = (socket: Socket, enough = (_text: string) => false): Promise<RawResponse> =>
  new Promise((resolve) => {
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      if (enough(text)) resolve(parseResponse(text));
    });
    // Data lost with a broken connection is missing from the text.
    socket.on('error', () => {});
    socket.on('close', () => resolve(parseResponse(text)));
  });

function parseResponse(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(first)?.[1] ?? 0), headers, text: text.slice(end + 4) };
}

/** Sends bytes unchanged, and reads until the connection ends. */
export async function sendRaw(port: number, bytes: string): Promise<RawResponse> {
  const socket = await openSocket(port);
  const response = readResponse(socket);
  socket.write(bytes);
  return response;
}
