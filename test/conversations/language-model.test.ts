import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MAX_ATTEMPTS } from '../../routers/conversations/extraction.operation.ts';
import { keywordEngine } from '../../routers/conversations/keyword-engine.ts';
import { createIssueEngine } from '../../server/language/issue-engines.ts';
import { attemptConversationJobs, processConversations } from '../helpers/conversations.ts';
import {
  type FakeEngine,
  promptOf,
  type Reply,
  repliesWith,
  type SentRequest,
  startFakeEngine,
} from '../helpers/fake-engine.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { conversation, INSTRUCTIONS, ingest, list, type Scene, setScene } from './scene.ts';

let service: TestService;
let model: FakeEngine;
beforeAll(async () => {
  service = await startTestService();
  model = await startFakeEngine();
});
afterAll(async () => {
  model.close();
  await service.close();
});

const acme = () => setScene(service);

describe('a language model', () => {
  /** A busy machine makes the server slow, not silent. */
  const configure = (timeLimit = 20_000) => {
    service.runtime.services.issueEngine = createIssueEngine(
      { engine: 'model', url: `${model.url}/v1`, model: 'small', apiKey: 'secret' },
      { timeLimit, initialWait: 1 },
    );
  };
  beforeEach(() => {
    model.reset();
    model.defaultReply = (sent) => repliesWith(JSON.stringify(answer(sent)))();
    configure();
  });
  afterEach(() => {
    service.runtime.services.issueEngine = keywordEngine;
  });

  const isDescription = (asked: object) => 'issues' in asked;

  /** What a good model answers: issues by topic, in English, and clusters by their first issue. */
  function answer(sent: SentRequest) {
    const asked = promptOf(sent);
    if (isDescription(asked)) return { label: 'Named by a model', summary: 'Two of a kind.', icon: 'bug' };
    const [title, ...keywords] = /passw/i.test(asked.text)
      ? ['Reset fails', 'password']
      : ['Export fails', 'pdf'];
    return { issues: [{ title, summary: `${title}: ${asked.text}`, keywords }] };
  }

  const PAIR = [conversation('1', 'Das Passwort geht nicht'), conversation('2', 'my passwrd is gone')];

  const issuesOf = async (one: Scene) =>
    (await list(one, 'issues')).map(({ issue }: { issue: object }) => issue);
  const shown = async (one: Scene) => (await expectOk(one.admin.get(`${one.at}/conversations`))).items;

  test('a language model is sent what users wrote, with the agent instructions, and nothing else', async () => {
    const one = await acme();
    await expectOk(one.admin.put(`${one.at}/agent-instructions`, { instructions: INSTRUCTIONS }));
    const metadata = { attributes: { email: 'mia@example.com' }, url: 'https://desk.example/secret' };
    const [first] = PAIR;
    const parts = [...(first?.parts ?? []), { type: 'message', role: 'team-member', body: 'internal words' }];
    await ingest(one, { ...first, subject: 'Re: Login', parts, metadata });
    await processConversations(service);
    expect(model.requests).toHaveLength(1);
    const [sent] = model.requests as [SentRequest];
    expect(sent).toMatchObject({ path: '/v1/chat/completions', authorization: 'Bearer secret' });
    expect(promptOf(sent)).toEqual({
      instructions: 'Be brief.',
      subject: 'Login',
      text: 'Das Passwort geht nicht',
    });
    expect(JSON.stringify(sent.body)).not.toMatch(/internal|mia@|desk\.example/);
  });

  test('a language model extracts issues, groups those in different words, and describes their clusters', async () => {
    const one = await acme();
    await ingest(one, [...PAIR, conversation('3', 'PDF?')]);
    await processConversations(service);
    const clusters = await list(one, 'clusters', 'orderBy=issues');
    expect(clusters).toMatchObject([
      { label: 'Named by a model', summary: 'Two of a kind.', icon: 'bug', stats: { issues: 2 } },
      { label: 'Export fails', stats: { issues: 1 } },
    ]);
    const described = model.requests.map(promptOf).filter(isDescription);
    expect(described).toMatchObject([{ issues: [{ title: 'Reset fails' }, { title: 'Reset fails' }] }]);
    // Not for one more, but once it has doubled.
    for (const [id, times] of [
      ['4', 1],
      ['5', 2],
    ] as const) {
      await ingest(one, conversation(id, 'password'));
      await processConversations(service);
      expect(model.requests.map(promptOf).filter(isDescription)).toHaveLength(times);
    }
  });

  test('descriptions by a language model contain nothing of what was deleted', async () => {
    const one = await acme();
    await ingest(one, [...PAIR, conversation('3', 'password')]);
    await processConversations(service);
    const [first] = await shown(one);
    await one.admin.delete(`${one.at}/conversations/${first.id}`);
    const [cluster] = await list(one, 'clusters');
    expect(cluster).toMatchObject({ label: 'Reset fails', stats: { issues: 2 } });
    expect(cluster.summary).not.toContain('Two');
    await processConversations(service);
    expect(await list(one, 'clusters')).toMatchObject([{ label: 'Named by a model' }]);
  });

  test('a description by a language model is discarded if an issue is deleted meanwhile', async () => {
    const one = await acme();
    await ingest(one, [...PAIR, conversation('3', 'password')]);
    const { services } = service.runtime;
    const engine = services.issueEngine;
    services.issueEngine = {
      ...engine,
      async describe(issues, instructions) {
        const [first] = await shown(one);
        if (issues.length === 3) await one.admin.delete(`${one.at}/conversations/${first.id}`);
        return { label: `Made of ${issues.length}`, summary: instructions, icon: 'bug' };
      },
    };
    await processConversations(service);
    const [cluster] = await list(one, 'clusters');
    expect(cluster).toMatchObject({ label: 'Reset fails', stats: { issues: 2 } });
    await processConversations(service);
    expect(await list(one, 'clusters')).toMatchObject([{ label: 'Made of 2' }]);
  });

  test.for([
    ['refuses the key', () => ({ status: 401 }), 'It responds with status 401.'],
    ['is over its limit', () => ({ status: 429 }), 'It responds with status 429.'],
    ['never responds', () => ({ hangs: true }), 'did not respond within 0.1 seconds.', 100],
    ['is cut off', () => ({ body: 'x'.repeat(1000), cut: true }), 'could not be read.'],
    ['answers nonsense', repliesWith('I cannot do that.'), 'gave no usable response.'],
    ['is no such server', () => ({ body: '[]' }), 'gave no usable response.'],
    [
      'finds issues without words',
      repliesWith('{"issues":[{"title":"?","summary":"!"}]}'),
      'no usable response.',
    ],
  ] as [string, () => Reply, string, number?][])(
    'a language model that %s is asked again later, and nothing is lost',
    async ([, reply, problem, timeLimit]) => {
      const one = await acme();
      await ingest(one, PAIR);
      await processConversations(service);
      const before = await issuesOf(one);
      const good = model.defaultReply;
      model.defaultReply = reply;
      configure(timeLimit);
      await ingest(one, [conversation('2', 'PDF export'), conversation('3', 'PDF')]);
      expect(await attemptConversationJobs(service)).toMatchObject([
        { message: expect.stringContaining(problem) },
      ]);
      const [third, second, first] = await shown(one);
      const waits = {
        processingState: 'pending',
        processAttempts: 1,
        processError: expect.stringContaining(problem),
      };
      expect([second, third]).toMatchObject([waits, waits]);
      expect(first).toMatchObject({ processingState: 'complete', processAttempts: 0 });
      expect(await issuesOf(one)).toEqual(before);
      model.defaultReply = good;
      configure();
      await processConversations(service);
      for (const conversation of await shown(one)) {
        expect(conversation).toMatchObject({ processingState: 'complete', processAttempts: 0 });
        expect(conversation).not.toHaveProperty('processError');
      }
      expect((await list(one, 'clusters')).map((cluster: { stats: object }) => cluster.stats)).toMatchObject([
        { issues: 2 },
        { issues: 1 },
      ]);
    },
  );

  test('extraction by a language model that keeps failing is given up until the conversation is sent again', async () => {
    const one = await acme();
    model.defaultReply = repliesWith('no');
    await ingest(one, PAIR[0]);
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++)
      expect(await attemptConversationJobs(service)).toHaveLength(1);
    await processConversations(service);
    const given = {
      processingState: 'complete',
      processAttempts: MAX_ATTEMPTS,
      processError: expect.any(String),
    };
    expect(await shown(one)).toMatchObject([given]);
    expect((await shown(one))[0]).not.toHaveProperty('processedAt');
    const asked = model.requests.length;
    await processConversations(service);
    expect(model.requests).toHaveLength(asked);
    model.defaultReply = (sent) => repliesWith(JSON.stringify(answer(sent)))();
    await ingest(one, PAIR[0]);
    expect(await shown(one)).toMatchObject([{ processingState: 'pending', processAttempts: 0 }]);
    await processConversations(service);
    expect(await list(one, 'issues')).toMatchObject([{ issue: { title: 'Reset fails' } }]);
  });

  test('events report what was ingested, processed and deleted', async () => {
    const one = await acme();
    model.defaultReply = (sent) =>
      /passw/i.test(promptOf(sent).text) ? repliesWith('no')() : repliesWith(JSON.stringify(answer(sent)))();
    await ingest(one, [PAIR[0], conversation('3', 'PDF')]);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) await attemptConversationJobs(service);
    const [{ id }] = await shown(one);
    await one.admin.delete(`${one.at}/conversations/${id}`);
    const { items } = await expectOk(one.admin.get(`${one.at}/events`));
    const told = items.toReversed().filter(({ type }: { type: string }) => type.startsWith('conversation'));
    expect(told).toMatchObject([
      { type: 'conversations.ingested', count: 2, actor: one.userId },
      { type: 'conversations.processed', count: 1, failed: 0 },
      { type: 'conversations.processed', count: 0, failed: 1 },
      { type: 'conversation.deleted', conversation: id, actor: one.userId },
    ]);
  });

  test('an unusable response of a language model about one conversation does not affect others', async () => {
    const one = await acme();
    model.defaultReply = (sent) =>
      /passw/i.test(promptOf(sent).text) ? repliesWith('no')() : repliesWith(JSON.stringify(answer(sent)))();
    await ingest(one, [PAIR[0], conversation('3', 'PDF')]);
    expect(await attemptConversationJobs(service)).toHaveLength(1);
    expect(await shown(one)).toMatchObject([{ processingState: 'complete' }, { processingState: 'pending' }]);
  });

  test.for([
    ['is away', () => ({ status: 503 }), 'cannot be used'],
    ['answers nonsense', repliesWith('{"label":""}'), 'no usable description'],
  ] as [string, () => Reply, string][])(
    'a language model that %s when it describes a cluster leaves it named after an issue, and says so',
    async ([, reply, problem]) => {
      const one = await acme();
      const good = model.defaultReply;
      model.defaultReply = (sent) => (isDescription(promptOf(sent)) ? reply() : good(sent));
      await ingest(one, PAIR);
      expect(await attemptConversationJobs(service)).toHaveLength(1);
      const [cluster] = await list(one, 'clusters');
      expect(cluster).toMatchObject({
        label: 'Reset fails',
        describeError: expect.stringContaining(problem),
      });
      model.defaultReply = good;
      await processConversations(service);
      const [described] = await list(one, 'clusters');
      expect(described.label).toBe('Named by a model');
      expect(described).not.toHaveProperty('describeError');
    },
  );
});
