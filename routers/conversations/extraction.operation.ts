import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Conversation } from '../../schema/entities/conversation.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { runFor } from '../base/caller.ts';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { Jobs } from '../base/ports.ts';
import type { ExtractedIssue } from '../engine/conversations/extract.ts';
import { lockIssueIndex, replaceIssues } from './clustering.operation.ts';
import { type IssueEngine, keywordEngine } from './issue-engine.ts';

/** Conversations that are put into clusters in one transaction. */
const CHUNK = 100;

/** The issues of a conversation; undefined if the service failed to find them. */
interface Extracted {
  conversation: Row<Conversation>;
  issues: ExtractedIssue[] | undefined;
}

const FAILURE = 'The service failed to process it.';

/**
 * Extracts the issues of the conversations that came with one request, and puts them into clusters: in the order of the
 * clients' ids, whatever that in the request. Those that are done, or have changed since, are left out, so that it may run
 * again.
 */
export async function extractIssues(
  context: Context,
  { organization, batch }: Jobs['extract-issues'],
  engine: IssueEngine = keywordEngine,
): Promise<void> {
  await runFor({ organization, user: organization }, async () => {
    for (;;) {
      const conversations = await beginChunk(context, batch);
      if (conversations.length === 0) return;
      const extracted: Extracted[] = [];
      for (const conversation of conversations) {
        extracted.push(await extract(context, engine, conversation));
        // Long conversations must not hold up others.
        await nextTurn();
      }
      await context.transaction((em) => saveChunk(em, { organization, batch }, extracted));
    }
  });
}

/** Marks the next conversations of a request as being processed. */
async function beginChunk({ db }: Context, batch: string): Promise<Row<Conversation>[]> {
  const rows = await db
    .updateTable('conversation')
    .set({ processing_state: 'progress' })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('conversation')
        .select('id')
        .where('batch', '=', batch)
        .where('processing_state', '<>', 'complete')
        .orderBy('external_id')
        .limit(CHUNK)
        .forUpdate(),
    )
    .where('batch', '=', batch)
    .returning(columnsOf(Conversation))
    .execute();
  return rows.sort((a, b) => (a.externalId < b.externalId ? -1 : 1));
}

async function extract(
  { services }: Context,
  engine: IssueEngine,
  conversation: Row<Conversation>,
): Promise<Extracted> {
  const { subject, parts } = conversation;
  try {
    return { conversation, issues: await engine.extract({ subject, messages: parts }) };
  } catch (error) {
    services.logger.error({ err: error }, 'issues could not be extracted');
    return { conversation, issues: undefined };
  }
}

async function saveChunk(
  em: SqlEntityManager,
  { organization, batch }: { organization: string; batch: string },
  extracted: readonly Extracted[],
): Promise<void> {
  const db = kyselyOf(em);
  const index = await lockIssueIndex(db, organization);
  const now = new Date();
  const unchanged = await db
    .selectFrom('conversation')
    .select('id')
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(extracted.map(({ conversation }) => conversation.id)))))
    .where('batch', '=', batch)
    .where('processing_state', '=', 'progress')
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  const current = new Set(unchanged.map(({ id }) => id));
  const kept = extracted.filter(({ conversation }) => current.has(conversation.id));
  const done = kept.flatMap(({ conversation, issues }) => (issues ? [{ conversation, issues }] : []));
  await replaceIssues(
    db,
    index,
    done.map(({ conversation, issues }) => ({
      id: conversation.id,
      source: conversation.source,
      key: conversation.externalId,
      issues: issues.map((issue) => ({
        ...issue,
        createdAt: new Date(conversation.startedAt ?? conversation.createdAt),
        ingestedAt: new Date(conversation.createdAt),
      })),
    })),
    now,
  );
  await finish(db, done, { processed_at: now, process_error: null });
  await finish(
    db,
    kept.filter(({ issues }) => issues === undefined),
    { process_error: FAILURE },
  );
}

/** Ends the processing of conversations. */
async function finish(
  db: Db,
  done: readonly { conversation: { id: string } }[],
  result: { processed_at?: Date; process_error: string | null },
): Promise<void> {
  if (done.length === 0) return;
  await db
    .updateTable('conversation')
    .set({ ...result, processing_state: 'complete' })
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(done.map(({ conversation }) => conversation.id)))))
    .execute();
}
