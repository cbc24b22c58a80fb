import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MAX_ATTEMPTS } from '../../routers/conversations/extraction.operation.ts';
import { keywordEngine } from '../../routers/conversations/keyword-engine.ts';
import { weekOf } from '../../routers/engine/conversations/weeks.ts';
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
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';

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

interface Acme {
  admin: Client;
  at: string;
  userId: string;
  organization: string;
}

/** An organization of its own for each test. */
async function acme(): Promise<Acme> {
  const { id, admin } = await service.build.organization();
  return { admin: service.as(admin.token), at: `/orgs/${id}`, userId: admin.id, organization: id };
}

const conversation = (id: string, body: string, metadata: object = {}) => ({
  id,
  parts: [{ type: 'message', role: 'user', body }],
  metadata,
});

async function ingest({ admin, at }: Acme, body: unknown): Promise<void> {
  expect(await admin.post(`${at}/conversations`, body as object)).toMatchObject({ status: 204 });
}

const list = async ({ admin, at }: Acme, kind: string, query = '') =>
  (await expectOk(admin.get(`${at}/conversations-${kind}?${query}`))).items;

const EXPORTS = [
  'I cannot export my invoices as PDF',
  'Exporting invoices as PDF fails',
  'invoice pdf export broken!!',
];
const RESETS = ['My password reset email never arrives', 'No email received for the password reset'];
const both = () => [
  ...EXPORTS.map((body, place) => conversation(`export ${place}`, body)),
  ...RESETS.map((body, place) => conversation(`reset ${place}`, body)),
];

const INSTRUCTIONS = {
  object: 'document',
  data: { schemaVersion: 1 },
  nodes: [
    {
      object: 'block',
      type: 'paragraph',
      nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: 'Be brief.', marks: [] }] }],
    },
  ],
};

describe('conversations', () => {
  test('conversations are ingested, one or several at a time, with their source and processing state', async () => {
    const one = await acme();
    const url = 'https://desk.example/1';
    const createdAt = '2026-01-01T10:00:00.000Z';
    await ingest(one, {
      ...conversation('1', EXPORTS[0] as string, { url, createdAt, attributes: { plan: 'pro' } }),
      subject: 'Export',
    });
    await ingest(one, [conversation('2', 'x'), conversation('3', 'y')]);
    const { items, count } = await expectOk(one.admin.get(`${one.at}/conversations`));
    expect(count).toBe(3);
    const source = `integration:api:${one.userId}`;
    const [, , first] = items;
    expect(first).toMatchObject({
      subject: 'Export',
      createdAt,
      source,
      processingState: 'pending',
      urls: { source: url },
    });
    expect(first).not.toHaveProperty('processedAt');
    await processConversations(service);
    const {
      conversation: again,
      parts,
      metadata,
    } = await expectOk(one.admin.get(`${one.at}/conversations/${first.id}`));
    expect(again).toMatchObject({ processingState: 'complete', processedAt: expect.any(String) });
    expect(parts).toEqual([{ type: 'message', role: 'user', body: EXPORTS[0] }]);
    expect(metadata).toEqual({ url, createdAt, attributes: { plan: 'pro' } });
    expect((await expectOk(one.admin.get(`${one.at}/conversations?source=email`))).count).toBe(0);
  });

  test('an error about a conversation names the place in the body', async () => {
    const { admin, at } = await acme();
    const { id, parts } = conversation('1', EXPORTS[0] as string);
    const [part] = parts;
    for (const [body, places] of [
      [undefined, ['id', 'parts']],
      [{}, ['id', 'parts']],
      [{ id, parts: [{ ...part, body: 1 }] }, ['parts.0.body']],
      [{ id, parts, metadata: { createdAt: 'soon' } }, ['metadata.createdAt']],
      [
        [
          { id, parts },
          { id: '2', parts: [{ ...part, role: 'robot' }] },
        ],
        ['1.parts.0.role'],
      ],
      [
        [
          { id, parts },
          { id, parts },
        ],
        ['1.id'],
      ],
      [Array(1001).fill({ id, parts }), ['']],
    ] as const) {
      const { status, body: answer } = await admin.post(`${at}/conversations`, body);
      expect(status).toBe(400);
      expect(answer.error.details.map(({ path }: { path: string }) => path)).toEqual(places);
    }
  });

  test('a conversation that is sent again changes nothing, unless its text differs: then it is replaced', async () => {
    const one = await acme();
    await ingest(one, both());
    await processConversations(service);
    const before = await list(one, 'issues');
    await ingest(one, both());
    await processConversations(service);
    expect(await list(one, 'issues')).toEqual(before);
    await ingest(one, conversation('export 0', RESETS[0] as string));
    await processConversations(service);
    const clusters = await list(one, 'clusters', 'orderBy=createdAt&order=asc');
    expect(clusters.map(({ stats }: { stats: { issues: number } }) => stats.issues).sort()).toEqual([2, 3]);
    expect(await list(one, 'issues')).toHaveLength(5);
  });

  test.each([
    ['without parts', { id: '1' }],
    ['without an id', { parts: [] }],
    ['with an empty id', { id: '', parts: [] }],
    ['from another kind of author', { id: '1', parts: [{ type: 'message', role: 'bot', body: '' }] }],
    ['with an address that is no page', { id: '1', parts: [], metadata: { url: 'javascript:1' } }],
    ['twice in one request', [conversation('1', 'a'), conversation('1', 'b')]],
    ['that are no objects', ['text']],
    ['that are too many', Array.from({ length: 1001 }, (_, place) => ({ id: `${place}`, parts: [] }))],
  ])('%s are refused', async (_, body) => {
    const { admin, at } = await acme();
    const answer = await admin.post(`${at}/conversations`, body as object);
    expect(answer.status).toBe(400);
    expect((await expectOk(admin.get(`${at}/conversations`))).count).toBe(0);
  });
});

