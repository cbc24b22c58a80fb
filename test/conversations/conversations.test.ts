import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processConversations } from '../helpers/conversations.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { both, conversation, EXPORTS, INSTRUCTIONS, ingest, list, RESETS, setScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const acme = () => setScene(service);

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
    const [first] = items.slice(-1);
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

  test('conversations and issues are listed by when they began, the newest first, on any number of pages', async () => {
    const one = await acme();
    const at = (day: number) => ({ createdAt: `2026-01-0${day}T10:00:00.000Z` });
    await ingest(one, conversation('now', EXPORTS[0] as string));
    await ingest(one, [
      conversation('3', EXPORTS[0] as string, at(3)),
      conversation('1', EXPORTS[1] as string, at(1)),
      conversation('2', EXPORTS[0] as string, at(2)),
      conversation('2b', EXPORTS[1] as string, at(2)),
    ]);
    await processConversations(service);
    const walk = async (path: string) => {
      const times: string[] = [];
      for (let page: string | undefined = ''; page !== undefined; ) {
        const list = await expectOk(one.admin.get(`${one.at}/${path}&limit=2${page}`));
        for (const item of list.items) times.push((item.issue ?? item).createdAt);
        page = list.next && `&page=${list.next.page}`;
      }
      return times;
    };
    const days = [3, 2, 2, 1].map((day) => at(day).createdAt);
    const source = `integration:api:${one.userId}`;
    const [cluster] = (await expectOk(one.admin.get(`${one.at}/conversations-clusters`))).items;
    for (const path of ['conversations?', `conversations?source=${source}`, 'conversations-issues?'])
      expect((await walk(path)).slice(1), path).toEqual(days);
    const inCluster = await walk(`conversations-issues?cluster=${cluster.id}`);
    expect(inCluster).toEqual(inCluster.toSorted().reverse());
    // One that is sent again moves to where it began, as sent, or else when it was first ingested.
    await ingest(one, conversation('1', EXPORTS[1] as string, at(4)));
    await ingest(one, conversation('3', EXPORTS[0] as string));
    const [newest, second, ...rest] = await walk('conversations?');
    expect([newest, second].every((time = '') => time > '2026-02')).toBe(true);
    expect(rest).toEqual([4, 2, 2].map((day) => at(day).createdAt));
  });

  test.each(['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])(
    'a conversation may have begun at %s, and is listed and processed with the others',
    async (createdAt) => {
      const one = await acme();
      await ingest(one, [conversation('1', EXPORTS[0] as string, { createdAt }), ...both()]);
      await processConversations(service);
      const { items } = await expectOk(one.admin.get(`${one.at}/conversations?limit=100`));
      expect(items.map((item: { createdAt: string }) => item.createdAt)).toContain(createdAt);
      expect(await list(one, 'clusters')).toHaveLength(2);
    },
  );

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

  test.each([
    [[{ id: '1', subject: '\0' }], '`0.subject`'],
    ['\0', 'its content'],
  ])('the message about what is no text names the place in the body, too: %j', async (body, place) => {
    const { id, admin } = await service.build.organization();
    const response = await service.app.inject({
      method: 'POST',
      url: `/v1/orgs/${id}/conversations`,
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });
    expect(response.json().error.message).toBe(
      `The request is not valid: ${place} must be valid Unicode without NUL.`,
    );
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
    ['that began before the year 1', conversation('1', 'a', { createdAt: '0000-01-01T00:00:00Z' })],
    ['that began so in UTC', conversation('1', 'a', { createdAt: '0001-01-01T00:00:00+10:00' })],
    ['from after the year 9999', conversation('1', 'a', { createdAt: '9999-12-31T23:59:59-23:59' })],
    ['with a URL that is not that of a web page', { id: '1', parts: [], metadata: { url: 'javascript:1' } }],
    ['twice in one request', [conversation('1', 'a'), conversation('1', 'b')]],
    ['that are not objects', ['text']],
    ['that are too many', Array.from({ length: 1001 }, (_, place) => ({ id: `${place}`, parts: [] }))],
  ])('%s are refused', async (_, body) => {
    const { admin, at } = await acme();
    const answer = await admin.post(`${at}/conversations`, body as object);
    expect(answer.status).toBe(400);
    expect((await expectOk(admin.get(`${at}/conversations`))).count).toBe(0);
  });
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
