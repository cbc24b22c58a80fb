import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTranslationEngine } from '../../server/language/translation-engines.ts';
import { type FakeEngine, promptOf, repliesWith, startFakeEngine } from '../helpers/fake-engine.ts';

let engine: FakeEngine;
beforeAll(async () => {
  engine = await startFakeEngine();
});
beforeEach(() => engine.reset());
afterAll(() => engine.close());

const request = {
  texts: ['Open the <g1>space</g1> with <x2/>.', 'Stop'],
  source: 'en',
  target: 'de',
  instructions: 'Say du.',
  terms: [{ source: 'space', target: 'Bereich' }],
} as const;

/** A busy machine makes the server slow, not silent. */
const options = { timeLimit: 20_000, initialWait: 1 };
const model = (timeLimit = options.timeLimit) =>
  createTranslationEngine(
    { engine: 'model', url: `${engine.url}/v1`, model: 'small', apiKey: 'secret' },
    { ...options, timeLimit },
  );
const libre = () =>
  createTranslationEngine({ engine: 'libretranslate', url: engine.url, apiKey: 'secret' }, options);

const ANSWERS = ['Öffne den <g1>Bereich</g1> mit <x2/>.', 'Halt'];

describe('a language model', () => {
  test('a language model is sent texts, languages, instructions and terms, with its key', async () => {
    engine.replies = [repliesWith(`Sure! ${JSON.stringify(ANSWERS)}`)];
    expect(await model().translate(request)).toEqual(ANSWERS);
    const [{ path, authorization, body } = { path: '', authorization: '', body: {} }] = engine.requests;
    expect({ path, authorization }).toEqual({ path: '/v1/chat/completions', authorization: 'Bearer secret' });
    expect(body.model).toBe('small');
    const { texts, instructions, from, to, glossary } = promptOf({ path, authorization, body });
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
  ] as const)('a language model that is %s is asked again', async ([, reply, timeLimit]) => {
    engine.replies = [() => reply, repliesWith(JSON.stringify(ANSWERS))];
    expect(await model(timeLimit).translate(request)).toEqual(ANSWERS);
    expect(engine.requests).toHaveLength(2);
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
      'The language model cannot be used: The URL did not respond within 0.5 seconds.',
      500,
    ],
    [
      'cuts each response off',
      { body: 'x'.repeat(1000), cut: true },
      4,
      'The language model cannot be used: The URL could not be read.',
    ],
  ] as const)(
    'a language model that %s is given up, and why',
    async ([, reply, attempts, message, timeLimit]) => {
      engine.replies = Array.from({ length: 9 }, () => () => reply);
      await expect(model(timeLimit).translate(request)).rejects.toThrow(message);
      expect(engine.requests).toHaveLength(attempts);
    },
  );

  test.for([
    ['no response of such a server', () => ({ body: '{"choices":' })],
    ['another kind of response', () => ({ body: '[]' })],
    ['prose', repliesWith('I cannot do that.')],
    ['half a list', repliesWith('["Öffne')],
    ['a list of another length', repliesWith('["Halt"]')],
  ] as const)('a language model that gives %s has translated nothing', async ([, reply]) => {
    engine.replies = [reply];
    expect((await model().translate(request)).filter((text) => text !== undefined)).toEqual([]);
  });
});

describe('LibreTranslate', () => {
  test('LibreTranslate is sent HTML with protected terms', async () => {
    engine.replies = [
      ({ body }) => ({
        body: JSON.stringify({
          translatedText: body.q.map((text: string) =>
            text.replace('Open the', 'Öffne den').replace('with', 'mit'),
          ),
        }),
      }),
    ];
    expect(await libre().translate(request)).toEqual(['Öffne den <g1>Bereich</g1> mit <x2></x2>.', 'Stop']);
    expect(engine.requests[0]).toMatchObject({
      path: '/translate',
      body: { source: 'en', target: 'de', format: 'html', api_key: 'secret' },
    });
    expect(JSON.stringify(engine.requests[0]?.body)).not.toContain('space');
  });

  test.for([
    ['nonsense', 'nonsense'],
    ['nothing', '{}'],
    ['an error', '{"error":"no"}'],
    ['another kind of list', '{"translatedText":[1,null]}'],
  ] as const)('LibreTranslate that responses %s has translated nothing', async ([, body]) => {
    engine.replies = [() => ({ body })];
    expect((await libre().translate(request)).filter((text) => text !== undefined)).toEqual([]);
  });

  test('LibreTranslate without a language reports that, once', async () => {
    engine.replies = [() => ({ status: 400, body: '{"error":"de is not supported"}' })];
    await expect(libre().translate(request)).rejects.toThrow('LibreTranslate cannot be used');
    expect(engine.requests).toHaveLength(1);
  });
});

test('redirects of a translation engine are not followed', async () => {
  engine.replies = [() => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' } })];
  await expect(libre().translate(request)).rejects.toThrow('It responds with status 302.');
});
