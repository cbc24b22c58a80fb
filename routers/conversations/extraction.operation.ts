import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Conversation } from '../../schema/entities/conversation.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { runFor } from '../base/caller.ts';
import { forEachConcurrently } from '../base/concurrency.ts';
import type { Context, Services } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { EngineFailure, UnusableResponse } from '../base/language-ports.ts';
import { outageOf } from '../base/outage.ts';
import type { Jobs } from '../base/ports.ts';
import type { ExtractedIssue } from '../engine/conversations/extract.ts';
import { recordEvent } from '../events/record.operation.ts';
import { readAgentInstructions } from '../organizations/agent-instructions.query.ts';
import { lockIssueIndex, replaceIssues } from './clustering.operation.ts';
import { startOf } from './conversations.api.ts';
import { enqueueDescriptions } from './describe-clusters.operation.ts';

/** How often extracting the issues of a conversation is tried before it is given up; the queue waits longer each time. */
export const MAX_ATTEMPTS = 8;

/** The issues extracted from a conversation, or why there are none. */
type Outcome = { issues: ExtractedIssue[] } | { problem: string };

const FAILURE = 'The service failed to process it.';

/**
 * Extracts the issues of the conversations of one request, and assigns them to clusters, in the order of the clients' ids,
 * not of the request. Skips conversations that are done, or have changed since, so that it can be
 * retried.
 * @throws EngineFailure if some have to be tried again
 */
export async function extractIssues(
  context: Context,
  { organization, batch }: Jobs['extract-issues'],
): Promise<void> {
  await runFor({ organization, user: organization }, async () => {
    const instructions = await readAgentInstructions(context.db, organization);
    const problem = await extractChunks(context, { organization, batch }, instructions);
    if (problem !== undefined) throw new EngineFailure(problem);
  });
}

/** @returns why some conversations have to be tried again, if any */
async function extractChunks(
  context: Context,
  job: Jobs['extract-issues'],
  instructions: string,
): Promise<string | undefined> {
  let problem: string | undefined;
  for (let after = ''; ; ) {
    const conversations = await beginChunk(context, job.batch, after);
    const last = conversations.at(-1);
    if (!last) return problem;
    after = last.externalId;
    const outcomes = new Map<string, Outcome>();
    try {
      await forEachConcurrently(
        conversations,
        context.services.issueEngine.limits.requests,
        async (conversation) => {
          outcomes.set(conversation.id, await extract(context, conversation, instructions));
          // Long conversations must not hold up others.
          await nextTurn();
        },
      );
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      // All others would fail likewise.
      problem = (await saveChunk(context, job, conversations, outcomes)) ?? problem;
      return (await failRemaining(context, job, error.message)) ?? problem;
    }
    problem = (await saveChunk(context, job, conversations, outcomes)) ?? problem;
    if (conversations.length < context.services.issueEngine.limits.conversations) return problem;
  }
}

/**
 * Saves for all remaining conversations of a request that the engine cannot be used.
 * @returns why some have to be tried again, if any
 */
const failRemaining = (
  { transaction }: Context,
  { organization, batch }: Jobs['extract-issues'],
  problem: string,
) =>
  transaction(async (em) => {
    const { givenUp, retried } = await saveFailures(kyselyOf(em), batch, undefined, problem);
    if (givenUp > 0)
      recordEvent(em, { type: 'conversations.processed', organization, count: 0, failed: givenUp });
    return retried > 0 ? problem : undefined;
  });

/** Marks the next conversations of a request as being processed. */
async function beginChunk(
  { db, services }: Context,
  batch: string,
  after: string,
): Promise<Row<Conversation>[]> {
  const rows = await db
    .updateTable('conversation')
    .set({ processing_state: 'progress' })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('conversation')
        .select('id')
        .where('batch', '=', batch)
        .where('processing_state', '<>', 'complete')
        .where('external_id', '>', after)
        .orderBy('external_id')
        .limit(services.issueEngine.limits.conversations)
        .forUpdate(),
    )
    .where('batch', '=', batch)
    .returning(columnsOf(Conversation))
    .execute();
  return rows.sort((a, b) => (a.externalId < b.externalId ? -1 : 1));
}

