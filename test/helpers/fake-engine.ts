import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Reply {
  status?: number;
  body?: string;
  headers?: Record<string, string>;
  /** Never ends. */
  hangs?: boolean;
  /** Ends in the middle. */
  cut?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: what engines send
export type SentRequest = { path: string; authorization: string | undefined; body: any };

/** A server in the place of an engine. */
export interface FakeEngine {
  url: string;
  /** What it replies, in turn; then `defaultReply`. */
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

/** What an OpenAI-compatible API responds when its model writes a text. */
export const repliesWith = (content: string) => (): Reply => ({
  body: JSON.stringify({
    id: '1',
    object: 'chat.completion',
    created: 0,
    model: 'small',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  }),
});

/** What a model was asked: the JSON of its last message. */
export const promptOf = ({ body }: SentRequest) => JSON.parse(body.messages.at(-1).content);
