import type { Db } from '../base/db.ts';
import { lockIssueIndex, replaceIssues } from './clustering.operation.ts';

/**
 * Deletes a conversation with what came from it.
 * @returns whether there was one
 */
export async function removeConversation(db: Db, organization: string, id: string): Promise<boolean> {
  const index = await lockIssueIndex(db, organization);
  const conversation = await db
    .selectFrom('conversation')
    .select(['id', 'source', 'external_id as key'])
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .forUpdate()
    .executeTakeFirst();
  if (!conversation) return false;
  await replaceIssues(db, index, [{ ...conversation, issues: [] }], new Date());
  await db.deleteFrom('conversation').where('id', '=', id).execute();
  return true;
}
