import type { Grants, Membership } from '../access/levels.ts';
import { viewable } from '../access/visible.query.ts';
import type { Db } from '../base/db.ts';

/** The spaces of an organization that a member may view, with the root of the content of each. */
export const readSearchableSpaces = (
  db: Db,
  { organization, member, grants }: { organization: string; member: Membership; grants: Grants },
) =>
  db
    .selectFrom('space')
    .innerJoin('revision', 'revision.id', 'space.revision_id')
    .select([
      'space.id',
      'space.title',
      'space.language',
      'space.ancestors',
      'space.effective_default as effectiveDefault',
      'revision.root',
    ])
    .where('space.organization_id', '=', organization)
    // guard: search-deleted-spaces
    .where('space.deleted_at', 'is', null)
    // guard: search-viewable-spaces
    .where(viewable('space', member, [...grants.keys()]))
    .execute();
