import { saveEmptyRoot } from '../../../routers/branches/revisions.operation.ts';
import { createSpace } from '../../../routers/spaces/spaces.operation.ts';
import type { DefaultLevel, EditMode } from '../../../schema/enums.ts';
import type { DatabaseHandle } from '../../../server/database/database.ts';
import { buildOrganization } from './organization.ts';
import { endOf } from './place.ts';
import { buildUser } from './user.ts';

interface SpaceOptions {
  title?: string;
  parent?: string;
  defaultLevel?: DefaultLevel | null;
  editMode?: EditMode;
  deletedAt?: Date;
}

/** An empty space at the end of a parent, given by id, or of the root of the organization. */
export async function buildSpace(
  database: DatabaseHandle,
  organizationId?: string,
  { title = 'Space', parent, defaultLevel, editMode, deletedAt }: SpaceOptions = {},
): Promise<{ id: string; revision: string }> {
  const organization = organizationId ?? (await buildOrganization(database)).id;
  const author = await buildUser(database);
  return database.transaction(async (em) => {
    const place = await endOf(em, organization, parent);
    const root = await saveEmptyRoot(em);
    const space = createSpace(em, { ...place, title, defaultLevel, editMode, author: author.id, root });
    if (deletedAt) space.deletedAt = deletedAt;
    await em.flush();
    return { id: space.id, revision: space.revision };
  });
}