/** What clusters and the similarity index say. */
async function countsKept({ organization }: Acme) {
  const { db } = service.runtime.database;
  const clusters = await db
    .selectFrom('issues_cluster')
    .select(['id', 'issues', 'conversations', 'sources', 'weeks'])
    .where('organization_id', '=', organization)
    .orderBy('id')
    .execute();
  const weights = await db
    .selectFrom('issues_cluster_term')
    .select(['cluster_id as cluster', 'term', 'weight'])
    .where('organization_id', '=', organization)
    .execute();
  const terms = await db
    .selectFrom('issue_term')
    .select(['term', 'issues'])
    .where('organization_id', '=', organization)
    .execute();
  const index = await db
    .selectFrom('issue_index')
    .select('issues')
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  return {
    clusters,
    weights: Object.fromEntries(weights.map(({ cluster, term, weight }) => [`${cluster} ${term}`, weight])),
    terms: Object.fromEntries(terms.map(({ term, issues }) => [term, issues])),
    issues: index?.issues ?? 0,
  };
}

/** The same, counted from the issues that there are. */
async function countsOfIssues({ organization }: Acme) {
  const rows = await service.runtime.database.db
    .selectFrom('conversation_issue')
    .innerJoin('conversation', 'conversation.id', 'conversation_issue.conversation_id')
    .select(['conversation_issue.cluster_id as cluster', 'conversation_issue.terms', 'conversation.source'])
    .select(['conversation_issue.conversation_id as conversation', 'conversation_issue.week'])
    .where('conversation_issue.organization_id', '=', organization)
    .execute();
  const tally = (keys: (string | number)[]): Record<string, number> =>
    Object.fromEntries([...Map.groupBy(keys, String)].map(([key, { length }]) => [key, length]));
  const oldest = weekOf(new Date()) - 12;
  const clusters = [...Map.groupBy(rows, ({ cluster }) => cluster)].flatMap(([id, own]) =>
    id === null
      ? []
      : [
          {
            id,
            issues: own.length,
            conversations: new Set(own.map(({ conversation }) => conversation)).size,
            sources: tally(own.map(({ source }) => source)),
            weeks: tally(own.map(({ week }) => week).filter((week) => week >= oldest)),
          },
        ],
  );
  const weights: Record<string, number> = {};
  for (const { cluster, terms } of rows)
    for (const [term, weight] of Object.entries(terms as Record<string, number>))
      if (cluster !== null) weights[`${cluster} ${term}`] = (weights[`${cluster} ${term}`] ?? 0) + weight;
  return {
    clusters: clusters.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1)),
    weights,
    terms: tally(rows.flatMap(({ terms }) => Object.keys(terms as object))),
    issues: rows.filter(({ terms }) => Object.keys(terms as object).length > 0).length,
  };
}

