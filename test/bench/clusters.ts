import { CompiledQuery } from 'kysely';
import { extractIssues } from '../../routers/conversations/extraction.operation.ts';
import { extractKeywords } from '../../routers/engine/conversations/keywords.ts';
import { jobContext } from '../../server/context.ts';
import { type BenchService, openBenchService } from './content-service.ts';
import { adjustedRandIndex, type LabelledMessage, readLabelledMessages } from './labelled-messages.ts';
import { recordStatements, type Statement } from './queries.ts';
import { seedIssues } from './seed-issues.ts';

/** Minimum agreement between clusters and topics for the held-out messages. */
const GOAL = 0.6;

/** The number of conversations in one request. */
const CONVERSATIONS = 1000;

/** The number of issues to which one more is added, and how long this may take, in milliseconds. */
const ISSUES = 100_000;
const LIMIT = 50;
const ROUNDS = 30;

/**
 * Measures how well clusters agree with the topics that people assigned to messages, and the cost of clustering. Parameters
 * are tuned on one half of the messages; the other half is used only here. The engine's vocabulary covers the field of
 * these topics, though; messages about other topics show what to expect elsewhere.
 */
export async function benchClusters(): Promise<void> {
  const service = await openBenchService();
  try {
    const { tuned, heldOut, other } = await readLabelledMessages();
    await reportAgreement(service, 'tuned', tuned);
    const index = await reportAgreement(service, 'held out', heldOut);
    await reportAgreement(service, 'other topics', other);
    console.log(`goal for the held-out messages: ${GOAL}`);
    if (index < GOAL) process.exitCode = 1;
    await reportBatch(service, [...tuned, ...heldOut]);
    await reportAddition(service, tuned);
  } finally {
    await service.close();
  }
}

/** Creates an organization into which conversations are ingested and processed. */
async function openOrganization({ runtime: { database, services }, send }: BenchService, title: string) {
  const { body } = await send('POST', '/orgs', { title });
  const organization: string = body.id;
  const path = `/orgs/${organization}`;
  return {
    organization,
    async ingest(texts: readonly string[], prefix = ''): Promise<void> {
      const conversations = texts.map((text, place) => ({
        id: `${prefix}${String(place).padStart(4, '0')}`,
        parts: [{ type: 'message', role: 'user', body: text }],
      }));
      await send('POST', `${path}/conversations`, conversations);
      const { batch } = await database.db
        .selectFrom('conversation')
        .select('batch')
        .where('organization_id', '=', organization)
        .where('processing_state', '<>', 'complete')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow();
      await extractIssues(jobContext(database, services), { organization, batch });
    },
    get: async (below: string) => (await send('GET', `${path}/${below}`)).body,
  };
}

/** Clusters messages and prints the clusters with their topics. @returns the adjusted Rand index */
async function reportAgreement(
  service: BenchService,
  name: string,
  messages: readonly LabelledMessage[],
): Promise<number> {
  const { ingest, get } = await openOrganization(service, name);
  // A fixed order in which topics are mixed.
  const mixed = messages.map((_, place) => messages[(place * 89) % messages.length] as LabelledMessage);
  await ingest(mixed.map(({ text }) => text));
  const { items: conversations } = await get('conversations?limit=1000');
  const { items } = await get('conversations-issues?limit=1000');
  const { items: clusters } = await get('conversations-clusters?limit=1000&orderBy=issues');
  const clusterOf = new Map<string, string>(
    items.map(({ issue }: { issue: { conversation: string; cluster?: string; id: string } }) => [
      issue.conversation,
      issue.cluster ?? issue.id,
    ]),
  );
  const pairs = conversations.toReversed().map(({ id }: { id: string }, place: number) => {
    return [mixed[place]?.topic ?? '', clusterOf.get(id) ?? id] as const;
  }) as (readonly [string, string])[];
  const index = adjustedRandIndex(pairs);
  console.log(
    `\n${name}: ${messages.length} messages in ${new Set(messages.map(({ topic }) => topic)).size} topics, ` +
      `${clusters.length} clusters: adjusted Rand index ${index.toFixed(2)}`,
  );
  for (const { id, label } of clusters) {
    const topics = Map.groupBy(
      pairs.filter(([, cluster]) => cluster === id),
      ([topic]) => topic,
    );
    const counts = [...topics].map(([topic, { length }]) => `${length} ${topic}`);
    counts.sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10));
    console.log(`  ${counts.join(', ')}   "${String(label).slice(0, 60)}"`);
  }
  return index;
}