async function extract(
  { services: { issueEngine, logger } }: Context,
  { id, subject, parts }: Row<Conversation>,
  instructions: string,
): Promise<Outcome> {
  try {
    return { issues: await issueEngine.extract({ subject, messages: parts }, instructions) };
  } catch (error) {
    if (error instanceof EngineFailure || outageOf(error)) throw error;
    if (error instanceof UnusableResponse) return { problem: error.message };
    logger.error({ err: error, conversation: id }, 'issues could not be extracted');
    return { problem: FAILURE };
  }
}

/**
 * Saves the outcomes of some conversations.
 * @returns why some have to be tried again, if any
 */
function saveChunk(
  { transaction, services }: Context,
  job: Jobs['extract-issues'],
  conversations: readonly Row<Conversation>[],
  outcomes: ReadonlyMap<string, Outcome>,
): Promise<string | undefined> {
  return transaction((em) => saveOutcomes(em, services, job, { conversations, outcomes }));
}

async function saveOutcomes(
  em: SqlEntityManager,
  services: Services,
  { organization, batch }: Jobs['extract-issues'],
  {
    conversations,
    outcomes,
  }: { conversations: readonly Row<Conversation>[]; outcomes: ReadonlyMap<string, Outcome> },
): Promise<string | undefined> {
  const db = kyselyOf(em);
  const index = await lockIssueIndex(db, organization);
  const now = new Date();
  const unchanged = await db
    .selectFrom('conversation')
    .select('id')
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...outcomes.keys()]))))
    .where('batch', '=', batch)
    .where('processing_state', '=', 'progress')
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  const current = new Set(unchanged.map(({ id }) => id));
  const kept = conversations.filter(({ id }) => current.has(id));
  const done = kept.flatMap((conversation) => {
    const outcome = outcomes.get(conversation.id);
    return outcome && 'issues' in outcome ? [{ conversation, issues: outcome.issues }] : [];
  });
  const changed = await replaceIssues(
    db,
    index,
    done.map(({ conversation, issues }) => ({
      id: conversation.id,
      source: conversation.source,
      key: conversation.externalId,
      issues: issues.map((issue) => ({
        ...issue,
        createdAt: new Date(startOf(conversation)),
        ingestedAt: new Date(conversation.createdAt),
      })),
    })),
    now,
  );
  await completeConversations(
    db,
    done.map(({ conversation }) => conversation.id),
    now,
  );
  await enqueueDescriptions(db, services, organization, changed);
  const failed = kept.flatMap(({ id }) => {
    const outcome = outcomes.get(id);
    return outcome && 'problem' in outcome ? [{ id, problem: outcome.problem }] : [];
  });
  const left = { problem: undefined as string | undefined, failed: 0 };
  for (const [why, same] of Map.groupBy(failed, (one) => one.problem)) {
    const ids = same.map(({ id }) => id);
    const noted = await saveFailures(db, batch, ids, why);
    left.failed += noted.givenUp;
    if (noted.retried > 0) left.problem = why;
  }
  if (done.length + left.failed > 0)
    recordEvent(em, {
      type: 'conversations.processed',
      organization,
      count: done.length,
      failed: left.failed,
    });
  return left.problem;
}

/** Marks conversations whose issues are saved as complete. */
async function completeConversations(db: Db, done: readonly string[], now: Date): Promise<void> {
  if (done.length === 0) return;
  await db
    .updateTable('conversation')
    .set({ processing_state: 'complete', processed_at: now, process_error: null, attempts: 0 })
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...done]))))
    .execute();
}

/**
 * Saves why the issues of conversations could not be extracted: of these, or of all of a request that are not done. After
 * {@link MAX_ATTEMPTS}, they are given up.
 * @returns how many are given up, and how many will be tried again
 */
async function saveFailures(
  db: Db,
  batch: string,
  ids: readonly string[] | undefined,
  problem: string,
): Promise<{ givenUp: number; retried: number }> {
  let failing = db
    .updateTable('conversation')
    .set({
      attempts: sql<number>`attempts + 1`,
      process_error: problem,
      // guard: conversation-attempts
      processing_state: sql`case when attempts + 1 < ${MAX_ATTEMPTS} then 'pending' else 'complete' end`,
    })
    .where('batch', '=', batch)
    .where('processing_state', '<>', 'complete');
  if (ids) failing = failing.where((eb) => eb('id', '=', eb.fn.any(eb.val([...ids]))));
  const rows = await failing.returning('processing_state as state').execute();
  const retried = rows.filter(({ state }) => state === 'pending').length;
  return { givenUp: rows.length - retried, retried };
}