test('clusters and their counts are the same in whatever order conversations are sent', async () => {
  const shown = [];
  for (const order of [both(), both().reverse()]) {
    const one = await acme();
    await ingest(one, order);
    await processConversations(service);
    const clusters = await list(one, 'clusters', 'orderBy=issues');
    shown.push(
      clusters.map(({ label, icon, stats }: { label: string; icon: string; stats: object }) => ({
        label,
        icon,
        stats,
      })),
    );
    expect(clusters[0]).toMatchObject({
      sources: { [`integration:api:${one.userId}`]: 3 },
      stats: { issues: 3, conversations: 3, tasksTotal: 0 },
      weeklyPulse: [...Array(12).fill(0), 3],
    });
    const inCluster = await list(one, 'issues', `cluster=${clusters[0].id}`);
    expect(inCluster).toHaveLength(3);
    for (const { issue } of inCluster) expect(EXPORTS).toContain(issue.title);
  }
  expect(shown[0]).toHaveLength(2);
  expect(shown[1]).toEqual(shown[0]);
});

test('clusters count conversations that are sent later, and no longer those that are deleted', async () => {
  const one = await acme();
  await ingest(one, both());
  await processConversations(service);
  await ingest(one, conversation('export 9', 'PDF export of invoices'));
  await processConversations(service);
  const [largest] = await list(one, 'clusters', 'orderBy=issues');
  expect(largest.stats.issues).toBe(4);
  for (const { issue } of await list(one, 'issues', `cluster=${largest.id}`))
    expect((await one.admin.delete(`${one.at}/conversations/${issue.conversation}`)).status).toBe(205);
  expect((await one.admin.get(`${one.at}/conversations-clusters/${largest.id}`)).status).toBe(404);
  expect(await list(one, 'issues')).toHaveLength(2);
  const { db } = service.runtime.database;
  const terms = await db
    .selectFrom('issue_term')
    .select(['term', 'issues'])
    .where('organization_id', '=', one.organization)
    .execute();
  expect(terms.map(({ term }) => term)).not.toContain('invoice');
  expect(terms).toContainEqual({ term: 'password', issues: 2 });
});

test('clusters are named after another issue when theirs is deleted', async () => {
  const one = await acme();
  await ingest(one, both());
  await processConversations(service);
  const [largest] = await list(one, 'clusters', 'orderBy=issues');
  const issues = await list(one, 'issues', `cluster=${largest.id}`);
  const named = issues.find(({ issue }: { issue: { title: string } }) => issue.title === largest.label);
  await one.admin.delete(`${one.at}/conversations/${named.issue.conversation}`);
  const after = await expectOk(one.admin.get(`${one.at}/conversations-clusters/${largest.id}`));
  expect(after.label).not.toBe(largest.label);
  expect(after.stats).toMatchObject({ issues: 2, conversations: 2 });
});

