import { sql } from 'kysely';
import { EngineFailure } from '../../routers/base/language-ports.ts';
import type { Jobs } from '../../routers/base/ports.ts';
import { describeClusters } from '../../routers/conversations/describe-clusters.operation.ts';
import { extractIssues } from '../../routers/conversations/extraction.operation.ts';
import { jobContext } from '../../server/context.ts';
import type { TestService } from './service.ts';

/** Runs all pending conversation jobs, and the jobs that they enqueue, as the queue does. */
export async function processConversations(service: TestService): Promise<void> {
  for (const failure of await attemptConversationJobs(service)) throw failure;
}

/**
 * Attempts each of these jobs once, when the engine may fail.
 * @returns the failures of jobs that have to be retried
 */
export async function attemptConversationJobs({ runtime }: TestService): Promise<EngineFailure[]> {
  const { database, services } = runtime;
  const context = jobContext(database, services);
  const failures: EngineFailure[] = [];
  const attempt = (job: Promise<void>) =>
    job.catch((error: unknown) => {
      if (!(error instanceof EngineFailure)) throw error;
      failures.push(error);
    });
  const waiting = await database.db
    .selectFrom('conversation')
    .select(['organization_id as organization', 'batch'])
    .distinct()
    .where('processing_state', '<>', 'complete')
    .orderBy('batch')
    .execute();
  for (const job of waiting) await attempt(extractIssues(context, job));
  const { rows } = await sql<{ id: string; data: Jobs['describe-clusters'] }>`
    select id, data from pgboss.job where name = 'describe-clusters' order by created_on`.execute(
    database.db,
  );
  for (const { id, data } of rows) {
    const before = failures.length;
    await attempt(describeClusters(context, data));
    if (failures.length === before)
      await sql`delete from pgboss.job where name = 'describe-clusters' and id = ${id}`.execute(database.db);
  }
  return failures;
}
