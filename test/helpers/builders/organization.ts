import { newId } from '../../../schema/ids.ts';
import type { DatabaseHandle } from '../../../server/database/database.ts';
import { buildMember } from './member.ts';
import type { Person } from './user.ts';

/** An organization with a new user as its admin. */
export async function buildOrganization(
  database: DatabaseHandle,
  { title = 'Organization' }: { title?: string } = {},
): Promise<{ id: string; admin: Person }> {
  const id = newId();
  await database.db
    .insertInto('organization')
    .values({ id, title, merge_rules: { type: 'none' }, created_at: new Date() })
    .execute();
  return { id, admin: await buildMember(database, id, 'admin') };
}