test('the counts of clusters stay correct whatever is ingested, changed, deleted or fails', async () => {
  const texts = [
    ...EXPORTS,
    ...RESETS,
    'PDF export and password reset',
    'Webhooks fail',
    '?',
    'Reset webhooks',
  ];
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const some = fc.uniqueArray(
    fc.record({ id: fc.constantFrom(...ids), text: fc.constantFrom(...texts), weeks: fc.nat(20) }),
    { selector: ({ id }) => id, minLength: 1, maxLength: 5 },
  );
  const change = fc.oneof(
    some.map((bring) => ({ bring, remove: undefined })),
    fc.nat(6).map((remove) => ({ bring: undefined, remove })),
  );
  const week = 7 * 24 * 3600 * 1000;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 3, maxLength: 8 }), async (changes) => {
      const one = await acme();
      for (const { bring, remove } of changes) {
        if (bring) {
          const at = (weeks: number) => new Date(Date.now() - weeks * week).toISOString();
          await ingest(
            one,
            bring.map(({ id, text, weeks }) => conversation(id, text, { createdAt: at(weeks) })),
          );
          await processConversations(service);
        } else {
          const { items } = await expectOk(one.admin.get(`${one.at}/conversations`));
          const gone = items[(remove ?? 0) % Math.max(1, items.length)];
          if (gone) expect((await one.admin.delete(`${one.at}/conversations/${gone.id}`)).status).toBe(205);
        }
        expect(await countsKept(one)).toEqual(await countsOfIssues(one));
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 5) },
  );
});

test('clusters count the change requests that address them, by status', async () => {
  const one = await acme();
  await ingest(one, both());
  await processConversations(service);
  const [cluster, other] = await list(one, 'clusters');
  const space = await expectOk(one.admin.post(`${one.at}/spaces`, { title: 'Docs' }));
  const requests = `/spaces/${space.id}/change-requests`;
  const request = await expectOk(one.admin.post(requests, { conversationsIssuesCluster: cluster.id }));
  expect(request.conversationsIssuesCluster).toBe(cluster.id);
  const stats = async () =>
    (await expectOk(one.admin.get(`${one.at}/conversations-clusters/${cluster.id}`))).stats;
  expect(await stats()).toMatchObject({ tasksTotal: 1, tasksBacklog: 1, tasksCompleted: 0 });
  expect(await list(one, 'clusters', 'status=analysing')).toMatchObject([{ id: cluster.id }]);
  expect(await list(one, 'clusters', 'status=pending')).toMatchObject([{ id: other.id }]);
  const found = `conversationsIssuesCluster=${cluster.id}`;
  expect((await expectOk(one.admin.get(`${requests}?status=draft&${found}`))).items).toHaveLength(1);
  await expectOk(one.admin.post(`${requests}/${request.id}/merge`));
  expect(await stats()).toMatchObject({ tasksTotal: 1, tasksBacklog: 0, tasksCompleted: 1 });
  expect(
    (await expectOk(one.admin.get(`${one.at}/change-requests?status=merged&${found}`))).items,
  ).toHaveLength(1);
  for (const id of ['unknown', '']) {
    const changed = await one.admin.patch(`${requests}/${request.id}`, { conversationsIssuesCluster: id });
    expect(changed.status).toBe(400);
  }
  const unknown = await one.admin.post(requests, { conversationsIssuesCluster: 'unknown' });
  expect(unknown.status).toBe(400);
  const second = await expectOk(one.admin.post(requests, {}));
  await expectOk(one.admin.patch(`${requests}/${second.id}`, { conversationsIssuesCluster: other.id }));
  await expectOk(one.admin.patch(`${requests}/${second.id}`, { conversationsIssuesCluster: null }));
  expect(
    (await expectOk(one.admin.get(`${requests}/${second.id}`))).conversationsIssuesCluster,
  ).toBeUndefined();
});

test('agent instructions are empty until somebody sets them', async () => {
  const { admin, at, userId } = await acme();
  const empty = await expectOk(admin.get(`${at}/agent-instructions`));
  expect(empty).toMatchObject({ object: 'agent-instructions', instructions: { nodes: [] }, updatedBy: '' });
  const written = await expectOk(admin.put(`${at}/agent-instructions`, { instructions: INSTRUCTIONS }));
  expect(written).toMatchObject({ updatedBy: userId, instructions: { nodes: [{ type: 'paragraph' }] } });
  expect(await expectOk(admin.get(`${at}/agent-instructions`))).toEqual(written);
  expect((await admin.put(`${at}/agent-instructions`, { instructions: 'x' })).status).toBe(400);
});

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

  const issuesOf = async (one: Acme) =>
    (await list(one, 'issues')).map(({ issue }: { issue: object }) => issue);
  const shown = async (one: Acme) => (await expectOk(one.admin.get(`${one.at}/conversations`))).items;

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
