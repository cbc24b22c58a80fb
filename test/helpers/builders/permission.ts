import type { Role } from '../../../schema/enums.ts';
import { newId } from '../../../schema/ids.ts';
import type { DatabaseHandle } from '../../../server/database/database.ts';

type Grant = ({ user: string } | { team: string }) &
  ({ collection: string } | { space: string } | { site: string }) & { role: Role };

/** Grants a user or a team a level on a collection, space or site. */
export async function grant(
  { db }: DatabaseHandle,
  organizationId: string,
  { role, ...permission }: Grant,
): Promise<void> {
  const { user, team, collection, space, site }: Record<string, string | undefined> = permission;
  await db
    .insertInto('permission')
    .values({
      id: newId(),
      organization_id: organizationId,
      user_id: user,
      team_id: team,
      collection_id: collection,
      space_id: space,
      site_id: site,
      role,
      created_at: new Date(),
    })
    .execute();
}
