import { Space } from '../../schema/entities/space.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { type Grants, levelOn, type Membership } from '../access/levels.ts';
import { allows, SPACE_NEEDS } from '../access/needs.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Db } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';

/** The caller who adds spaces to a site. */
interface Publisher {
  db: Db;
  member: Membership;
  grants: Grants;
  viewer: Viewer;
}

/**
 * Locks spaces that the caller may add to a site, and returns them in the order of `ids`. Requires `admin` on each, because
 * all readers of the site can then read them. They cannot leave the organization until the end of the transaction.
 * @throws DomainError `not-found` for a space that the caller may not view, `forbidden` without the permission
 */
export async function lockPublishableSpaces(
  { db, member, grants, viewer }: Publisher,
  organization: string,
  ids: readonly string[],
): Promise<Row<Space>[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('space')
    .select(columnsOf(Space))
    .where('id', 'in', ids)
    .where('organization_id', '=', organization)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forShare()
    .execute();
  const spaces = new Map(rows.map((space) => [space.id, space]));
  return ids.map((id) => {
    const space = spaces.get(id);
    const level = space ? levelOn(member, grants, space) : null;
    if (!space || !level)
      throw new DomainError('not-found', `There is no space "${id}" in this organization.`);
    // guard: site-space-admin
    if (!allows({ level, scope: viewer.scope }, SPACE_NEEDS.admin))
      throw new DomainError('forbidden', 'You need "admin" on a space to put it on a site.');
    return space;
  });
}

/** Like {@link lockPublishableSpaces}, for one space and a site. */
export async function lockPublishableSpace(
  publisher: Publisher & { site: { organization: string } },
  id: string,
): Promise<Row<Space>> {
  const [space] = await lockPublishableSpaces(publisher, publisher.site.organization, [id]);
  return space as Row<Space>;
}