/** Ingests and processes many conversations from one request. */
async function reportBatch(service: BenchService, messages: readonly LabelledMessage[]): Promise<void> {
  const { ingest, get } = await openOrganization(service, 'batch');
  // All are different: each combines two messages of a topic.
  const texts = Array.from({ length: CONVERSATIONS }, (_, place) => {
    const first = messages[(place * 89) % messages.length] as LabelledMessage;
    const same = messages.filter(({ topic }) => topic === first.topic);
    return `${first.text}\n${same[(place * 7) % same.length]?.text}`;
  });
  let milliseconds = 0;
  const statements = await recordStatements(async () => {
    const started = performance.now();
    await ingest(texts);
    milliseconds = performance.now() - started;
  });
  const { count } = await get('conversations-clusters?limit=1');
  console.log(
    `\n${CONVERSATIONS} conversations ingested and clustered in ${(milliseconds / 1000).toFixed(1)} s, ` +
      `${statements.length} statements, ${count} clusters`,
  );
}

/** Adds single conversations to a large organization. */
async function reportAddition(service: BenchService, messages: readonly LabelledMessage[]): Promise<void> {
  const { database } = service.runtime;
  const { organization, ingest } = await openOrganization(service, 'large');
  const common = new Set(messages.flatMap(({ text }) => [...extractKeywords(text)]));
  await seedIssues(database, organization, { issues: ISSUES, common: [...common].sort() });
  const times: number[] = [];
  let processor = 0;
  let statements: Statement[] = [];
  for (let round = -5; round < ROUNDS; round++) {
    const text = messages[(round + 5) * 6]?.text ?? '';
    statements = await recordStatements(async () => {
      const [started, before] = [performance.now(), process.cpuUsage()];
      await ingest([text], `round ${round} `);
      if (round < 0) return;
      times.push(performance.now() - started);
      const { user, system } = process.cpuUsage(before);
      processor += (user + system) / 1000 / ROUNDS;
    });
  }
  times.sort((a, b) => a - b);
  const [best = 0, middle = 0, slow = 0] = [0, 0.5, 0.95].map((share) => times[Math.floor(ROUNDS * share)]);
  console.log(
    `one more to ${ISSUES} issues, ingested and clustered: ${middle.toFixed(0)} ms (less than ${LIMIT}), at best ${best.toFixed(0)}, p95 ${slow.toFixed(0)}; ` +
      `${processor.toFixed(1)} ms of this process's processor time, ${statements.length} statements`,
  );
  if (middle >= LIMIT) process.exitCode = 1;
  const found = statements.find(({ sql: text }) => text.includes('as asked(issue, term, weight)'));
  if (!found) return;
  const { rows } = await database.db.executeQuery<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    CompiledQuery.raw(`explain (analyze, format json) ${found.sql}`, found.parameters),
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (plan)
    console.log(
      `similar clusters found in ${plan['Actual Total Time'].toFixed(1)} ms, rows read: ${rowsRead(plan).join(', ')}`,
    );
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Actual Total Time': number;
  Plans?: PlanNode[];
}

/** The rows that each scan in a plan read. */
function rowsRead(plan: PlanNode): string[] {
  const { 'Relation Name': table, 'Index Name': index, Plans: below = [] } = plan;
  const rows = Math.round(plan['Actual Rows'] * plan['Actual Loops']);
  const own = table ? [`${rows} by ${plan['Node Type']} of ${index ?? table}`] : [];
  return [...own, ...below.flatMap(rowsRead)];
}
