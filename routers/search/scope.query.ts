import type { Grants, Membership } from '../access/levels.ts';
import { viewable } from '../access/visible.query.ts';
import type { Db } from '../base/db.ts';
import { statement } from '../sql/statement.ts';
import { INDEX_COLUMNS, indexOfRow } from './postings.query.ts';

const spacesViewableTo = (member: Membership) =>
  statement((db, organization: string, granted: string[]) =>
    db
      .selectFrom('space')
      .innerJoin('revision', 'revision.id', 'space.revision_id')
      .leftJoin('search_index', 'search_index.organization_id', 'space.organization_id')
      .select([
        'space.id',
        'space.title',
        'space.language',
        'space.ancestors',
        'space.effective_default as effectiveDefault',
        'revision.root',
        ...INDEX_COLUMNS,
      ])
      .where('space.organization_id', '=', organization)
      // guard: search-deleted-spaces
      .where('space.deleted_at', 'is', null)
      // guard: search-viewable-spaces
      .where(viewable('space', member, granted)),
  );

/** The statement depends only on whether a member is an administrator, a guest, or neither. */
const readForAdmins = spacesViewableTo({ role: 'admin' });
const readForGuests = spacesViewableTo({ role: null });
const readForMembers = spacesViewableTo({ role: 'read' });

/** Reads the spaces of an organization that a member may view, each with the root of its content, and the state of the index. */
export async function readSearchableSpaces(
  db: Db,
  { organization, member, grants }: { organization: string; member: Membership; grants: Grants },
) {
  const read =
    member.role === 'admin' ? readForAdmins : member.role === null ? readForGuests : readForMembers;
  const spaces = await read(db, organization, [...grants.keys()]);
  return { spaces, index: indexOfRow(organization, spaces[0]) };
}
