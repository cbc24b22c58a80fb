import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { weekOf } from '../../routers/engine/conversations/weeks.ts';
import { processConversations } from '../helpers/conversations.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { both, conversation, EXPORTS, ingest, list, RESETS, type Scene, setScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const acme = () => setScene(service);

/** What clusters and the similarity index say. */
async function countsKept({ organization }: Scene) {
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
async function countsOfIssues({ organization }: Scene) {
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

test('clusters count only the change requests of spaces that the caller may view', async () => {
  const one = await acme();
  await ingest(one, conversation('1', EXPORTS[0] as string));
  await processConversations(service);
  const [cluster] = await list(one, 'clusters');
  const { id: space } = await service.build.space(one.organization, { defaultLevel: null });
  const requests = `/spaces/${space}/change-requests`;
  await expectOk(one.admin.post(requests, { conversationsIssuesCluster: cluster.id }));
  const member = await service.build.member(one.organization, 'read');
  const reader = { ...one, admin: service.as(member.token) };
  const tasks = async ({ admin, at }: typeof one) =>
    (await expectOk(admin.get(`${at}/conversations-clusters/${cluster.id}`))).stats.tasksTotal;
  expect([await tasks(one), await tasks(reader)]).toEqual([1, 0]);
  expect(await list(reader, 'clusters', 'status=analysing')).toEqual([]);
  expect(await list(reader, 'clusters', 'status=pending')).toMatchObject([{ stats: { tasksTotal: 0 } }]);
  await service.build.grant(one.organization, { user: member.id, space, role: 'read' });
  expect(await list(reader, 'clusters', 'status=analysing')).toMatchObject([{ stats: { tasksTotal: 1 } }]);
  await expectOk(one.admin.delete(`/spaces/${space}`));
  expect(await list(one, 'clusters', 'status=analysing')).toEqual([]);
});
