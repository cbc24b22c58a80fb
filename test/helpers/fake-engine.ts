import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Reply {
  status?: number;
  body?: string;
  headers?: Record<string, string>;
  /** Whether the response never ends. */
  hangs?: boolean;
  /** Whether the connection breaks in the middle of the body. */
  cut?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: what engines send
export type SentRequest = { path: string; authorization: string | undefined; body: any };

/** An HTTP server that stands in for an external engine. */
export interface FakeEngine {
  url: string;
  /** The replies to the next requests, in order; after them, `defaultReply` is used. */
  replies: ((sent: SentRequest) => Reply)[];
  defaultReply: (sent: SentRequest) => Reply;
  requests: SentRequest[];
  reset(): void;
  close(): void;
}

export async function startFakeEngine(): Promise<FakeEngine> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { authorization } = request.headers;
    const sent = { path: request.url ?? '', authorization, body: JSON.parse(text) };
    engine.requests.push(sent);
    const reply = (engine.replies.shift() ?? engine.defaultReply)(sent);
    const { status = 200, body = '', headers = {}, hangs, cut } = reply;
    if (hangs) return;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    if (cut) {
      response.write(body.slice(0, body.length / 2));
      setImmediate(() => response.destroy());
    } else response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const engine: FakeEngine = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    replies: [],
    defaultReply: () => ({}),
    requests: [],
    reset() {
      engine.replies = [];
      engine.defaultReply = () => ({});
      engine.requests = [];
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return engine;
}

/** The response of an OpenAI-compatible API whose model writes `content`. */
export const repliesWith = (content: string) => (): Reply => ({
  body: JSON.stringify({
    id: '1',
    object: 'chat.completion',
    created: 0,
    model: 'small',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  }),
});

/** The prompt that a model received: the JSON of its last message. */
export const promptOf = ({ body }: SentRequest) => JSON.parse(body.messages.at(-1).content);
