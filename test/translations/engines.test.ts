import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTranslationEngine } from '../../server/language/translation-engines.ts';

interface Reply {
  status?: number;
  body?: string;
  headers?: Record<string, string>;
  /** Never ends. */
  hangs?: boolean;
  /** Ends in the middle. */
  cut?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: what engines send
type Sent = { path: string; authorization: string | undefined; body: any };

/** A server in the place of an engine, which replies as it is told, in turn. */
let server: Server;
let url: string;
let replies: ((sent: Sent) => Reply)[] = [];
let sent: Sent[] = [];
beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { authorization } = request.headers;
    const one = { path: request.url ?? '', authorization, body: JSON.parse(text) };
    sent.push(one);
    const reply: Reply = replies.shift()?.(one) ?? {};
    const { status = 200, body = '', headers = {}, hangs, cut } = reply;
    if (hangs) return;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    if (cut) {
      response.write(body.slice(0, body.length / 2));
      setImmediate(() => response.destroy());
    } else response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  replies = [];
  sent = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const request = {
  texts: ['Open the <g1>space</g1> with <x2/>.', 'Stop'],
  source: 'en',
  target: 'de',
  instructions: 'Say du.',
  terms: [{ source: 'space', target: 'Bereich' }],
} as const;

/** A busy machine makes the server slow, not silent. */
const options = { timeLimit: 20_000, firstWait: 1 };
const model = (timeLimit = options.timeLimit) =>
  createTranslationEngine(
    { engine: 'model', url: `${url}/v1`, model: 'small', apiKey: 'secret' },
    { ...options, timeLimit },
  );
const libre = () => createTranslationEngine({ engine: 'libretranslate', url, apiKey: 'secret' }, options);

const says = (content: string) => (): Reply => ({
  body: JSON.stringify({
    id: '1',
    object: 'chat.completion',
    created: 0,
    model: 'small',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  }),
});
const ANSWERS = ['Öffne den <g1>Bereich</g1> mit <x2/>.', 'Halt'];

describe('a language model', () => {
  test('is sent texts, languages, instructions and terms, with its key', async () => {
    replies = [says(`Sure! ${JSON.stringify(ANSWERS)}`)];
    expect(await model().translate(request)).toEqual(ANSWERS);
    const [{ path, authorization, body } = { path: '', authorization: '', body: {} }] = sent;
    expect({ path, authorization }).toEqual({ path: '/v1/chat/completions', authorization: 'Bearer secret' });
    expect(body.model).toBe('small');
    const { texts, instructions, from, to, glossary } = JSON.parse(body.messages.at(-1).content);
    expect({ texts, instructions, from, to, glossary }).toEqual({
      texts: request.texts,
      instructions: request.instructions,
      from: 'en',
      to: 'de',
      glossary: request.terms,
    });
  });

  test.for([
    ['over its limit', { status: 429, headers: { 'retry-after': '0' } }],
    ['down', { status: 503 }],
    ['slow', { hangs: true }, 3000],
  ] as const)('that is %s is asked again', async ([, reply, timeLimit]) => {
    replies = [() => reply, says(JSON.stringify(ANSWERS))];
    expect(await model(timeLimit).translate(request)).toEqual(ANSWERS);
    expect(sent).toHaveLength(2);
  });

  test.for([
    [
      'stays over its limit',
      { status: 429 },
      4,
      'The language model cannot be used: It responds with status 429.',
    ],
    [
      'refuses the key',
      { status: 401 },
      1,
      'The language model cannot be used: It responds with status 401.',
    ],
    [
      'never responds',
      { hangs: true },
      4,
      'The language model cannot be used: The URL did not respond within 0.1 seconds.',
      100,
    ],
    [
      'cuts each response off',
      { body: 'x'.repeat(1000), cut: true },
      4,
      'The language model cannot be used: The URL could not be read.',
    ],
  ] as const)('that %s is given up, and why', async ([, reply, attempts, message, timeLimit]) => {
    replies = Array.from({ length: 9 }, () => () => reply);
    await expect(model(timeLimit).translate(request)).rejects.toThrow(message);
    expect(sent).toHaveLength(attempts);
  });

  test.for([
    ['no answer of such a server', () => ({ body: '{"choices":' })],
    ['another kind of answer', () => ({ body: '[]' })],
    ['prose', says('I cannot do that.')],
    ['half a list', says('["Öffne')],
    ['a list of another length', says('["Halt"]')],
  ] as const)('that gives %s has translated nothing', async ([, reply]) => {
    replies = [reply];
    expect((await model().translate(request)).filter((text) => text !== undefined)).toEqual([]);
  });
});

describe('LibreTranslate', () => {
  test('is sent HTML in which terms stay', async () => {
    replies = [
      ({ body }) => ({
        body: JSON.stringify({
          translatedText: body.q.map((text: string) =>
            text.replace('Open the', 'Öffne den').replace('with', 'mit'),
          ),
        }),
      }),
    ];
    expect(await libre().translate(request)).toEqual(['Öffne den <g1>Bereich</g1> mit <x2></x2>.', 'Stop']);
    expect(sent[0]).toMatchObject({
      path: '/translate',
      body: { source: 'en', target: 'de', format: 'html', api_key: 'secret' },
    });
    expect(JSON.stringify(sent[0]?.body)).not.toContain('space');
  });

  test.for([
    ['nonsense', 'nonsense'],
    ['nothing', '{}'],
    ['an error', '{"error":"no"}'],
    ['another kind of list', '{"translatedText":[1,null]}'],
  ] as const)('that answers %s has translated nothing', async ([, body]) => {
    replies = [() => ({ body })];
    expect((await libre().translate(request)).filter((text) => text !== undefined)).toEqual([]);
  });

  test('that does not know a language says so, once', async () => {
    replies = [() => ({ status: 400, body: '{"error":"de is not supported"}' })];
    await expect(libre().translate(request)).rejects.toThrow('LibreTranslate cannot be used');
    expect(sent).toHaveLength(1);
  });
});

test('an engine with a redirect is not followed elsewhere', async () => {
  replies = [() => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' } })];
  await expect(libre().translate(request)).rejects.toThrow('It responds with status 302.');
});
