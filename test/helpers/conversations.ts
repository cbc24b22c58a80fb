import { extractIssues } from '../../routers/conversations/extraction.operation.ts';
import { jobContext } from '../../server/context.ts';
import type { TestService } from './service.ts';

/** Runs the jobs of all conversations that wait for one, as the queue does. */
export async function processConversations({ runtime }: TestService): Promise<void> {
  const { database, services } = runtime;
  const waiting = await database.db
    .selectFrom('conversation')
    .select(['organization_id as organization', 'batch'])
    .distinct()
    .where('processing_state', '<>', 'complete')
    .orderBy('batch')
    .execute();
  for (const job of waiting) await extractIssues(jobContext(database, services), job);
}
