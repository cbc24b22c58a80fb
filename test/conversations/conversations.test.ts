import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { extractIssues } from '../../routers/conversations/extraction.operation.ts';
import { jobContext } from '../../server/context.ts';
import { processConversations } from '../helpers/conversations.ts';
import { type Client, made, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

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
  (await made(admin.get(`${at}/conversations-${kind}?${query}`))).items;

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

describe('conversations', () => {
  test('are ingested, alone or several, and tell where they come from and what became of them', async () => {
    const one = await acme();
    const url = 'https://desk.example/1';
    const createdAt = '2026-01-01T10:00:00.000Z';
    await ingest(one, {
      ...conversation('1', EXPORTS[0] as string, { url, createdAt, attributes: { plan: 'pro' } }),
      subject: 'Export',
    });
    await ingest(one, [conversation('2', 'x'), conversation('3', 'y')]);
    const { items, count } = await made(one.admin.get(`${one.at}/conversations`));
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
    } = await made(one.admin.get(`${one.at}/conversations/${first.id}`));
    expect(again).toMatchObject({ processingState: 'complete', processedAt: expect.any(String) });
    expect(parts).toEqual([{ type: 'message', role: 'user', body: EXPORTS[0] }]);
    expect(metadata).toEqual({ url, createdAt, attributes: { plan: 'pro' } });
    expect((await made(one.admin.get(`${one.at}/conversations?source=email`))).count).toBe(0);
  });

  test('that come again change nothing; with other words they are replaced', async () => {
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
    expect((await made(admin.get(`${at}/conversations`))).count).toBe(0);
  });

  test('of which the service finds no issues say so, and keep those that they had', async () => {
    const one = await acme();
    await ingest(one, conversation('1', EXPORTS[0] as string));
    await processConversations(service);
    await ingest(one, conversation('1', RESETS[0] as string));
    const error = vi.spyOn(service.runtime.services.logger, 'error').mockReturnValue();
    const { database, services } = service.runtime;
    const { batch } = await database.db
      .selectFrom('conversation')
      .select('batch')
      .where('organization_id', '=', one.organization)
      .executeTakeFirstOrThrow();
    const failing = { extract: () => Promise.reject(new Error('a fault')) };
    await extractIssues(jobContext(database, services), { organization: one.organization, batch }, failing);
    expect(error).toHaveBeenCalledOnce();
    error.mockRestore();
    const [shown] = (await made(one.admin.get(`${one.at}/conversations`))).items;
    expect(shown).toMatchObject({
      processingState: 'complete',
      processError: 'The service failed to process it.',
    });
    expect(await list(one, 'issues')).toMatchObject([{ issue: { title: EXPORTS[0] } }]);
  });
});

describe('clusters', () => {
  test('are the same in whatever order conversations come, and count them', async () => {
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

  test('count what comes later, and lose what is deleted', async () => {
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
    expect(terms.map(({ term }) => term)).not.toContain('invoic');
    expect(terms).toContainEqual({ term: 'password', issues: 2 });
  });

  test('are named after another issue when theirs is deleted', async () => {
    const one = await acme();
    await ingest(one, both());
    await processConversations(service);
    const [largest] = await list(one, 'clusters', 'orderBy=issues');
    const issues = await list(one, 'issues', `cluster=${largest.id}`);
    const named = issues.find(({ issue }: { issue: { title: string } }) => issue.title === largest.label);
    await one.admin.delete(`${one.at}/conversations/${named.issue.conversation}`);
    const after = await made(one.admin.get(`${one.at}/conversations-clusters/${largest.id}`));
    expect(after.label).not.toBe(largest.label);
    expect(after.stats).toMatchObject({ issues: 2, conversations: 2 });
  });

  test('tell of the change requests that name them, and of their merge', async () => {
    const one = await acme();
    await ingest(one, both());
    await processConversations(service);
    const [cluster, other] = await list(one, 'clusters');
    const space = await made(one.admin.post(`${one.at}/spaces`, { title: 'Docs' }));
    const requests = `/spaces/${space.id}/change-requests`;
    const request = await made(one.admin.post(requests, { conversationsIssuesCluster: cluster.id }));
    expect(request.conversationsIssuesCluster).toBe(cluster.id);
    const stats = async () =>
      (await made(one.admin.get(`${one.at}/conversations-clusters/${cluster.id}`))).stats;
    expect(await stats()).toMatchObject({ tasksTotal: 1, tasksBacklog: 1, tasksCompleted: 0 });
    expect(await list(one, 'clusters', 'status=analysing')).toMatchObject([{ id: cluster.id }]);
    expect(await list(one, 'clusters', 'status=pending')).toMatchObject([{ id: other.id }]);
    const found = `conversationsIssuesCluster=${cluster.id}`;
    expect((await made(one.admin.get(`${requests}?status=draft&${found}`))).items).toHaveLength(1);
    await made(one.admin.post(`${requests}/${request.id}/merge`));
    expect(await stats()).toMatchObject({ tasksTotal: 1, tasksBacklog: 0, tasksCompleted: 1 });
    expect(
      (await made(one.admin.get(`${one.at}/change-requests?status=merged&${found}`))).items,
    ).toHaveLength(1);
    const unknown = await one.admin.post(requests, { conversationsIssuesCluster: 'unknown' });
    expect(unknown.status).toBe(400);
    const second = await made(one.admin.post(requests, {}));
    await made(one.admin.patch(`${requests}/${second.id}`, { conversationsIssuesCluster: other.id }));
    await made(one.admin.patch(`${requests}/${second.id}`, { conversationsIssuesCluster: null }));
    expect(
      (await made(one.admin.get(`${requests}/${second.id}`))).conversationsIssuesCluster,
    ).toBeUndefined();
  });
});

test('agent instructions are empty until somebody writes them', async () => {
  const { admin, at, userId } = await acme();
  const empty = await made(admin.get(`${at}/agent-instructions`));
  expect(empty).toMatchObject({ object: 'agent-instructions', instructions: { nodes: [] }, updatedBy: '' });
  const instructions = {
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
  const written = await made(admin.put(`${at}/agent-instructions`, { instructions }));
  expect(written).toMatchObject({ updatedBy: userId, instructions: { nodes: [{ type: 'paragraph' }] } });
  expect(await made(admin.get(`${at}/agent-instructions`))).toEqual(written);
  expect((await admin.put(`${at}/agent-instructions`, { instructions: 'x' })).status).toBe(400);
});
