import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Services } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockIssueIndex, replaceIssues } from './clustering.operation.ts';
import { enqueueDescriptions } from './describe-clusters.operation.ts';

/**
 * Deletes a conversation with its issues.
 * @returns whether there was one
 */
export async function removeConversation(
  em: SqlEntityManager,
  services: Pick<Services, 'jobs' | 'issueEngine'>,
  organization: string,
  id: string,
): Promise<boolean> {
  const db = kyselyOf(em);
  const index = await lockIssueIndex(db, organization);
  const conversation = await db
    .selectFrom('conversation')
    .select(['id', 'source', 'external_id as key'])
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .forUpdate()
    .executeTakeFirst();
  if (!conversation) return false;
  const changed = await replaceIssues(db, index, [{ ...conversation, issues: [] }], new Date());
  await enqueueDescriptions(db, services, organization, changed);
  await db.deleteFrom('conversation').where('id', '=', id).execute();
  recordEvent(em, { type: 'conversation.deleted', organization, conversation: id });
  return true;
}
