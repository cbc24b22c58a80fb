import { type ClientRequest, get, type IncomingMessage } from 'node:http';

/** One message of a stream of server-sent events. */
export interface Message {
  id?: string;
  event?: string;
  data: string;
}

/** A client that reads a stream of server-sent events over a connection of its own. */
export interface StreamReader {
  status: number;
  headers: IncomingMessage['headers'];
  messages: Message[];
  /** Resolves with all messages once there are as many; comments do not count. */
  until(count: number): Promise<Message[]>;
  /** Resolves with all messages once the server has ended the stream. */
  ended(): Promise<Message[]>;
  /** Stops reading, so that the server cannot send more. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Opens a stream of a service that listens on this port. */
export function openStream(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<StreamReader> {
  return new Promise((resolve, reject) => {
    const request: ClientRequest = get(
      { host: '127.0.0.1', port, path, headers: { accept: 'text/event-stream', ...headers }, agent: false },
      (response) => resolve(readerOf(request, response)),
    );
    request.on('error', reject);
  });
}

function readerOf(request: ClientRequest, response: IncomingMessage): StreamReader {
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  let text = '';
  let isOver = false;
  const look = () => {
    for (const one of waiting) one();
  };
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const message = messageOf(block);
      if (message) messages.push(message);
    }
    look();
  });
  const end = () => {
    isOver = true;
    look();
  };
  response.on('end', end).on('error', end).on('close', end);
  const when = (condition: () => boolean) =>
    new Promise<Message[]>((resolve) => {
      const one = () => {
        if (!condition()) return;
        waiting.delete(one);
        resolve(messages);
      };
      waiting.add(one);
      one();
    });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    messages,
    until: (count) => when(() => messages.length >= count),
    ended: () => when(() => isOver),
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    close: () => void request.destroy(),
  };
}

function messageOf(block: string): Message | undefined {
  const message: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name) message[name] = value;
  }
  return 'data' in message ? (message as unknown as Message) : undefined;
}
